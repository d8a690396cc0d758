/// The latest values of something, oldest first.
struct History: Equatable {
  /// More than fits on a wide screen.
  static let capacity = 240

  private(set) var values: [Double] = []

  /// Adds the newest value; the oldest one makes room for it.
  mutating func append(_ value: Double) {
    if values.count == Self.capacity { values.removeFirst() }
    values.append(value)
  }
}

/// A history as a line of block characters.
enum Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The newest `width` values, one character each: `▁` for 0 and below, `█` for 1 and above.
  static func text(_ history: History, width: Int) -> String {
    String(
      history.values.suffix(max(width, 0)).map { value in
        blocks[Int((min(max(value, 0), 1) * Double(blocks.count - 1)).rounded())]
      })
  }
}
