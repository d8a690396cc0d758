// The operators that take a scheduler, as in TraitOperators.swift. The operators of
// ``ReschedulableType`` are declared in Operators, for observables and these traits alike. Operators
// that change threads require `Sendable` elements, except with a scheduler that cannot leave its thread.

extension TraitSequence: ReschedulableType where Trait: TraitCapability.Unscheduled {}

extension TraitSequenceType where Trait: TraitCapability.Unscheduled {
  /// Switches to `other` when no element has been emitted for `dueTime`.
  // Proof of the attribute: without it the two overloads would be ambiguous.
  @_disfavoredOverload public func timeout(
    _ dueTime: Duration, other: SameSequence, scheduler: any SchedulerType
  ) -> SameSequence where Element: Sendable {
    SameSequence(source.timeout(dueTime, other: other, scheduler: scheduler))
  }

  /// Switches to `other`, on a scheduler that cannot leave its thread, when no element has been
  /// emitted for `dueTime`.
  public func timeout(
    _ dueTime: Duration, other: SameSequence,
    scheduler: some SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    SameSequence(source.timeout(dueTime, other: other, scheduler: scheduler))
  }
}

extension TraitSequenceType where Trait: UnfailingTrait & TraitCapability.Unscheduled {
  /// The elements of a Swift sequence, on `scheduler`, then completion.
  @_disfavoredOverload public static func from<Elements: Sequence & Sendable>(
    _ elements: Elements, scheduler: any ImmediateSchedulerType
  ) -> SameSequence where Elements.Element == Element, Element: Sendable {
    SameSequence(.from(elements, scheduler: scheduler))
  }

  /// The elements of a Swift sequence, on a scheduler that cannot leave its thread, then completion.
  public static func from<Elements: Sequence>(
    _ elements: Elements, scheduler: some ThreadConfinedSchedulerType
  ) -> SameSequence where Elements.Element == Element {
    SameSequence(.from(elements, scheduler: scheduler))
  }

  /// The elements given, on `scheduler`, then completion.
  @_disfavoredOverload public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType
  ) -> SameSequence where Element: Sendable {
    from(elements, scheduler: scheduler)
  }

  /// The elements given, on a scheduler that cannot leave its thread, then completion.
  public static func of(
    _ elements: Element..., scheduler: some ThreadConfinedSchedulerType
  ) -> SameSequence {
    from(elements, scheduler: scheduler)
  }
}

extension TraitSequenceType where Trait: SharingStrategyProtocol {
  /// Emits an element once no other has followed it for `dueTime`.
  public func debounce(_ dueTime: Duration) -> SameSequence {
    SameSequence(source.debounce(dueTime, scheduler: Trait.scheduler.unsafelyConfined))
  }

  /// Emits an element unless one was emitted less than `dueTime` ago; the latest element that came too
  /// early follows.
  public func throttle(_ dueTime: Duration, latest: Bool = true) -> SameSequence {
    SameSequence(
      source.throttle(dueTime, latest: latest, scheduler: Trait.scheduler.unsafelyConfined))
  }

  /// Emits every element `dueTime` later, at the same intervals.
  public func delay(_ dueTime: Duration) -> SameSequence {
    SameSequence(source.delay(dueTime, scheduler: Trait.scheduler.unsafelyConfined))
  }

  /// Counts up from 0, one element per `period`, the first after one period. Never completes.
  public static func interval(_ period: Duration) -> SameSequence
  where Element: FixedWidthInteger {
    SameSequence(.interval(period, scheduler: Trait.scheduler))
  }

  /// 0 after `dueTime`, then one number per `period`. Never completes.
  public static func timer(
    _ dueTime: Duration, period: Duration
  ) -> SameSequence where Element: FixedWidthInteger {
    SameSequence(.timer(dueTime, period: period, scheduler: Trait.scheduler))
  }
}
