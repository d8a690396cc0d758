// By default, sequences take turns on the thread's trampoline, one element a turn. Events have the
// same order as with RxSwift's default, `CurrentThreadScheduler.instance`, also where sequences are
// nested or combined. Each operator has two forms, as in Utility.swift: elements need not be `Sendable`
// for a scheduler that cannot leave its thread.

extension ObservableType {
  /// The elements that `next` returns while it updates a state, until it returns nil; in turns on
  /// this thread or, with another scheduler, every event in an action of its own.
  ///
  /// - Parameter initial: called once per subscription.
  @inlinable static func unfold<State>(
    on scheduler: any ImmediateSchedulerType, from initial: @escaping () -> State,
    named name: StaticString = #function, _ next: @escaping (inout State) throws -> Element?
  ) -> Observable<Element> {
    _Source(name) { observer, context in
      var state = initial()
      let step = {
        do {
          if let element = try next(&state) {
            observer.next(element)
            return context.isActive
          }
          observer.terminate(nil)
        } catch { observer.terminate(error) }
        return false
      }
      if !(scheduler is CurrentThreadScheduler) {
        return context.add(
          scheduler.scheduleRecursive(()) { if context.isActive, step() { $1(()) } })
      }
      Trampoline.enqueue { context.isActive && step() }
    }
  }
}

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
  /// The elements given, in order, on a scheduler that cannot leave its thread, then completion.
  ///
  /// - Timing: by default inside `subscribe`, taking turns with other sequences subscribed to on this
  ///   thread; with another scheduler, one action per event.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable public static func of(
    _ elements: Element...,
    scheduler: any ThreadConfinedSchedulerType = CurrentThreadScheduler.instance
  ) -> SameSequence {
    from(elements, scheduler: scheduler)
  }

  /// The elements of a Swift sequence, in order, on a scheduler that cannot leave its thread, then
  /// completion.
  ///
  /// - Timing: by default inside `subscribe`, taking turns with other sequences subscribed to on this
  ///   thread; with another scheduler, one action per event. The sequence may be infinite if something
  ///   downstream ends the subscription.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable public static func from<Elements: Sequence>(
    _ elements: Elements,
    scheduler: any ThreadConfinedSchedulerType = CurrentThreadScheduler.instance
  ) -> SameSequence where Elements.Element == Element {
    _wrap(.unfold(on: scheduler, from: elements.makeIterator) { $0.next() })
  }

  /// The value of an optional, if there is one, then completion.
  ///
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable public static func from(optional: Element?) -> SameSequence {
    _wrap(optional.map(Observable.just) ?? .empty())
  }

  /// The value of an optional, if there is one, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  public static func from(
    optional: Element?, scheduler: any ThreadConfinedSchedulerType
  ) -> SameSequence {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }
}

extension ObservableSequenceType where Trait: ElementTrait & UnscheduledTrait {
  /// One element, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  /// - SeeAlso: ReactiveX [Just](https://reactivex.io/documentation/operators/just.html).
  public static func just(
    _ element: Element, scheduler: any ThreadConfinedSchedulerType
  ) -> SameSequence {
    _wrap(.from([element], scheduler: scheduler))
  }
}

extension ObservableSequenceType where Trait == ObservableTrait {
  /// Emits one element repeatedly, without end, on a scheduler that cannot leave its thread.
  ///
  /// - Timing: as `from(_:scheduler:)`.
  /// - SeeAlso: ReactiveX [Repeat](https://reactivex.io/documentation/operators/repeat.html).
  @inlinable public static func repeatElement(
    _ element: Element,
    scheduler: any ThreadConfinedSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    .unfold(on: scheduler, from: {}) { _ in element }
  }

  /// Emits a state, then the result of `iterate` for it, and so on, while `condition` is true; then
  /// completes.
  ///
  /// ```swift
  /// let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
  /// _ = powers.subscribe(onNext: { print($0) })
  /// ```
  /// ```text
  /// 1
  /// 3
  /// 9
  /// ```
  ///
  /// - Timing: as `from(_:scheduler:)`. A state is computed when its turn comes.
  /// - Errors: an error thrown by either closure ends the sequence.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  @inlinable public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    scheduler: any ThreadConfinedSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> {
    .unfold(on: scheduler, from: { Element?.none }) { latest in
      let state = try latest.map(iterate) ?? initialState
      latest = state
      return try condition(state) ? state : nil
    }
  }
}

extension ObservableType where Element: FixedWidthInteger {
  /// `count` integers from `start` upwards, then completion.
  ///
  /// - Timing: as `from(_:scheduler:)`.
  /// - Parameter count: how many. A negative number, or one that exceeds the greatest integer, is
  ///   reported as misuse; the sequence is empty, or ends there.
  /// - SeeAlso: ReactiveX [Range](https://reactivex.io/documentation/operators/range.html).
  @inlinable public static func range(
    start: Element, count: Element,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    let count = clamped(count, from: start)
    return unfold(on: scheduler, from: { 0 as Element }) { emitted in
      guard emitted < count else { return nil }
      emitted &+= 1
      return start &+ (emitted &- 1)
    }
  }

  /// `count` limited to the range of the integers.
  @usableFromInline static func clamped(_ count: Element, from start: Element) -> Element {
    if count > 0, !start.addingReportingOverflow(count - 1).overflow { return count }
    if count == 0 { return 0 }
    Diagnostics.report(.misuse, "range(start: \(start), count: \(count)) cannot be counted")
    return count > 0 ? .max - start + 1 : 0
  }
}
