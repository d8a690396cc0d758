// MARK: Debounce

extension ObservableType {
  /// Emits an element once nothing has followed it for `dueTime`; at completion, the one that waits.
  ///
  ///     source          -1-2-3-----4------5|
  ///     debounce(3)     --------3-----4---5|
  ///
  /// - Timing: on `scheduler`; at completion, on the thread that completes.
  /// - Errors: passed on at once; what waits is dropped.
  /// - Lifetime: retains the element that waits.
  /// - SeeAlso: ReactiveX [Debounce](https://reactivex.io/documentation/operators/debounce.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func debounce(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> where Element: Sendable {
    debounced(for: dueTime, on: scheduler)
  }

  /// `debounce(_:scheduler:)` for elements of any kind; the caller answers for the threads.
  func debounced(for dueTime: Duration, on scheduler: any SchedulerType) -> Observable<Element> {
    Debounced.output(of: asObservable(), dueTime, scheduler)
  }
}

private final class Debounced<Element> {
  private let downstream: AnyObserver<Element>
  private let timer = SerialDisposable()
  private let pending = Slot<Element>()
  private var generation = 0

  static func output(
    of source: Observable<Element>, _ dueTime: Duration, _ scheduler: any SchedulerType
  ) -> Observable<Element> {
    Source { downstream, context in
      let junction = Junction(context)
      let debounced = Debounced(downstream)
      context.add(debounced.timer)
      let expire = debounced.expire(generation:)
      let wait = { element in
        debounced.timer.disposable = scheduler.scheduleRelative(
          debounced.renew(with: element), dueTime: dueTime
        ) { generation in
          junction.pass(generation, to: expire)
          return Disposables.create()
        }
      }
      source.run(
        in: context.child(),
        next: { junction.pass($0, to: wait) },
        terminate: { junction.pass($0, to: debounced.terminate) }
      )
    }
  }

  private init(_ downstream: AnyObserver<Element>) { self.downstream = downstream }

  private func renew(with element: Element) -> Int {
    pending.store(element)
    generation += 1
    return generation
  }

  private func expire(generation: Int) {
    guard generation == self.generation, let element = pending.value else { return }
    pending.clear()
    downstream.next(element)
  }

  private func terminate(_ error: (any Error)?) {
    if error == nil { expire(generation: generation) }
    downstream.terminate(error)
  }
}

// MARK: Throttle

extension ObservableType {
  /// Emits an element at once unless one was emitted less than `dueTime` ago; then the latest of
  /// those that came too early follows when that time is over.
  ///
  ///     source                     -1-2-3-------4--|
  ///     throttle(4)                -1---3-------4--|
  ///     throttle(4, latest: false) -1-----------4--|
  ///
  /// - Timing: on the thread that emits, or on `scheduler`. A completion waits for what is due.
  /// - Errors: passed on at once; what waits is dropped.
  /// - Lifetime: retains the element that waits.
  /// - Parameters:
  ///   - dueTime: the least time between two elements.
  ///   - latest: whether an element that came too early is kept at all.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> where Element: Sendable {
    throttled(for: dueTime, latest: latest, on: scheduler)
  }

  /// `throttle(_:latest:scheduler:)` for elements of any kind; the caller answers for the threads.
  func throttled(
    for dueTime: Duration, latest: Bool, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable()
    return Source { downstream, context in
      let throttle = Throttle(downstream, context, dueTime, latest, scheduler)
      let junction = throttle.junction
      source.run(
        in: context.child(),
        next: { junction.pass($0, to: throttle.next) },
        terminate: { junction.pass($0, to: throttle.terminate) })
    }
  }
}

private final class Throttle<Element> {
  let junction: Junction
  private let downstream: AnyObserver<Element>
  private let dueTime: Duration
  private let keepsLatest: Bool
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  private let pending = Slot<Element>()
  private var lastSent: Duration?
  private var isComplete = false

  init(
    _ downstream: AnyObserver<Element>, _ context: SubscriptionContext, _ dueTime: Duration,
    _ keepsLatest: Bool, _ scheduler: any SchedulerType
  ) {
    junction = Junction(context)
    context.add(timer)
    (self.downstream, self.dueTime) = (downstream, dueTime)
    (self.keepsLatest, self.scheduler) = (keepsLatest, scheduler)
  }

  func next(_ element: Element) {
    let remaining = lastSent.map { $0 + dueTime - scheduler.now } ?? .zero
    guard remaining > .zero else { return send(element) }
    guard keepsLatest else { return }
    let isScheduled = pending.isFilled
    pending.store(element)
    guard !isScheduled else { return }
    timer.disposable = scheduler.scheduleRelative((), dueTime: remaining) { _ in
      self.junction.pass((), to: self.expire)
      return Disposables.create()
    }
  }

  private func send(_ element: Element) {
    pending.clear()
    downstream.next(element)
    lastSent = scheduler.now
  }

  private func expire() {
    if let element = pending.value { send(element) }
    if isComplete { downstream.terminate(nil) }
  }

  func terminate(_ error: (any Error)?) {
    if error == nil, pending.isFilled { isComplete = true } else { downstream.terminate(error) }
  }
}

// MARK: Sample

extension ObservableType {
  /// Emits, whenever `sampler` emits or completes, the latest element that has come since the last
  /// time, or else `defaultValue`.
  ///
  ///     source  --1--2-----3------|
  ///     sampler ------x--x---x------x
  ///     output  ------2------3------|
  ///
  /// - Timing: the source is subscribed to first. Completes when `sampler` emits or completes after
  ///   the source has; if `sampler` has completed before the source, never.
  /// - Errors: the first error of either side ends the output.
  /// - Lifetime: retains the latest element.
  /// - Parameter defaultValue: emitted when nothing new has come; nothing if it is nil.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func sample<Sampler: ObservableType>(
    _ sampler: Sampler, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let (source, sampler) = (asObservable(), sampler.asObservable())
    return Source { downstream, context in
      let junction = Junction(context)
      let sample = Sample(downstream, defaultValue: defaultValue)
      source.run(
        in: context.child(),
        next: { junction.pass($0, to: sample.latest.store) },
        terminate: { junction.pass($0, to: sample.sourceEnded) })
      guard context.isActive else { return }
      sampler.run(
        in: context.child(),
        next: { _ in junction.pass(nil, to: sample.take) },
        terminate: { junction.pass($0, to: sample.take) })
    }
  }
}

private final class Sample<Element> {
  let latest = Slot<Element>()
  private let downstream: AnyObserver<Element>
  private let defaultValue: Element?
  private var isAtEnd = false

  init(_ downstream: AnyObserver<Element>, defaultValue: Element?) {
    self.downstream = downstream
    self.defaultValue = defaultValue
  }

  func take(_ error: (any Error)?) {
    if error == nil, let element = latest.value ?? defaultValue {
      latest.clear()
      downstream.next(element)
    }
    if error != nil || isAtEnd { downstream.terminate(error) }
  }

  func sourceEnded(_ error: (any Error)?) {
    if error == nil { isAtEnd = true } else { downstream.terminate(error) }
  }
}
