import Foundation
import Keyline

/// A point in time, under RxSwift's name.
public typealias RxTime = Date

/// A virtual clock of dates: for replaying recorded events.
///
/// - Isolation: for one thread.
public final class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter> {
  /// - Parameter initialClock: the date to start from.
  public init(initialClock: Date = Date(timeIntervalSince1970: 0)) {
    super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
  }
}

/// Dates and seconds to durations and back; the clock's origin is 1970.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType {
  public func convertFromVirtualTime(_ virtualTime: Date) -> Duration {
    .seconds(virtualTime.timeIntervalSince1970)
  }

  public func convertToVirtualTime(_ time: Duration) -> Date {
    Date(timeIntervalSince1970: time / .seconds(1))
  }

  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> Duration {
    .seconds(virtualTimeInterval)
  }

  public func convertToVirtualTimeInterval(_ timeInterval: Duration) -> TimeInterval {
    timeInterval / .seconds(1)
  }

  public func offsetVirtualTime(_ time: Date, offset: TimeInterval) -> Date { time + offset }
}
