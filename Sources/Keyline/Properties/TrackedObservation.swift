import Synchronization

/// Observes whatever a getter reads, and learns it anew at every evaluation.
///
/// A set of something that was read evaluates the getter once, whatever it is and however often it
/// was read, and is one emission. What is set while the getter is evaluated, by the getter itself,
/// has it evaluated again: the value emitted is of what is stored then, nothing is lost.
final class TrackedObservation<Root: PropertyObservable, Value>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: `dependencies` stands behind its mutex; the rest is immutable, or used on
  // the root's isolation domain only.
  private weak var root: Root?
  private let read: (Root) -> Value
  private let output: SerializedObserver<Value>
  private let context: SubscriptionContext
  private let prior: (() -> Void)?
  private let dependencies = Mutex<Unchecked<[Dependency]?>>(Unchecked([]))
  private var isEvaluating = false
  private var isOutdated = false

  private struct Dependency {
    let node: AnyBroadcaster
    let attachment: SubscriptionContext
  }

  init(
    _ root: Root, _ read: @escaping (Root) -> Value, _ observer: AnyObserver<Value>,
    _ context: SubscriptionContext, _ prior: (() -> Void)? = nil
  ) {
    self.root = root
    self.read = read
    self.context = context
    self.prior = prior
    output = SerializedObserver(observer)
    super.init()
    context.push(self)
    root.properties.death.whenEnded(in: context) { [output] in output.terminate(nil) }
  }

  /// Follows what an evaluation has read, and delivers its value through `first`, before anything that
  /// this causes is delivered.
  func start(_ value: Value, _ reads: Tracker.Reads, _ first: (Value) -> Void) {
    output.hold()
    follow(reads.all)
    // What follows was set between reading and following.
    if let root, !reads.areCurrent { first(evaluate(root)) } else { first(value) }
    output.resume()
  }

  /// Takes over a membership in `node`, to keep its place among the others there.
  func observer(of node: PropertyNode<Value>) -> AnyObserver<Value> {
    let membership = Dependency(node: node, attachment: SubscriptionContext())
    dependencies.withLock { $0.value = [membership] }
    return AnyObserver(
      next: { value in
        if membership.attachment.isActive { self.changed { node.run($0, during: value) } }
      },
      terminate: { _ in })
  }

  /// Evaluates anew and emits.
  private func changed(_ during: (() -> Void) -> Void) {
    guard context.isActive, let root else { return }
    guard !isEvaluating else { return isOutdated = true }
    var value: Value?
    during { value = self.evaluate(root) }
    if let value { output.next(value) }
  }

  /// The value, when it and what was read for it are up to date.
  private func evaluate(_ root: Root) -> Value {
    isEvaluating = true
    defer { isEvaluating = false }
    var result: Value?
    var rounds = 0
    repeat {
      isOutdated = false
      Tracker.evaluate({ read(root) }) { value, reads in
        follow(reads.all)
        result = value
        if !reads.areCurrent { isOutdated = true }
      }
      rounds += 1
    } while isOutdated && isWithinFeedbackLimit(rounds)
    // Proof: the loop has run at least once.
    return result.unsafelyUnwrapped
  }

  private func isWithinFeedbackLimit(_ rounds: Int) -> Bool {
    guard rounds == Diagnostics.feedbackLimit else { return true }
    Diagnostics.report(
      .feedbackLoop,
      "a getter of a \(Value.self) has set what it reads \(rounds) times in a row; "
        + "its last value stays",
      type: "\(Root.self)")
    return false
  }

  private func follow(_ nodes: [AnyBroadcaster]) {
    guard let former = dependencies.withLock({ $0 }).value,
      !former.elementsEqual(nodes, by: { $0.node === $1 })
    else { return }
    var leaving = Dictionary(
      former.map { (ObjectIdentifier($0.node), $0) }, uniquingKeysWith: { first, _ in first })
    var following: [ObjectIdentifier: Dependency] = [:]
    var joining: [Dependency] = []
    let next = nodes.map { node in
      let id = ObjectIdentifier(node)
      if let dependency = following[id] ?? leaving.removeValue(forKey: id) {
        following[id] = dependency
        return dependency
      }
      let dependency = Dependency(node: node, attachment: SubscriptionContext())
      following[id] = dependency
      joining.append(dependency)
      return dependency
    }
    // Proof of Unchecked: handed to the mutex that guards it from now on.
    let replacement = Unchecked(Optional(next))
    let isDisposed = dependencies.withLock { dependencies in
      if dependencies.value != nil { dependencies = replacement }
      return dependencies.value == nil
    }
    for dependency in leaving.values { dependency.attachment.dispose() }
    guard !isDisposed else { return }
    for dependency in joining {
      dependency.node.onEach(in: dependency.attachment, changed)
      if let prior { dependency.node.beforeEach(in: dependency.attachment, prior) }
    }
  }

  override func dispose() {
    let last = dependencies.withLock { dependencies in
      defer { dependencies.value = nil }
      return dependencies
    }
    for dependency in last.value ?? [] { dependency.attachment.dispose() }
  }
}
