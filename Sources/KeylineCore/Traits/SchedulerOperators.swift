// The operators of traits that take a scheduler, or use the scheduler of the trait.

extension ObservableSequenceType
where Trait: UnscheduledTrait, SameSequence == TraitSequence<Trait, Element> {
  /// Switches to `other` when no element has been emitted for `dueTime`.
  public func timeout(
    _ dueTime: Duration, other: SameSequence,
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    SameSequence(asObservable().timeout(dueTime, other: other, scheduler: scheduler))
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
