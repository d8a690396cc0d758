/// A queue: first in, first out.
///
/// - Complexity: O(1) amortised for everything but `elements`.
package struct Queue<Element> {
  // Counted here: where the type of the elements is not known, an array is slow to ask.
  package private(set) var count = 0
  private var incoming: [Element] = []
  /// Latest first.
  private var outgoing: [Element] = []

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package var elements: [Element] { outgoing.reversed() + incoming }

  package var first: Element? { count == 0 ? nil : outgoing.last ?? incoming.first }

  package mutating func append(_ element: Element) {
    count += 1
    incoming.append(element)
  }

  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
