/// Delivers what `body` sets when it is through: each property once, from the oldest value to the
/// newest.
///
/// ```swift
/// batchUpdates {
///   order.quantity = 3
///   order.price = 20
/// }   // observers of either are called here, and `\.total` is evaluated once
/// ```
///
/// Reads inside are fresh, computed ones as well. Laws of batches, tested under these numbers:
/// - D30. One delivery per property at the end.
/// - D31. A property that is back at its former value (`==`; objects by identity) counts as not set.
///   A collection whose first change in the batch is one in place counts as changed, because
///   comparing would copy it.
/// - D32. A batch inside a batch is part of it. One inside an observer ends by itself; what is
///   computed waits for the outermost set.
/// - D33. A throw delivers what was set, and goes on to the caller. Nothing is rolled back.
/// - D34. `observeChanges` has one change, with one announcement (`.prior`), before the first store.
/// - D35. Observers of a property are called in subscription order, properties in the order of the
///   first set.
/// - D36. An observer that is subscribed inside receives the value there is, and then only what is
///   set later; one that is disposed inside receives nothing more. A batch retains no object: one
///   that dies inside completes, without a value.
/// - D37. A chain emits once, also if a hop has been replaced and the leaf set; not at all if it
///   leads where it led.
/// - D38. Bindings write once, at the end. If both ends of a two-way binding were set, the source
///   wins.
/// - D39. An ``ObservableArray`` emits all its edits at once, in order, neither merged nor compared.
/// - D40. `values(of:)` has exactly what an observer has.
/// - D41. A batch is its thread's own: what other threads set is in none of it.
///
/// - Timing: synchronous.
/// - Errors: those that `body` throws.
/// - Complexity: O(1) for each set, and O(readers) for each property that is back at its value.
/// - SeeAlso: `batch` of the signal libraries; MobX's `runInAction`.
@discardableResult
public func batchUpdates<Result>(_ body: () throws -> Result) rethrows -> Result {
  try Transaction.current.batch(body)
}
