/// A queue: first in, first out.
///
/// - Complexity: O(1) amortised for everything but `elements`, which is linear.
@usableFromInline package struct Queue<Element> {
  // Counted here: in unspecialised code, the count of an array is slow to read.
  @usableFromInline package var count = 0
  @usableFromInline var incoming: [Element] = []
  /// Latest first.
  @usableFromInline var outgoing: [Element] = []

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }

  package var elements: [Element] { outgoing.reversed() + incoming }

  package var first: Element? { count == 0 ? nil : outgoing.last ?? incoming.first }

  @inlinable package mutating func append(_ element: Element) {
    count += 1
    incoming.append(element)
  }

  @inlinable package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
