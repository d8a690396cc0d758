import Keyline

// The engine's reports, as entries of a trace.

extension TraceRecorder {
  private func begin(_ step: Diagnostics.Step, _ node: Node, _ text: (String) -> String) {
    let name = name(of: node)
    begin(step, name, text(name))
  }

  /// Begins the entry of an activity.
  func enter(_ activity: Activity) {
    switch activity {
    case .set(let node, let former, let value, let isEqual):
      let new = value is Void ? "" : text(of: value)
      guard let former else { return beginSet(node, new.isEmpty ? "" : ", changed to \(new)") }
      beginSet(node, ": \(text(of: former)) → \(new)" + (Self.pause(isEqual) ? ", equal" : ""))
    case .referentDied(let node): beginSet(node, ": → nil, because the object has died")
    case .validate(let node, let value): begin(.validate, node) { "\($0): \(text(of: value))" }
    case .batch: begin(.batch)
    case .settle: begin(.settle)
    case .evaluate(let node): beginEvaluation(of: node)
    case .announce(let node): begin(.announce, node) { $0 }
    case .deliver(let node, let value, let context, let place):
      let name = name(of: node)
      let other = node.isProperty ? "observer \(place) of \(name)" : "the observer of \(name)"
      begin(
        .deliver, name, "\(text(of: value)) to \(observer(in: context, of: node) ?? other)",
        cause: changes[ObjectIdentifier(node)])
    case .subscribe(let node, let context, let value):
      let observer = observer(in: context, of: node).map { "\($0) " } ?? ""
      let value = value is Void ? "" : ": \(text(of: value))"
      begin(.subscribe, node) { "\(observer)to \($0)\(value)" }
    case .write(let value, let node, let owner, let type):
      let object = name(of: UInt(bitPattern: ObjectIdentifier(owner)), Swift.type(of: owner))
      let name = Self.pause(node).map(name(of:)) ?? "\(object).\(type)"
      begin(.write, name, "\(text(of: value)) to \(name)")
    case .decline(let value, let error):
      let reason = error.map(text(of:)) ?? "the converter has returned nil"
      begin(.decline, "", "\(text(of: value)): \(reason)")
    case .death(let object, let type):
      let name = name(of: object, type)
      begin(.death, name, "of \(name)") { [self] _ in forget(object) }
    }
  }

  /// Records an occurrence, which causes no other entry.
  func note(_ occurrence: Occurrence) {
    switch occurrence {
    // A path that is about to be observed is up to date, too.
    case .skip(let node) where node.isProperty || node.isObserved:
      begin(.skip, node) { "\($0): nothing that it has read has changed" }
    case .restore(let node, let value): begin(.restore, node) { "\($0): \(text(of: value)) again" }
    case .dispose(let node) where !node.hasEnded: begin(.dispose, node) { "of \($0)" }
    case .complete(let node) where node.isObserved: begin(.complete, node) { $0 }
    case .queue(let node): return append(", queued", to: .set, of: name(of: node))
    case .refuse(let error): return append(", refused: \(text(of: error))", to: .validate)
    case .coerce(let value): return append(", coerced to \(text(of: value))", to: .validate)
    case .skip, .dispose, .complete: return
    }
    leave()
  }

  /// Begins the entry of a set. Inside, one line names the first nodes that the set marks as to be
  /// checked.
  private func beginSet(_ node: Node, _ text: String) {
    let name = name(of: node)
    changes[ObjectIdentifier(node)] = count
    begin(.set, name, name + text)
    var marked: [Node] = []
    var visited: Set<ObjectIdentifier> = []
    func visit(_ node: Node) {
      for reader in node.readers where visited.insert(ObjectIdentifier(reader)).inserted {
        marked.append(reader)
        visit(reader)
      }
    }
    visit(node)
    let names = marked.prefix(8).map { self.name(of: $0) }.joined(separator: ", ")
    let surplus = marked.count > 8 ? " and \(marked.count - 8) more" : ""
    if !marked.isEmpty { note(.mark, name, names + surplus) }
  }

  /// Begins the entry of an evaluation, with the reason for it; the result is added at its end.
  private func beginEvaluation(of node: Node) {
    let name = name(of: node)
    let source = node.dependencies.first { $0.version != $0.node.version }?.node
    let change = source.flatMap { changes[ObjectIdentifier($0)] }
    var reason = node.sources.isEmpty ? " for the first time" : ", invalidated"
    if source != nil { reason = ", because of an earlier change" }
    if let change { reason = ", because \(entries[change - omitted].subject) changed" }
    let version = node.version
    let former = node.chain == nil ? node.inspectedValue.map { "\(text(of: $0)) → " } : nil
    begin(.evaluate, name, name + reason, cause: change) { [self] entry in
      let isChange = node.version != version
      if isChange { changes[ObjectIdentifier(node)] = entry.number }
      if let hop = node.chain?.brokenHop, isChange {
        entry.step = .broken
        entry.text += ": hop \(hop) is nil"
      } else if let value = node.inspectedValue {
        entry.text += ": \(former ?? "")\(text(of: value))" + (isChange ? "" : ", equal")
        if case .hopReplaced = node.chain?.cause { entry.step = .follow }
      }
    }
  }

  /// `observe(\.name) → map → subscribe (Form.swift:12)`, if that was recorded.
  private func observer(in context: SubscriptionContext, of node: Node) -> String? {
    Records.path(from: ObjectIdentifier(context))?
      .description(observing: node.isProperty ? node.name : nil)
  }
}
