/// A queue: first in, first out.
///
/// - Complexity: O(1) amortised for everything but `elements`.
struct Queue<Element> {
  private var incoming: [Element] = []
  /// Latest first.
  private var outgoing: [Element] = []

  var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  var count: Int { incoming.count + outgoing.count }

  var elements: [Element] { outgoing.reversed() + incoming }

  var first: Element? { outgoing.last ?? incoming.first }

  mutating func append(_ element: Element) { incoming.append(element) }

  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
