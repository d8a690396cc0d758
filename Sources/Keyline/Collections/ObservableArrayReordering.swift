// The edits of an observable array that move elements.

extension ObservableArray {
  /// Sorts the elements by `areInIncreasingOrder`; equal elements keep their order.
  ///
  /// Sorting, reversing and shuffling emit once each: one replacement of all elements, even if
  /// their order does not change; nothing for fewer than two elements.
  ///
  /// - Errors: an error thrown by `areInIncreasingOrder` leaves the elements as they were.
  /// - Complexity: O(n log n).
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    reorder(try storage.sorted(by: areInIncreasingOrder))
  }

  /// Reverses the order of the elements: one replacement of all.
  ///
  /// - Complexity: O(n).
  public func reverse() { reorder(storage.reversed()) }

  /// Shuffles the elements: one replacement of all.
  ///
  /// - Complexity: O(n).
  public func shuffle() { reorder(storage.shuffled()) }

  private func reorder(_ elements: [Element]) {
    if elements.count > 1 { replaceSubrange(storage.indices, with: elements) }
  }

  /// Exchanges the elements at two indexes: one emission with two replacements of one element each;
  /// nothing if the indexes are equal.
  ///
  /// - Complexity: O(1).
  public func swapAt(_ first: Int, _ second: Int) {
    guard first != second else { return }
    batchUpdates {
      let former = storage[first]
      self[first] = storage[second]
      self[second] = former
    }
  }
}

extension ObservableArray where Element: Comparable {
  /// Sorts the elements in increasing order: one replacement of all.
  ///
  /// - Complexity: O(n log n).
  public func sort() { sort(by: <) }
}
