import KeylineCore

extension Observable {
  /// What `selector` returns for a subject, to which this observable is fed when that has been
  /// subscribed to: for operators with several sources, all of them this one.
  func shared<Result>(
    _ selector: @escaping (Observable<Element>) -> Observable<Result>
  ) -> Observable<Result> {
    _Source { observer, context in
      let subject = PublishSubject<Element>()
      selector(subject).run(observer, in: context)
      context.add(Disposables.create { withExtendedLifetime(subject) {} })
      guard context.isActive else { return }
      self.run(
        in: context.child(), next: { subject.onNext($0) },
        terminate: { subject.on($0.map(Event.error) ?? .completed) })
    }
  }
}
