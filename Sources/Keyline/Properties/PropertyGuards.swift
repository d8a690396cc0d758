import KeylineCore

/// What a set of a property has to pass before the store: rules, exclusive bindings, and the
/// announcement to observers with `.prior`.
final class PropertyGuards<Value> {
  /// Rules may be disposed on any thread.
  private let rules = Protected<[SetRule<Value>]>([])
  private var announcements: Announcements?
  private let type: AnyClass
  private let name: () -> String?

  init(type: AnyClass, name: @escaping () -> String?) {
    self.type = type
    self.name = name
  }

  var hasRules: Bool { rules.withLock { !$0.isEmpty } }

  /// The binding that owns the property exclusively, if there is one.
  var exclusiveOwner: AnyObject? { rules.withLock { $0 }.first { $0.owner != nil }?.owner }

  func add(_ rule: SetRule<Value>, in context: EngineContext) {
    rules.withLock { $0.append(rule) }
    context.add(
      Disposables.create { [weak self] in
        // The closures of a rule are released outside the lock (C3).
        let removed = self?.rules.withLock { rules in
          let removed = rules.filter { $0 === rule }
          rules.removeAll { $0 === rule }
          return removed
        }
        withExtendedLifetime(removed) {}
      })
  }

  /// Passes `value` through the rules, which may change it, and announces the set.
  ///
  /// - Returns: whether no rule has refused it.
  func admit(_ value: inout Value, of node: PropertyNode<Value>) -> Bool {
    let rules = rules.withLock { $0 }
    if !rules.isEmpty {
      let write = PropertyWrite.current(of: node, isDelivering: node.isDelivering)
      var coercing = 0
      for (index, rule) in rules.enumerated() {
        guard let outcome = apply(rule, to: &value, write, of: node) else { continue }
        write?.outcome = outcome
        if case .refused = outcome { return false }
        coercing = index
      }
      // What a rule has made of the value, those before it may refuse.
      for rule in rules.prefix(coercing) {
        var coerced = value
        let outcome = apply(rule, to: &coerced, write, of: node, isFinal: false)
        guard case .refused? = outcome else { continue }
        write?.outcome = outcome
        return false
      }
    }
    node.announce()
    return true
  }

  private func apply(
    _ rule: SetRule<Value>, to value: inout Value, _ write: PropertyWrite?,
    of node: PropertyNode<Value>, isFinal: Bool = true
  ) -> SetOutcome? {
    guard let trace = TraceRecorder.ofThread else { return rule.apply(&value, write?.writer) }
    return trace.apply(rule, to: &value, by: write?.writer, of: node, isFinal: isFinal)
  }

  /// Whether observers with `.prior` are being called.
  var isAnnouncing: Bool { announcements.map { !$0.serializer.isIdle } ?? false }

  /// Whether a set is announced to anything.
  var hasAnnouncements: Bool { announcements?.hasObservers == true }

  /// Announces that a value is about to be stored.
  func announce() { announcements?.next(()) }

  func subscribe(in context: EngineContext, _ action: @escaping () -> Void) {
    let announcements = announcements ?? Announcements(type: type, name: name)
    self.announcements = announcements
    let observer = AnyObserver<Void>(next: { _ in action() }, terminate: { _ in })
    announcements.subscribe(observer, in: context)
  }

  func end() { announcements?.terminate(nil) }
}

/// Delivers announcements before the store, and stops observers that cause them without end (P3).
private final class Announcements: EngineBroadcaster<Void> {
  private var waiting = 0
  private var feedback = FeedbackCounter()
  private let type: AnyClass
  private let name: () -> String?
  private var isReported = false

  init(type: AnyClass, name: @escaping () -> String?) {
    self.type = type
    self.name = name
  }

  override func next(_ element: Void) {
    if serializer.isIdle {
      waiting = 0
      feedback = FeedbackCounter()
      isReported = false
    } else {
      waiting += 1
    }
    super.next(element)
  }

  override func deliverQueued(_ element: Void) {
    defer { waiting -= 1 }
    if feedback.admits(waiting: waiting) { return deliver(element) }
    guard !isReported else { return }
    isReported = true
    Diagnostics.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) announcements in a row has set the property again; "
        + "it is not announced further",
      type: "\(type)", property: name())
  }
}

/// A rule that a value has to pass before it is stored.
final class SetRule<Value> {
  /// Changes the value or refuses it, and returns which; nil if it accepts the value as it is.
  ///
  /// The second argument is the binding that sets the property, if one does.
  let apply: (inout Value, AnyObject?) -> SetOutcome?
  /// The binding that owns the property exclusively, if that is what the rule is for.
  let owner: AnyObject?

  init(owner: AnyObject? = nil, _ apply: @escaping (inout Value, AnyObject?) -> SetOutcome?) {
    self.owner = owner
    self.apply = apply
  }
}

/// What has become of a value on its way into a property.
@usableFromInline enum SetOutcome {
  case coerced
  case refused(any Error)
}

/// A set by a binding, with its outcome.
///
/// It applies to the next guarded set, on this thread, of a property that `isMeant` accepts, and to
/// those that the property's own accessors make of it then, in a `didSet`; not to what observers
/// set during the delivery.
final class PropertyWrite {
  private static let innermost = ThreadKey()

  let writer: AnyObject
  /// Nil if the value was stored unchanged.
  var outcome: SetOutcome?
  private let isMeant: (DependencyNode) -> Bool
  /// The property that has been set, once one has, and whether it was being delivered then.
  private var taken: (by: DependencyNode, isDelivering: Bool)?

  private init(_ isMeant: @escaping (DependencyNode) -> Bool, _ writer: AnyObject) {
    self.isMeant = isMeant
    self.writer = writer
  }

  /// Makes a set of a property whose node `isMeant` accepts.
  static func make(
    of isMeant: @escaping (DependencyNode) -> Bool, by writer: AnyObject, _ set: () -> Void
  ) -> SetOutcome? {
    let outer = innermost.pointer
    let write = PropertyWrite(isMeant, writer)
    innermost.pointer = Unmanaged.passUnretained(write).toOpaque()
    set()
    innermost.pointer = outer
    return write.outcome
  }

  /// Makes a set that no rule is asked about.
  static func makeUnguarded(_ set: () -> Void) {
    guard let outer = innermost.pointer else { return set() }
    innermost.pointer = nil
    set()
    innermost.pointer = outer
  }

  /// The write that a set of the property of `node` belongs to.
  static func current(of node: DependencyNode, isDelivering: Bool) -> PropertyWrite? {
    guard let pointer = innermost.pointer else { return nil }
    // Proof of Unmanaged: only `make` puts a write there, for as long as it holds it.
    let write = Unmanaged<PropertyWrite>.fromOpaque(pointer).takeUnretainedValue()
    guard write.isMeant(node) else { return nil }
    let taken = write.taken ?? (node, isDelivering)
    write.taken = taken
    return taken.by === node && taken.isDelivering == isDelivering ? write : nil
  }
}
