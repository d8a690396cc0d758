/// Law 3, for what follows several properties: counts what observers cause there while they are told.
///
/// A property counts the sets that are made while it is being delivered. An observer that sets one
/// property while it is told of another finds that one idle, and its count begins anew.
struct FeedbackCounter {
  private var rounds = 0

  /// Whether observers may be told once more; that they may not is reported the first time.
  ///
  /// - Parameters:
  ///   - isCaused: whether they are still being told of something else.
  ///   - type: the class, for the report.
  ///   - who: sets what is followed, again and again.
  @inline(__always)
  mutating func admits(isCaused: Bool, in type: Any.Type, _ who: @autoclosure () -> String) -> Bool
  {
    rounds = isCaused ? rounds + 1 : 0
    guard rounds > 0, rounds >= Diagnostics.feedbackLimit else { return true }
    if rounds == Diagnostics.feedbackLimit {
      let report = "set what it reads \(rounds) times in a row; its last value stays"
      Diagnostics.report(.feedbackLoop, "\(who()) \(report)", type: "\(type)")
    }
    return false
  }
}
