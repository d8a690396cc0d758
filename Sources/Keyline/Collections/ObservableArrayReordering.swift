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
    try reorder { try $0.sorted(by: areInIncreasingOrder) }
  }

  /// Reverses the order of the elements: one replacement of all.
  ///
  /// - Complexity: O(n).
  public func reverse() { reorder { $0.reversed() } }

  /// Shuffles the elements: one replacement of all.
  ///
  /// - Complexity: O(n).
  public func shuffle() { reorder { $0.shuffled() } }

  private func reorder(_ order: ([Element]) throws -> [Element]) rethrows {
    if storage.count > 1 { try edit { ($0.indices, try order($0)) } }
  }

  /// Exchanges the elements at two indexes: one emission with two replacements of one element each;
  /// nothing if the indexes are equal.
  ///
  /// - Complexity: O(1).
  public func swapAt(_ i: Int, _ j: Int) {
    if i != j { batchUpdates { (self[i], self[j]) = (storage[j], storage[i]) } }
  }
}

extension ObservableArray where Element: Comparable {
  /// Sorts the elements in increasing order: one replacement of all.
  ///
  /// - Complexity: O(n log n).
  public func sort() { sort(by: <) }
}
