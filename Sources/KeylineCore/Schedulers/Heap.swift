/// A queue in an order that elements are compared by: a binary heap, in which the element at an index
/// comes before those at `2 * index + 1` and the next index.
///
/// The comparison is passed to each operation, and must always be the same.
///
/// - Complexity: O(log(number of elements)) to insert, and to remove the first.
@usableFromInline package struct Heap<Element> {
  @usableFromInline var elements: ContiguousArray<Element> = []

  @inlinable package init() {}

  var first: Element? { elements.first }

  @inlinable
  package mutating func insert(_ element: Element, by comesBefore: (Element, Element) -> Bool) {
    guard !elements.isEmpty else { return elements.append(element) }
    var index = elements.endIndex
    elements.append(element)
    while index > 0 {
      let parent = (index - 1) / 2
      guard comesBefore(element, elements[parent]) else { break }
      elements[index] = elements[parent]
      index = parent
    }
    elements[index] = element
  }

  @inlinable package mutating func popFirst(by comesBefore: (Element, Element) -> Bool) -> Element?
  {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    var index = 0
    while true {
      var child = 2 * index + 1
      if child + 1 < elements.count, comesBefore(elements[child + 1], elements[child]) {
        child += 1
      }
      guard child < elements.count, comesBefore(elements[child], last) else { break }
      elements[index] = elements[child]
      index = child
    }
    elements[index] = last
    return first
  }
}
