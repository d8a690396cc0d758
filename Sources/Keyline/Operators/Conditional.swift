extension ObservableType {
  /// Emits `element` if the source completes without having emitted anything.
  ///
  /// - SeeAlso: ReactiveX
  ///   [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html).
  public func ifEmpty(default element: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(element))
  }

  /// Goes on with `other` if the source completes without having emitted anything.
  ///
  /// - Timing: `other` is subscribed to when the source completes.
  /// - SeeAlso: ReactiveX
  ///   [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html).
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    stage { source, downstream, context in
      var isEmpty = true
      source.run(
        in: context.child(),
        next: { element in
          isEmpty = false
          downstream.next(element)
        },
        terminate: { error in
          guard isEmpty, error == nil else { return downstream.terminate(error) }
          other.run(downstream, in: context)
        })
    }
  }

  /// Emits what the first of the two to say anything says, and leaves the other.
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

  /// Emits what the first of `sequence` to say anything says, and leaves all others.
  ///
  /// - Timing: they are subscribed to in order; once one has emitted or terminated inside
  ///   `subscribe`, the rest are not subscribed to at all. A termination counts as well. None of
  ///   nothing ever emits.
  /// - SeeAlso: ReactiveX [Amb](https://reactivex.io/documentation/operators/amb.html).
  public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let sources = Array(sequence)
    return Source { downstream, context in
      let junction = Junction(context)
      let contexts = sources.map { _ in context.child() }
      var winner: Int?
      func isWon(by index: Int) -> Bool {
        if winner == nil {
          winner = index
          for (other, context) in contexts.enumerated() where other != index { context.dispose() }
        }
        return winner == index
      }
      Trampoline.run {
        for (index, source) in sources.enumerated() where contexts[index].isActive {
          junction.follow(
            source, in: contexts[index], next: { if isWon(by: index) { downstream.next($0) } },
            terminate: { if isWon(by: index) { downstream.terminate($0) } })
        }
      }
    }
  }
}
