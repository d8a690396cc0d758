import Dispatch

extension DispatchTimeInterval: TimeIntervalType {
  /// The same interval; `never` is some 300 billion years.
  public func asDuration() -> Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    default: .seconds(Int64.max)
    }
  }
}
