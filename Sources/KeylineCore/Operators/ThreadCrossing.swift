// The operators that take a scheduler, for schedulers of any kind: elements may change threads, and so
// have to be `Sendable`. Each stands in the file of its category as well, beside its body and its
// documentation, for elements that need not be `Sendable`; the scheduler is confined to a thread there.
//
// The compiler prefers the forms here, because their protocol refines the other one, and takes the others
// if the elements are not `Sendable`. It would not try the others if the forms here were generic. So a main
// scheduler, which is confined in code of the main actor only, takes `Sendable` elements everywhere.
// `unsafelyConfined` is safe here because of the elements.

extension ThreadCrossingSequenceType where Trait: UnscheduledTrait, Element: Sendable {
  private var confined: ConfinedSequence<Self> { ConfinedSequence(base: self) }

  /// Forwards every event through `scheduler`, in order.
  public func observe(on scheduler: any ImmediateSchedulerType) -> SameSequence {
    confined.observe(on: scheduler.unsafelyConfined)
  }

  /// Subscribes to the source on `scheduler`, and disposes that subscription there.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> SameSequence {
    confined.subscribe(on: scheduler.unsafelyConfined)
  }

  /// Subscribes to the source on `scheduler`, when `dueTime` has passed.
  public func delaySubscription(_ dueTime: Duration, scheduler: any SchedulerType) -> SameSequence {
    confined.delaySubscription(dueTime, scheduler: scheduler.unsafelyConfined)
  }

  /// Emits every element `dueTime` later, at the same intervals.
  public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> SameSequence {
    confined.delay(dueTime, scheduler: scheduler.unsafelyConfined)
  }

  /// Switches to `other` when no element has been emitted for `dueTime`; by default, fails then with
  /// `RxError.timeout`.
  public func timeout(
    _ dueTime: Duration, other: SameSequence = Self.error(RxError.timeout),
    scheduler: any SchedulerType
  ) -> SameSequence
  where Trait.Failure == any Error, SameSequence: ObservableConvertibleType<Element> {
    confined.timeout(dueTime, other: other, scheduler: scheduler.unsafelyConfined)
  }

  /// One element, then completion.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> SameSequence
  where Trait: ElementTrait { _wrap(.from([element], scheduler: scheduler)) }
}

extension ThreadCrossingSequenceType
where Trait: MultiElementTrait & UnscheduledTrait, Element: Sendable {
  /// Emits an element once no other has followed it for `dueTime`; at completion, the pending one.
  public func debounce(_ dueTime: Duration, scheduler: any SchedulerType) -> SameSequence {
    confined.debounce(dueTime, scheduler: scheduler.unsafelyConfined)
  }

  /// Emits an element at once unless one was emitted less than `dueTime` ago; the latest element that
  /// came too early follows when that time is over.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> SameSequence {
    confined.throttle(dueTime, latest: latest, scheduler: scheduler.unsafelyConfined)
  }

  /// Emits until `duration` has passed, then completes.
  public func take(for duration: Duration, scheduler: any SchedulerType) -> SameSequence {
    confined.take(for: duration, scheduler: scheduler.unsafelyConfined)
  }

  /// The elements given, in order, then completion.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType
  ) -> SameSequence { from(elements, scheduler: scheduler) }

  /// The elements of a Swift sequence, in order, then completion.
  public static func from(
    _ elements: any Sequence<Element> & Sendable, scheduler: any ImmediateSchedulerType
  ) -> SameSequence {
    _wrap(.unfold(on: scheduler, from: { elements.makeIterator() }) { $0.next() })
  }

  /// The value of an optional, if there is one, then completion.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> SameSequence {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }
}

extension ThreadCrossingSequenceType where Trait == ObservableTrait, Element: Sendable {
  /// Emits the elements of each `timeSpan` as an array, or earlier when there are `count` of them.
  public func buffer(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    confined.buffer(timeSpan: timeSpan, count: count, scheduler: scheduler.unsafelyConfined)
  }

  /// Emits the elements of each `timeSpan` as an observable of their own.
  public func window(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    confined.window(timeSpan: timeSpan, count: count, scheduler: scheduler.unsafelyConfined)
  }

  /// Switches to `other`, of any kind, when no element has been emitted for `dueTime`.
  @_disfavoredOverload public func timeout(
    _ dueTime: Duration, other: any ObservableConvertibleType<Element>, scheduler: any SchedulerType
  ) -> Observable<Element> {
    confined.timeout(dueTime, other: other.asObservable(), scheduler: scheduler.unsafelyConfined)
  }

  /// Emits one element repeatedly, without end.
  public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    .unfold(on: scheduler, from: {}) { _ in element }
  }

  /// Emits a state, then the result of `iterate` for it, and so on, while `condition` is true; then
  /// completes.
  public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType, iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> {
    ConfinedSequence<Self>.generate(
      initialState: initialState, condition: condition, scheduler: scheduler.unsafelyConfined,
      iterate: iterate)
  }
}

/// A sequence for the operators that take a confined scheduler.
private struct ConfinedSequence<Base: ObservableSequenceType>: ObservableSequenceType {
  typealias Element = Base.Element
  typealias Trait = Base.Trait
  typealias SameSequence = Base.SameSequence

  let base: Base

  static func _wrap(_ source: Observable<Element>) -> SameSequence { Base._wrap(source) }

  func asObservable() -> Observable<Element> { base.asObservable() }
}
