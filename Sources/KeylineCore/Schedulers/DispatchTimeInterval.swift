import Dispatch

extension DispatchTimeInterval: TimeIntervalType {
  /// The same interval.
  public func asDuration() -> Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    default: .never
    }
  }
}
