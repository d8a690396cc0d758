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
  /// - Complexity: O(log n) per edited element.
  /// - SeeAlso: DynamicData's `Transform`.
  public final func mapped<Output>(
    _ transform: @escaping (Element) -> Output
  ) -> LiveArray<Output> {
    LiveArray<Output>(of: self) { MappedNode(of: self, for: $0, transform) }
  }
}

private final class MappedNode<Input, Output>: ViewNode<Output>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  private final class Result {
    let output: Output
    /// Retained, so that no other object has its address while the result is kept.
    let element: Input
    /// How often the element occurs.
    var count = 0

    init(_ output: Output, of element: Input) {
      self.output = output
      self.element = element
    }
  }

  private let source: ViewSource<Input>
  private var transform: ((Input) -> Output)?
  private let key: (Input) -> AnyHashable?
  private var results: [AnyHashable: Result] = [:]
  /// Elements that have left. Their results are kept until all values are up to date, because an
  /// element may be inserted again.
  private var left: [AnyHashable] = []
  private var outputs = OrderTree()
  private var hasOutputs = false

  init(
    of array: LiveArray<Input>, for owner: RegisteredObject,
    _ transform: @escaping (Input) -> Output
  ) {
    source = ViewSource(array)
    self.transform = transform
    key =
      Optionals.isReference(Input.self)
      ? { Optionals.reference(in: $0).map { AnyHashable(ObjectIdentifier($0)) } }
      : Input.self is any Hashable.Type ? { $0 as? AnyHashable } : { _ in nil }
    super.init(owner: owner, of: array)
  }

  override var hasContents: Bool { hasOutputs }
  override var elements: [Output] { outputs.values.map(Self.output) }
  override var count: Int { outputs.size }
  override func element(at index: Int) -> Output {
    Self.output(of: outputs[outputs.slot(at: index).slot])
  }

  private static func output(of result: AnyObject) -> Output {
    // Proof of the cast: nothing else is inserted.
    cast(result, to: Result.self).output
  }

  override func update(of owner: AnyObject, in transaction: Transaction) -> [ArrayEdit<Output>] {
    guard let transform else { return [] }
    if !hasOutputs { source.forget() }
    hasOutputs = true
    defer { if left.count > 0 { transaction.releaseUnused(of: self) } }
    return source.takeEdits().flatMap { edit -> [ArrayEdit<Output>] in
      let start = edit.removedRange.lowerBound
      if case .move(_, _, let destination) = edit {
        let moved = outputs.remove(edit.removedRange)
        outputs.insert(moved, at: destination)
        return [.move(Self.output(of: moved[0]), from: start, to: destination)]
      }
      discount(edit)
      let inserted = edit.inserted.map { result(of: $0, transform) }
      let removed = outputs.remove(edit.isReset ? 0..<outputs.size : edit.removedRange)
      outputs.insert(inserted, at: start)
      return edit.isReset
        ? [.reset(inserted.map(\.output))]
        : ArrayEdit.replacing(removed.map(Self.output), with: inserted.map(\.output), at: start)
    }
  }

  private func result(of element: Input, _ transform: (Input) -> Output) -> Result {
    guard let key = key(element) else { return Result(transform(element), of: element) }
    let result = results[key] ?? Result(transform(element), of: element)
    results[key] = result
    result.count += 1
    return result
  }

  /// Counts the removed elements of an edit, whose results may not be needed any more.
  private func discount(_ edit: ArrayEdit<Input>) {
    let keys = edit.isReset ? Array(results.keys) : edit.removed.compactMap(key)
    for key in keys { results[key].map { $0.count = edit.isReset ? 0 : $0.count - 1 } }
    left += keys
  }

  override func releaseLeft() {
    // Released after all accesses, because this may run a deinit that uses the view.
    var released: [Result?] = []
    for key in left where results[key]?.count == 0 {
      released.append(results.removeValue(forKey: key))
    }
    left = []
  }

  override var isBehind: Bool { source.isBehind }

  override func forgetContents() {
    guard source.isBehind, hasOutputs || !results.isEmpty else { return }
    // Elements that stay keep their results.
    for edit in source.takeEdits() {
      discount(edit)
      for element in edit.inserted { if let key = key(element) { results[key]?.count += 1 } }
    }
    releaseLeft()
    hasOutputs = false
    _ = exchange(&outputs, with: OrderTree())
  }

  override func releaseContents() {
    super.releaseContents()
    source.release()
    _ = (exchange(&outputs, with: OrderTree()), exchange(&results, with: [:]), transform.take())
  }
}
