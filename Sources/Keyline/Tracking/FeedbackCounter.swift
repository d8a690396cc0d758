import KeylineCore

/// Counts the rounds of a feedback loop: each round is what the deliveries of the former one have
/// caused.
///
/// A burst of many sets in one delivery is one round. The rounds of a loop never end: it is stopped
/// after `Diagnostics.feedbackLimit` of them.
struct FeedbackCounter {
  private var rounds = 0
  /// How many deliveries of this round are still to be made.
  private var remaining = 0
  /// How many deliveries there have been after the first round, which may be a burst of any size.
  private var caused = 0

  /// Counts one more round.
  ///
  /// - Returns: whether it is within the limit.
  mutating func admitsRound() -> Bool {
    let limit = Diagnostics.feedbackLimit
    guard rounds < limit else { return false }
    // Rounds that grow, because each delivery causes several, are no longer counted to the end.
    if limit < .max / 100, caused > limit * 100 { return false }
    rounds += 1
    return true
  }

  /// Counts a delivery that had to wait.
  ///
  /// - Parameter waiting: how many wait, this one included.
  /// - Returns: whether its round is within the limit.
  mutating func admits(waiting: Int) -> Bool {
    defer { remaining -= 1 }
    if rounds > 1 { caused += 1 }
    guard remaining <= 0 else { return isWithinLimit }
    remaining = waiting
    isWithinLimit = admitsRound()
    return isWithinLimit
  }

  private var isWithinLimit = true
}
