/// Runs `body`, and then delivers its changes: each property once, from the oldest value to the
/// newest.
///
/// ```swift
/// batchUpdates {
///   order.quantity = 3
///   order.price = 20
/// }   // observers of either are called here, and `\.total` is evaluated once
/// ```
///
/// Reads inside are fresh, including computed values. Laws of batches, tested under these numbers:
/// - D30. One delivery per property at the end.
/// - D31. A property that is back at its former value (`==`; objects by identity) is not delivered,
///   and neither is a `@Derived` value that is equal again. A computed path may be emitted with an
///   equal value. A collection whose first change in the batch is an in-place change counts as
///   changed, because a comparison would copy it.
/// - D32. A batch inside a batch is part of it. A batch inside an observer delivers at its own end;
///   computed values wait for the outermost set.
/// - D33. If the body throws, the changes made so far are delivered, and the caller receives the
///   error. Nothing is rolled back.
/// - D34. `observeChanges` emits one announcement (`.prior`) before the first store, and one change
///   at the end.
/// - D35. Observers of a property are called in subscription order, properties in the order of the
///   first set.
/// - D36. An observer that is subscribed inside receives the current value, and at the end the
///   final value, perhaps an equal one. An observer that is disposed inside receives nothing more. A
///   batch retains no object: a property completes without a value if its object dies before the
///   delivery.
/// - D37. A chain emits once, even if a hop was replaced and the leaf was set; if all properties on
///   its path are back at their former values, it emits an equal value or nothing.
/// - D38. Bindings write once, at the end. If both ends of a two-way binding were set, the source's
///   value replaces the target's, even if both agree under the converter.
/// - D39. An ``ObservableArray`` emits all its edits at once, in order, neither merged nor
///   compared.
/// - D40. `values(of:)` receives exactly the values that an observer receives.
/// - D41. A batch belongs to its thread: sets on other threads are not part of it.
///
/// - Timing: synchronous.
/// - Errors: the errors that `body` throws.
/// - Complexity: O(1) for each set, and O(readers) for each property that is back at its former
///   value.
/// - SeeAlso: `batch` of the signal libraries; MobX's `runInAction`.
@discardableResult
public func batchUpdates<Result>(_ body: () throws -> Result) rethrows -> Result {
  let transaction = Transaction.current
  Instrumentation.enter(.batch)
  defer { Instrumentation.leave() }
  return try transaction.perform {
    transaction.batch.level += 1
    defer { transaction.endBatch() }
    return try body()
  }
}
