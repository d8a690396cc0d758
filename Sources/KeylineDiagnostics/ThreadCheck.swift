import Keyline
import Synchronization

extension Diagnostics {
  /// Whether to report two threads that use one object at the same time as `concurrentUse`: once
  /// for each object, naming its class, the property and both operations (P6). Off by default.
  ///
  /// An object may move between threads, like the object of an actor. It is reported only if a
  /// thread sets or observes one of its properties while another thread is still doing so;
  /// deliveries to observers count as well. Unobserved properties are not checked.
  ///
  /// - Complexity: when on, one lock at the beginning and one at the end of each operation, beside the
  ///   cost of recording; when off, nothing beside it.
  public static var checksThreads: Bool {
    get { ThreadCheck.isOn.load(ordering: .relaxed) }
    set {
      // Operations under way would never be removed.
      _ = ThreadCheck.uses.exchange([:])
      Records.turn(ThreadCheck.isOn, on: newValue)
    }
  }
}

/// Records which thread is using which object.
enum ThreadCheck {
  fileprivate struct ActiveUse {
    let thread: UInt32
    /// `set on Person.name`; for a path, the class only: reads nothing that changes.
    let operation: String
    /// How many nested operations of the thread are under way.
    var depth = 0
  }

  static let isOn = Atomic<Bool>(false)
  fileprivate static let uses = Protected<[ObjectIdentifier: ActiveUse]>([:])

  /// Records the operation that this thread begins or ends; reports another thread in the middle of one
  /// on the same object.
  static func receive(_ occurrence: Occurrence) {
    guard isOn.load(ordering: .relaxed) else { return }
    switch occurrence {
    case .begin(let operation, let node, let thread):
      let id = ObjectIdentifier(node.owner)
      let subject = node.place == 0 ? "\(node.owner.type)" : node.description
      let use = uses.withLock { uses in
        var use = uses[id] ?? ActiveUse(thread: thread, operation: "\(operation) on \(subject)")
        use.depth += 1
        if use.thread == thread { uses[id] = use }
        return use
      }
      guard use.thread != thread, !node.owner.isThreadReported.exchange(true, ordering: .relaxed)
      else { return }
      node.report(
        .concurrentUse,
        "a thread began to \(operation) it while another one was in the middle of "
          + use.operation)
    case .end(let node, let thread):
      let id = ObjectIdentifier(node.owner)
      uses.withLock { uses in
        guard let use = uses[id], use.thread == thread else { return }
        if use.depth == 1 { uses[id] = nil } else { uses[id]?.depth -= 1 }
      }
    default: break
    }
  }
}
