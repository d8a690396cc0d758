extension ObservableSequenceType {
  /// Emits `element` if the source completes without having emitted an element.
  ///
  /// - SeeAlso: ReactiveX
  ///   [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html).
  public func ifEmpty(default element: Element) -> SameSequence where Trait: MultiElementTrait {
    Self._wrap(asObservable().ifEmpty(switchTo: .just(element)))
  }

  /// Continues with `other` if the source completes without having emitted an element.
  ///
  /// - Timing: `other` is subscribed to when the source completes.
  /// - SeeAlso: ReactiveX
  ///   [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html).
  public func ifEmpty(switchTo other: SameSequence) -> SameSequence
  where
    Trait: ElementTrait, Trait.Filtered == Trait,
    SameSequence: ObservableConvertibleType<Element>
  {
    let filled = asObservable().stage { source, downstream, context in
      var isEmpty = true
      source.run(
        in: context.child(),
        next: { element in
          isEmpty = false
          downstream.next(element)
        },
        terminate: { error in
          guard isEmpty, error == nil else { return downstream.terminate(error) }
          other.asObservable().run(downstream, in: context)
        })
    }
    return Self._wrap(filled)
  }
}

extension ObservableType {
  /// Emits the events of the sequence that is first to emit or terminate, and disposes the other one.
  ///
  ///     left   -----1--2--|
  ///     right  ---3----4----|
  ///     output ---3----4----|
  ///
  /// - SeeAlso: ReactiveX [Amb](https://reactivex.io/documentation/operators/amb.html).
  public func amb<Other: ObservableType>(_ right: Other) -> Observable<Element>
  where Other.Element == Element {
    .amb([asObservable(), right.asObservable()])
  }

  /// Emits the events of the sequence that is first to emit or terminate, and disposes all others.
  ///
  /// - Timing: they are subscribed to in order; once one has emitted or terminated inside
  ///   `subscribe`, the rest are not subscribed to at all. An empty `sequence` never emits.
  /// - SeeAlso: ReactiveX [Amb](https://reactivex.io/documentation/operators/amb.html).
  public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let sources = Array(sequence)
    return _Source { downstream, context in
      let upstreams = UpstreamSerializer(context)
      let contexts = sources.map { _ in context.child() }
      var winner: Int?
      func isWon(by index: Int) -> Bool {
        if winner == nil {
          winner = index
          for (other, context) in contexts.enumerated() where other != index { context.dispose() }
        }
        return winner == index
      }
      Trampoline.perform {
        for (index, source) in sources.enumerated() where contexts[index].isActive {
          upstreams.subscribe(
            to: source, in: contexts[index],
            next: { if isWon(by: index) { downstream.next($0) } },
            terminate: { if isWon(by: index) { downstream.terminate($0) } })
        }
      }
    }
  }
}
