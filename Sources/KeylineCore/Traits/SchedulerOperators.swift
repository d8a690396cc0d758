// The operators of drivers and signals that use the scheduler of the trait.

extension TraitSequenceType where Trait: SharingStrategyProtocol {
  /// The elements given, in order, then completion.
  ///
  /// - Timing: as `from`.
  public static func of(_ elements: Element...) -> SameSequence { from(elements) }

  /// The elements of a Swift sequence, in order, then completion.
  ///
  /// - Timing: every event in an action of its own, the first of them synchronously if no other is pending
  ///   on the main thread.
  public static func from(_ elements: some Sequence<Element>) -> SameSequence {
    SameSequence(raw: .unfold(on: Trait.scheduler, from: elements.makeIterator) { $0.next() })
  }

  /// The value of an optional, if there is one, then completion.
  ///
  /// - Timing: as `from`.
  public static func from(optional: Element?) -> SameSequence { from(optional.map { [$0] } ?? []) }

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
