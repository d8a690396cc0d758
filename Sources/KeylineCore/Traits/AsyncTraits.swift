extension UnfailingType where Element: Sendable {
  /// The elements as an asynchronous sequence that does not throw.
  ///
  /// ```swift
  /// let names = Infallible.of("Ada", "Grace")
  /// for await name in names.values { print(name) }
  /// ```
  /// ```text
  /// Ada
  /// Grace
  /// ```
  ///
  /// - Timing: subscribes at once, not when the loop begins; elements wait in a
  ///   buffer without bound.
  /// - Lifetime: ends when the subscription does: with the sequence, with the task, when the stream is
  ///   released, as after a `break` unless a variable holds it, or by the death of a subject, except
  ///   behind the operators listed at ``Relay``. The stream is for one task at a time.
  public var values: AsyncStream<Element> { unfailingValues() }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
  /// The result of `work`, performed in a task of its own for each subscription.
  ///
  /// - Errors: an error thrown by `work`.
  /// - Lifetime: the task is cancelled with the subscription.
  /// - Parameters:
  ///   - detached: whether the task is detached from the context of the subscription.
  ///   - priority: the priority of the task; if nil, the task inherits the priority of the context of
  ///     the subscription.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    Single(.fromTask(detached: detached, priority: priority) { emit in emit(try await work()) })
  }

  /// Waits for the element.
  ///
  /// - Errors: throws the single's error, or `CancellationError` if the task is cancelled.
  public nonisolated(nonsending) var value: Element {
    get async throws {
      guard let element = try await firstValue() else { throw RxError.noElements }
      return element
    }
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
  /// Waits for the element; nil if there is none.
  ///
  /// - Errors: throws the maybe's error, or `CancellationError` if the task is cancelled.
  public nonisolated(nonsending) var value: Element? { get async throws { try await firstValue() } }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Waits for completion.
  ///
  /// - Errors: throws the completable's error, or `CancellationError` if the task is cancelled.
  public nonisolated(nonsending) var value: Void { get async throws { _ = try await firstValue() } }
}
