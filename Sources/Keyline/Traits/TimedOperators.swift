// The operators that take a scheduler, as in TraitOperators.swift, but for those of
// ``ReschedulableType``, which know no traits. Those that hop threads ask for `Sendable` elements,
// except onto the main thread.

extension TraitSequence: ReschedulableType where Trait: UnscheduledTrait {
  public typealias Kept = TraitSequence
}

extension TraitSequenceType where Trait: UnscheduledTrait {
  public static func keeping(_ source: Observable<Element>) -> Same { Same(source) }

  /// Leaves the source for `other` when no element has come for `dueTime`.
  // Proof of the attribute, here and below: without it the overload for the main scheduler would be
  // ambiguous.
  @_disfavoredOverload public func timeout(
    _ dueTime: Duration, other: Same, scheduler: any SchedulerType
  ) -> Same where Element: Sendable {
    Same(source.timeout(dueTime, other: other, scheduler: scheduler))
  }

  /// Leaves the source for `other`, on the main queue, when no element has come for `dueTime`.
  public func timeout(_ dueTime: Duration, other: Same, scheduler: MainScheduler) -> Same {
    Same(source.timeout(dueTime, other: other, scheduler: scheduler))
  }
}

extension TraitSequenceType where Trait: UnfailingTrait & UnscheduledTrait {
  /// Leaves out what comes within a time.
  public func skip(for duration: Duration, scheduler: any SchedulerType) -> Same {
    Same(source.skip(for: duration, scheduler: scheduler))
  }

  /// The elements of a Swift sequence, on `scheduler`, then completion.
  public static func from<Elements: Sequence & Sendable>(
    _ elements: Elements, scheduler: any ImmediateSchedulerType
  ) -> Same where Elements.Element == Element, Element: Sendable {
    Same(.from(elements, scheduler: scheduler))
  }

  /// The elements given, on `scheduler`, then completion.
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType
  ) -> Same where Element: Sendable {
    from(elements, scheduler: scheduler)
  }
}

extension TraitSequenceType where Trait: SharingStrategyProtocol {
  /// Emits an element once nothing has followed it for `dueTime`.
  public func debounce(_ dueTime: Duration) -> Same {
    Same(source.debounced(for: dueTime, on: Trait.scheduler))
  }

  /// Emits an element unless one was emitted less than `dueTime` ago; the latest of those that came
  /// too early follows.
  public func throttle(_ dueTime: Duration, latest: Bool = true) -> Same {
    Same(source.throttled(for: dueTime, latest: latest, on: Trait.scheduler))
  }

  /// Emits everything later, at the same distances.
  public func delay(_ dueTime: Duration) -> Same {
    Same(source.delayed(by: dueTime, on: Trait.scheduler))
  }

  /// Counts up from 0, one element per `period`, the first after one period. Never ends.
  public static func interval(_ period: Duration) -> Same
  where Element: FixedWidthInteger & Sendable {
    Same(.interval(period, scheduler: Trait.scheduler))
  }

  /// 0 after `dueTime`, then one number per `period`. Never ends.
  public static func timer(
    _ dueTime: Duration, period: Duration
  ) -> Same where Element: FixedWidthInteger & Sendable {
    Same(.timer(dueTime, period: period, scheduler: Trait.scheduler))
  }
}
