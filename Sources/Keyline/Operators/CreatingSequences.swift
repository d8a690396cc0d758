// Without a scheduler, sequences take turns on the thread's trampoline, one element a turn: the order
// of events is what RxSwift's default, `CurrentThreadScheduler.instance`, gives, also where sequences
// are nested or combined. But a sequence that finds nobody waiting goes on in a plain loop, so that
// an element costs no scheduling. Hence no default argument: with a scheduler these are functions of
// their own, which ask for elements that may change threads.

extension ObservableType {
  /// What `makeNext` returns: called once per subscription, its result once per element, until that
  /// is nil.
  @inlinable
  static func pulled(_ makeNext: @escaping () -> () throws -> Element?) -> Observable<Element> {
    Source { observer, context in
      let next = makeNext()
      Trampoline.add { others in
        repeat {
          guard context.isActive else { return false }
          do {
            guard let element = try next() else {
              observer.terminate(nil)
              return false
            }
            observer.next(element)
          } catch {
            observer.terminate(error)
            return false
          }
        } while others.pointee.isEmpty
        return true
      }
    }
  }

  /// As `pulled(_:)`, every element and the termination in an action of its own on `scheduler`.
  @usableFromInline
  static func pulled(
    on scheduler: any ImmediateSchedulerType, _ makeNext: @escaping () -> () throws -> Element?
  ) -> Observable<Element> {
    Source { observer, context in
      let (next, action) = (makeNext(), SerialDisposable())
      context.add(action)
      func schedule() {
        // Held before it is scheduled: it may run, and schedule the next, before that returns.
        let step = SingleAssignmentDisposable()
        action.disposable = step
        step.setDisposable(
          scheduler.schedule(()) { _ in
            if context.isActive, emit() { schedule() }
            return Disposables.create()
          })
      }
      func emit() -> Bool {
        do {
          guard let element = try next() else {
            observer.terminate(nil)
            return false
          }
          observer.next(element)
          return true
        } catch {
          observer.terminate(error)
          return false
        }
      }
      schedule()
    }
  }

  /// The elements given, in order, then completion.
  ///
  /// - Timing: inside `subscribe`, taking turns with other sequences subscribed to on this thread.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable
  public static func of(_ elements: Element...) -> Observable<Element> { from(elements) }

  /// The elements given, in order, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  @inlinable
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Element: Sendable {
    from(elements, scheduler: scheduler)
  }

  /// The elements of a Swift sequence, in order, then completion.
  ///
  /// - Timing: inside `subscribe`, taking turns with other sequences subscribed to on this thread;
  ///   the sequence may be infinite if something downstream ends the subscription.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable
  public static func from<Elements: Sequence>(_ elements: Elements) -> Observable<Element>
  where Elements.Element == Element {
    pulled {
      var iterator = elements.makeIterator()
      return { iterator.next() }
    }
  }

  /// The elements of a Swift sequence, in order, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  public static func from<Elements: Sequence & Sendable>(
    _ elements: Elements, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Elements.Element == Element, Element: Sendable {
    pulled(on: scheduler) {
      var iterator = elements.makeIterator()
      return { iterator.next() }
    }
  }

  /// The value of an optional, if there is one, then completion.
  ///
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  @inlinable
  public static func from(optional: Element?) -> Observable<Element> {
    optional.map(just) ?? .empty()
  }

  /// The value of an optional, if there is one, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Element: Sendable {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }

  /// One element, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  /// - SeeAlso: ReactiveX [Just](https://reactivex.io/documentation/operators/just.html).
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Element: Sendable {
    from([element], scheduler: scheduler)
  }

  /// One element, again and again, for ever.
  ///
  /// - Timing: as ``from(_:)``.
  /// - SeeAlso: ReactiveX [Repeat](https://reactivex.io/documentation/operators/repeat.html).
  @inlinable
  public static func repeatElement(_ element: Element) -> Observable<Element> {
    pulled { { element } }
  }

  /// One element, again and again, for ever.
  ///
  /// - Timing: on `scheduler`, one action per element.
  public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Element: Sendable {
    pulled(on: scheduler) { { element } }
  }

  /// A state, and what `iterate` makes of it, and so on, while `condition` holds; then completion.
  ///
  /// ```swift
  /// Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })   // 1 3 9
  /// ```
  ///
  /// - Timing: as ``from(_:)``. A state is computed when its turn comes.
  /// - Errors: an error thrown by either closure ends the sequence.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  @inlinable
  public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> {
    pulled { states(from: initialState, while: condition, iterate) }
  }

  /// A state, and what `iterate` makes of it, and so on, while `condition` holds; then completion.
  ///
  /// - Timing: on `scheduler`, one action per event. The closures are called there.
  public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType, iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> where Element: Sendable {
    pulled(on: scheduler) { states(from: initialState, while: condition, iterate) }
  }

  @inlinable
  static func states(
    from initialState: Element, while condition: @escaping (Element) throws -> Bool,
    _ iterate: @escaping (Element) throws -> Element
  ) -> () throws -> Element? {
    var (state, isFirst) = (initialState, true)
    return {
      if isFirst { isFirst = false } else { state = try iterate(state) }
      return try condition(state) ? state : nil
    }
  }
}

extension ObservableType where Element: FixedWidthInteger {
  /// `count` integers from `start` upwards, then completion.
  ///
  /// - Timing: as ``from(_:)``.
  /// - Parameter count: how many. A negative number, or one that leads past the greatest integer, is
  ///   reported as misuse; the sequence is empty, or ends there.
  /// - SeeAlso: ReactiveX [Range](https://reactivex.io/documentation/operators/range.html).
  @inlinable
  public static func range(start: Element, count: Element) -> Observable<Element> {
    let count = clamped(count, from: start)
    return pulled { integers(from: start, count: count) }
  }

  /// `count` integers from `start` upwards, then completion.
  ///
  /// - Timing: on `scheduler`, one action per event.
  public static func range(
    start: Element, count: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Element: Sendable {
    let count = clamped(count, from: start)
    return pulled(on: scheduler) { integers(from: start, count: count) }
  }

  @inlinable
  static func integers(from start: Element, count: Element) -> () -> Element? {
    var emitted: Element = 0
    return {
      guard emitted < count else { return nil }
      defer { emitted &+= 1 }
      return start &+ emitted
    }
  }

  /// As much of `count` as makes sense.
  @usableFromInline
  static func clamped(_ count: Element, from start: Element) -> Element {
    if count > 0, !start.addingReportingOverflow(count - 1).overflow { return count }
    if count == 0 { return 0 }
    Diagnostics.report(.misuse, "range(start: \(start), count: \(count)) cannot be counted")
    return count > 0 ? .max - start + 1 : 0
  }
}
