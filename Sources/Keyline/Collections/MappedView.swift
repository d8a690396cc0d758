extension LiveArray {
  /// A live array of `transform`'s results, one for each element, in the same order.
  ///
  /// ```swift
  /// let rows = store.orders.mapped { OrderRow($0) }
  /// ```
  ///
  /// `transform` is called once per element. The result stays with the element through moves and
  /// batches, also if the element is removed and inserted again in one batch, and is released with
  /// it. Elements that are objects are recognised by identity, others by `==` if they are
  /// `Hashable`; an element that occurs twice has one result. Elements that are neither have one
  /// result for each insertion.
  ///
  /// What `transform` reads is not followed: let the result bind or observe it.
  ///
  /// - Complexity: as for a plain array: O(size of the edit), and a move of the results behind it; O(1) for
  ///   `elements` and the subscript.
  /// - SeeAlso: DynamicData's `Transform`.
  public final func mapped<Output>(
    _ transform: @escaping (Element) -> Output
  ) -> LiveArray<Output> {
    LiveArray<Output>(of: self) { MappedNode(of: self, for: $0, transform) }
  }
}

/// What identifies an element of a mapped view.
private enum ElementKey: Hashable {
  case object(ObjectIdentifier)
  case value(AnyHashable)
}

/// How often an element occurs. Not generic, because generic code would look up the type of a dictionary in
/// each call.
private class Occurrences { final var count = 1 }

/// The result for an element. The element is retained, so that no other object has its address meanwhile.
private final class MappedResult<Content>: Occurrences {
  let content: Content
  init(_ content: Content) { self.content = content }
}

private final class MappedNode<Input, Output>: ViewNode<Output>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private let source: ViewSource<Input>
  private var transform: ((Input) -> Output)?
  private let key: (Input) -> ElementKey?
  /// The result for each element.
  private var results: [ElementKey: Occurrences] = [:]
  /// Elements that have left. Their results are kept until all values are up to date, because an
  /// element may be inserted again.
  private var left: [ElementKey] = []
  /// The contents; nil if they are needed anew.
  private var outputs: [Output]?

  init(
    of array: LiveArray<Input>, for owner: RegisteredObject,
    _ transform: @escaping (Input) -> Output
  ) {
    source = ViewSource(array)
    self.transform = transform
    key =
      Optionals.isReference(Input.self)
      ? { Optionals.reference(in: $0).map { .object(ObjectIdentifier($0)) } }
      : Input.self is any Hashable.Type ? { ($0 as? AnyHashable).map { .value($0) } } : { _ in nil }
    super.init(owner: owner, of: array)
  }

  override var hasContents: Bool { outputs != nil }
  override var elements: [Output] { outputs ?? [] }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] {
    guard let transform else { return [] }
    if outputs == nil { source.forget() }
    defer { if left.count > 0 { transaction.releaseUnused(of: self) } }
    return source.takeEdits().flatMap { edit in
      let edits = mapped(edit, transform)
      // The edits retain the removed results, whose release may run a deinit that uses the view.
      let former = edit.isReset ? exchange(&outputs, with: []) : nil
      for edit in edits { edit.apply(to: &outputs!) }
      withExtendedLifetime(former) {}
      return edits
    }
  }

  private func mapped(
    _ edit: ArrayEdit<Input>, _ transform: (Input) -> Output
  ) -> [ArrayEdit<Output>] {
    let outputs = elements
    if case .move(_, let index, let destination) = edit {
      return [.move(outputs[index], from: index, to: destination)]
    }
    countRemoved(edit)
    let inserted = edit.inserted.map { output(of: $0, transform) }
    if edit.isReset { return [.reset(inserted)] }
    let range = edit.removedRange
    return ArrayEdit.replacing(Array(outputs[range]), with: inserted, at: range.lowerBound)
  }

  private func output(of element: Input, _ transform: (Input) -> Output) -> Output {
    guard let key = key(element) else { return transform(element) }
    if let known = results[key] {
      known.count += 1
      // Proof of the cast: nothing else is in the dictionary.
      return cast(known, to: MappedResult<(Output, Input)>.self).content.0
    }
    let output = transform(element)
    results[key] = MappedResult((output, element))
    return output
  }

  /// Counts the elements that an edit removes, whose results may not be needed any more.
  private func countRemoved(_ edit: ArrayEdit<Input>) {
    for key in edit.isReset ? Array(results.keys) : edit.removed.compactMap(key) {
      guard let result = results[key] else { continue }
      result.count = edit.isReset ? 0 : result.count - 1
      if result.count == 0 { left.append(key) }
    }
  }

  override func releaseLeft() {
    // Released after all accesses, because this may run a deinit that uses the view.
    let released = exchange(&left, with: []).map {
      results[$0]?.count == 0 ? results.removeValue(forKey: $0) : nil
    }
    withExtendedLifetime(released) {}
  }

  override var isBehind: Bool { source.isBehind }

  override func forgetContents() {
    guard source.isBehind, outputs != nil || !results.isEmpty else { return }
    // Elements that stay keep their results.
    for edit in source.takeEdits() {
      countRemoved(edit)
      for key in edit.inserted.compactMap(key) { results[key]?.count += 1 }
    }
    releaseLeft()
    _ = outputs.take()
  }

  override func releaseContents() {
    super.releaseContents()
    source.release()
    _ = (outputs.take(), exchange(&results, with: [:]), transform.take())
  }
}
