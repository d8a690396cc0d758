import Keyline
import Synchronization

extension Diagnostics {
  /// Whether to report two threads that use one object at the same time as `concurrentUse`: once
  /// for each object, naming its class, the property and both operations (P6). Off by default.
  ///
  /// An object may move between threads, like the object of an actor. It is reported only if a
  /// thread sets or observes one of its properties while another thread is still doing so;
  /// deliveries to observers count as well, and an in-place mutation when it ends. Unobserved properties
  /// are not checked.
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
  /// The activities under way on one thread: of each, the object that it uses.
  private final class Activities { var objects: [ObjectIdentifier?] = [] }

  /// The activity that began to use an object: `set on Person.name`; for a path, the class only: reads
  /// nothing that changes.
  fileprivate typealias Use = (thread: ObjectIdentifier, operation: String)

  static let isOn = Atomic<Bool>(false)
  private static let local = ThreadLocal<Activities>()
  fileprivate static let uses = Protected<[ObjectIdentifier: Use]>([:])

  /// Records the activity that this thread begins; reports another thread in the middle of one that uses
  /// the same object.
  static func enter(_ activity: Activity) {
    guard isOn.load(ordering: .relaxed) else { return }
    let thread = local.value ?? Activities()
    local.value = thread
    let use: (operation: String, node: Node)? =
      switch activity {
      case .set(let node, _, _, _): ("set", node)
      case .subscribe(let node, _, _): ("observe", node)
      case .deliver(let node, _, _, _): ("deliver", node)
      default: nil
      }
    thread.objects.append(use.map { ObjectIdentifier($0.node.owner) })
    guard let (operation, node) = use else { return }
    let subject = node.place == 0 ? "\(node.owner.type)" : node.description
    let made = (thread: ObjectIdentifier(thread), operation: "\(operation) on \(subject)")
    let first = uses.withLock { uses in
      let first = uses[ObjectIdentifier(node.owner)] ?? made
      uses[ObjectIdentifier(node.owner)] = first
      return first
    }
    guard first.thread != made.thread,
      !node.owner.isThreadReported.exchange(true, ordering: .relaxed)
    else { return }
    node.report(
      .concurrentUse,
      "a thread began to \(operation) it while another one was in the middle of \(first.operation)")
  }

  /// Records the end of the activity that this thread has begun last.
  static func leave() {
    guard let thread = local.value, let last = thread.objects.popLast(), let object = last,
      !thread.objects.contains(object)
    else { return }
    uses.withLock { if $0[object]?.thread == ObjectIdentifier(thread) { $0[object] = nil } }
  }
}
