import Keyline
import KeylineCore

/// The ways to observe a part, and the law that each one's values obey.
enum PartObservation: String, CaseIterable, Codable, Sendable {
  // Stored properties.
  case number, numberLater, projection, changes, announced, list, friend, friendChanges, next
  case limited, copy, twin, followed, reached
  // Computed and derived values.
  case sum, pair, path, weakPath, doubled, ofFriend, total, deep, derivedFriend
  // Chains.
  case weakChain, strongChain, longChain, crossedChain, chainToDerived, chainChanges, named
  case changeSets, deallocating, deallocated

  enum Law {
    /// Every value in the order of the sets, without a gap (P2, P3).
    case exact(KeyPath<PartHistory, [Expected]>)
    /// As above, with one nil for the death of an object (D23).
    case weak
    /// The last value is the current one (P4).
    case settled((Part) -> ThreadRecord.Value)
    /// As above, and a value is never repeated (D5).
    case distinct((Part) -> ThreadRecord.Value)
    /// As above; only nil is never repeated, and it comes before the completion.
    case chain((Part) -> ThreadRecord.Value)
    /// The last change is the current value, if the property was set at all.
    case changeSets
    /// One element, with the completion.
    case death
  }

  var law: Law {
    switch self {
    case .number, .numberLater, .projection, .changes, .announced: .exact(\.numbers)
    case .list: .exact(\.list)
    case .next: .exact(\.nexts)
    case .friend, .friendChanges: .weak
    case .limited: .settled { $0.limited }
    case .copy: .settled { $0.copy }
    case .twin: .settled { $0.twin }
    case .followed: .settled { $0.followed }
    case .reached: .settled { $0.reached }
    case .sum: .settled { $0.number + ($0.friend?.number ?? -1) }
    case .pair: .settled { $0.number + ($0.friend?.id ?? -1) }
    case .path: .settled { $0.next?.number }
    case .weakPath: .settled { $0.friend?.number }
    case .doubled: .distinct { $0.number * 2 }
    case .ofFriend: .distinct { $0.naiveOfFriend }
    case .total: .distinct { $0.naiveTotal }
    case .deep: .distinct { $0.naiveDeep }
    case .derivedFriend: .distinct { $0.friend?.id }
    case .weakChain, .chainChanges, .named: .chain { $0.friend?.number }
    case .strongChain: .chain { $0.next?.number }
    case .longChain: .chain { $0.next?.friend?.number }
    case .crossedChain: .chain { $0.friend?.next?.number }
    case .chainToDerived: .chain { $0.friend.map(\.naiveOfFriend) }
    case .changeSets: .changeSets
    case .deallocating, .deallocated: .death
    }
  }

  /// Whether the current value is emitted at first.
  var isInitial: Bool {
    switch self {
    case .numberLater, .announced, .changeSets, .deallocating, .deallocated: false
    default: true
    }
  }

  /// Whether values may arrive on another thread, when the object dies there.
  var arrivesAnywhere: Bool {
    switch law {
    case .chain, .death: true
    default: false
    }
  }

  /// - Parameter then: called after each value that is recorded on the domain's thread.
  func subscribe(
    to part: Part, _ record: ThreadRecord, then: @escaping () -> Void = {}
  ) -> any Disposable {
    switch self {
    case .number: record.follow(part.observe(\.number), then: then) { $0 }
    case .numberLater: record.follow(part.observe(\.number, options: .new), then: then) { $0 }
    case .projection: record.follow(part.$number, then: then) { $0 }
    case .changes:
      record.follow(
        part.observeChanges(\.number, options: [.initial, .old, .new]).gapFree(record),
        then: then
      ) { $0 }
    case .announced:
      record.follow(
        part.observeChanges(\.number, options: [.prior, .old, .new])
          .gapFree(record) { [weak part] in part?.number },
        then: then
      ) { $0 }
    case .list: record.follow(part.observe(\.list), then: then) { $0.last }
    case .friend: record.follow(part.observe(\.friend), then: then) { $0?.id }
    case .friendChanges:
      record.follow(
        part.observeChanges(\.friend, options: [.initial, .old, .new]), then: then
      ) { $0.new??.id }
    case .next: record.follow(part.observe(\.next), then: then) { $0?.id }
    case .limited: record.follow(part.observe(\.limited), then: then) { $0 }
    case .copy: record.follow(part.observe(\.copy), then: then) { $0 }
    case .twin: record.follow(part.observe(\.twin), then: then) { $0 }
    case .followed: record.follow(part.observe(\.followed), then: then) { $0 }
    case .reached: record.follow(part.observe(\.reached), then: then) { $0 }
    case .sum: record.follow(part.observe(\.sum), then: then) { $0 }
    case .pair: record.follow(part.observe(\.number, \.friend), then: then) { $0 + ($1?.id ?? -1) }
    case .path: record.follow(part.observe(\.next?.number), then: then) { $0 }
    case .weakPath: record.follow(part.observe(\.friend?.number), then: then) { $0 }
    case .doubled: record.follow(part.observe(\.doubled), then: then) { $0 }
    case .ofFriend: record.follow(part.observe(\.ofFriend), then: then) { $0 }
    case .total: record.follow(part.observe(\.total), then: then) { $0 }
    case .deep: record.follow(part.observe(\.deep), then: then) { $0 }
    case .derivedFriend: record.follow(part.observe(\.derivedFriend), then: then) { $0?.id }
    case .weakChain: record.follow(part.observeWeakly { $0.friend.number }, then: then) { $0 }
    case .strongChain: record.follow(part.observeWeakly { $0.next.number }, then: then) { $0 }
    case .longChain: record.follow(part.observeWeakly { $0.next.friend.number }, then: then) { $0 }
    case .crossedChain:
      record.follow(part.observeWeakly { $0.friend.next.number }, then: then) { $0 }
    case .chainToDerived:
      record.follow(part.observeWeakly { $0.friend.ofFriend }, then: then) { $0 }
    case .chainChanges:
      record.follow(
        part.observeChanges(options: [.initial, .old, .new]) { $0.friend.number }, then: then
      ) { $0.new }
    case .named:
      record.follow(
        (try? part.observeWeakly(Int.self, "friend.number")).map { $0 } ?? .empty(), then: then
      ) { $0 }
    case .changeSets:
      record.follow(
        part.observeChangeSets().compactMap { set in
          set.first { $0.name == "number" }?.new as? Int
        }, then: then
      ) { $0 }
    case .deallocating: record.follow(part.deallocating, then: then) { 1 }
    case .deallocated: record.follow(part.deallocated, then: then) { 1 }
    }
  }
}

extension Observable {
  /// The new values of changes; records a fault in `record` unless each change begins with the value
  /// that the last one ended with. Announcements, which have no new value, begin with the value that
  /// is stored, which may still be to be delivered; they are left out.
  fileprivate func gapFree(_ record: ThreadRecord, stored: @escaping () -> Int? = { nil })
    -> Observable<Int> where Element == PropertyChange<Int>
  {
    var last: Int?
    return compactMap { change in
      if let known = change.isPrior ? stored() : last, change.old != known {
        record.fault("P3: a change from \(change.old as Any) after \(known)")
      }
      if !change.isPrior { last = change.new }
      return change.isPrior ? nil : change.new
    }
  }
}
