import KeylineCore

/// A stack of trivial elements in raw memory, which stays allocated: filling and emptying an array
/// costs more than what is done with its elements.
///
/// The owner deallocates the memory. A pointer to an element is valid until the next `append`.
struct UnsafeStack<Element: BitwiseCopyable> {
  // Two short numbers: lists of observers and of properties consist of this and little else.
  private var elements: UnsafeMutablePointer<Element>?
  private var capacity: UInt32 = 0
  private var length: UInt32 = 0

  @inline(__always) private(set) var count: Int {
    get { Int(truncatingIfNeeded: length) }
    set { length = UInt32(truncatingIfNeeded: newValue) }
  }

  @inline(__always) subscript(index: Int) -> Element {
    // Proof of unsafelyUnwrapped: a stack with an element has memory.
    elements.unsafelyUnwrapped[index]
  }

  /// The element added last. There must be one.
  @inline(__always) var last: UnsafeMutablePointer<Element> {
    elements.unsafelyUnwrapped + (count - 1)
  }

  @inline(__always) mutating func append(_ element: Element) {
    if length == capacity { grow() }
    (elements.unsafelyUnwrapped + count).initialize(to: element)
    length &+= 1
  }

  @inline(never) private mutating func grow() {
    // Stops the program at four billion elements, as an array does when there is no memory.
    capacity = max(4, 2 * capacity)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: Int(capacity))
    if let elements { grown.moveInitialize(from: elements, count: count) }
    elements?.deallocate()
    elements = grown
  }

  @inline(__always) mutating func removeLast() { count -= 1 }

  @inline(__always) mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return self[count]
  }

  mutating func removeAll() { count = 0 }

  /// - Complexity: O(number of elements after the range).
  mutating func removeSubrange(_ range: Range<Int>) {
    for index in range.upperBound..<count {
      buffer[range.lowerBound + index - range.upperBound] = self[index]
    }
    count -= range.count
  }

  /// The elements. Valid until the next `append`.
  @inline(__always) var buffer: UnsafeMutableBufferPointer<Element> {
    UnsafeMutableBufferPointer(start: elements, count: count)
  }

  func sort(from index: Int, by areInIncreasingOrder: (Element, Element) -> Bool) {
    var rest = buffer.extracting(index...)
    rest.sort(by: areInIncreasingOrder)
  }

  func deallocate() { elements?.deallocate() }
}

/// An unsafe stack whose first element needs no memory of its own: for lists that mostly have one.
struct InlineStack<Element: BitwiseCopyable> {
  private(set) var first: Element?
  private(set) var others = UnsafeStack<Element>()

  @inline(__always) var count: Int { first == nil ? 0 : 1 + others.count }

  @inline(__always) subscript(index: Int) -> Element {
    // Proof of unsafelyUnwrapped: a stack with an element has a first one.
    index == 0 ? first.unsafelyUnwrapped : others[index - 1]
  }

  @inline(__always) mutating func append(_ element: Element) {
    if first == nil {
      first = element
    } else {
      others.append(element)
    }
  }

  /// Removes an element that is one of the last few.
  ///
  /// - Complexity: O(1).
  mutating func removeAmongLast(_ isElement: (Element) -> Bool) -> Bool {
    for index in (max(0, count - 8)..<count).reversed() where isElement(self[index]) {
      if index > 0 {
        others.removeSubrange(index - 1..<index)
      } else {
        first = others.count > 0 ? others[0] : nil
        if first != nil { others.removeSubrange(0..<1) }
      }
      return true
    }
    return false
  }

  mutating func removeAll() {
    first = nil
    others.removeAll()
  }

  func deallocate() { others.deallocate() }
}
