import Keyline
import TestSupport

/// How a domain observes and binds its objects.
extension ThreadDomain {
  // MARK: Subscriptions

  private func place(
    _ disposable: any Disposable, _ followed: Followed, slot: Int, inBag: Bool = false
  ) {
    self.followed.append(followed)
    if case .bag = subscriptions[slot]?.handle { dispose(slot) }
    subscriptions[slot] = Subscription(
      handle: inBag ? .bag(DisposeBag(disposing: disposable)) : .disposable(disposable),
      followed: followed)
  }

  func observe(
    _ observation: PartObservation, _ part: Part, slot: Int, inBag: Bool,
    keeping other: Part?, then operation: ThreadProgram.Operation?
  ) {
    // An older one, so that there are no cycles of strong references.
    let kept = other.flatMap { $0.id < part.id ? $0 : nil }
    let history = histories[part.id]
    let record = ThreadRecord(
      "\(observation) of part \(part.id)", arrivesAnywhere: observation.arrivesAnywhere)
    let followed = FollowedPart(observation, history, record, isBatched: batchLevel > 0)
    // The next value on this thread, but for the first one, runs the operation.
    var reaction: ThreadProgram.Operation?
    let disposable = observation.subscribe(to: part, record) { [weak self] in
      withExtendedLifetime(kept) {}
      guard let self, !isChecking, let operation = reaction.take() else { return }
      run(operation)
    }
    reaction = operation
    history.noteRegistration()
    place(disposable, followed, slot: slot, inBag: inBag)
  }

  func followedArray(_ slot: Int) -> FollowedArray? {
    arrays[slot].flatMap { array in followedArrays.last { $0.array === array } }
  }

  func observe(_ observation: ArrayObservation, _ array: FollowedArray, slot: Int) {
    guard let source = array.array else { return }
    let name = "\(observation) of an array"
    switch observation {
    case .changes:
      let followed = FollowedCopy(name) { [weak array] in array?.array == nil }
      place(followed.start(source), followed, slot: slot)
    case .count, .elements:
      let followed = FollowedElements(name, array, observation)
      place(followed.start(source), followed, slot: slot)
    }
  }

  func observe(_ view: LiveArray<Part>, slot: Int) {
    guard let seen = followedViews.last(where: { $0.view === view }) else { return }
    let followed = FollowedCopy("view \(seen.kind)") { [weak seen] in
      seen?.view == nil || seen?.array == nil
    }
    place(followed.start(view), followed, slot: slot)
  }

  func dispose(_ slot: Int) { end(slot)?.record.close() }

  /// Disposes a subscription, or releases its bag.
  private func end(_ slot: Int) -> Followed? {
    guard let subscription = subscriptions[slot].take() else { return nil }
    subscription.followed.isEnded = true
    if case .disposable(let disposable) = subscription.handle { disposable.dispose() }
    return subscription.followed
  }

  // MARK: Bindings and rules

  func bind(_ kind: Connection, _ source: Part, _ target: Part, slot: Int) {
    let ends = (histories[source.id], histories[target.id])
    guard source !== target, ends.1.connect(kind), kind != .twoWay || ends.0.connect(kind) else {
      return
    }
    let binding = FollowedBinding(kind, source, target)
    bindings[slot] = binding
    _ = binding.start()
    followed.append(binding)
    ends.0.noteRegistration()
    ends.1.noteRegistration()
  }

  func unbind(_ slot: Int) {
    guard let binding = bindings[slot].take() else { return }
    binding.isDisposed = true
    binding.binding.dispose()
  }

  func addRule(to part: Part, slot: Int) {
    removeRule(slot)
    let history = histories[part.id]
    let validation = part.validate(\.limited) { _, value in
      Part.admits(value) ? .valid : .rejected(Failure())
    }
    // Without an observer of the results, a refusal is reported.
    _ = validation.results.subscribe()
    history.rules += 1
    rules[slot] = Rule(validation: validation, history: history)
  }

  func removeRule(_ slot: Int) {
    guard let rule = rules[slot].take() else { return }
    rule.validation.dispose()
    rule.history.rules -= 1
  }
}
