import Keyline
import KeylineCore

// The engine's reports, as entries of a trace.

extension TraceRecorder {
  private func begin(_ step: Diagnostics.Step, _ node: Node, _ text: (String) -> String) {
    let name = name(of: node)
    begin(step, name, text(name))
  }

  private func note(_ step: Diagnostics.Step, _ node: Node, _ text: (String) -> String) {
    begin(step, node, text)
    leave()
  }

  /// Begins the entry of an activity.
  func enter(_ activity: Activity) {
    switch activity {
    case .set(let node, let former, let value, let isEqual):
      let new = value is Void ? "" : text(of: value)
      let change = former.map { ": \(text(of: $0)) → \(new)" }
      let suffix = former != nil && Self.pause(isEqual) ? ", equal" : ""
      beginSet(node, (change ?? (new.isEmpty ? "" : ", changed to \(new)")) + suffix)
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
        cause: changes[ObjectIdentifier(node)]?.number)
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
      note(.skip, node) { "\($0): nothing that it has read has changed" }
    case .skip, .begin, .end: break
    case .queue(let node): append(", queued", to: .set, of: name(of: node))
    case .refuse(let error): append(", refused: \(text(of: error))", to: .validate)
    case .coerce(let value): append(", coerced to \(text(of: value))", to: .validate)
    case .restore(let node, let value): note(.restore, node) { "\($0): \(text(of: value)) again" }
    case .dispose(let node):
      if !node.hasEnded { note(.dispose, node) { "of \($0)" } }
    case .complete(let node): if node.isObserved { note(.complete, node) { $0 } }
    }
  }

  /// Begins the entry of a set. Inside, one line names the first nodes that the set marks as to be
  /// checked.
  private func beginSet(_ node: Node, _ text: String) {
    changes[ObjectIdentifier(node)] = (name(of: node), count)
    begin(.set, node) { $0 + text }
    var marked: [Node] = []
    var visited: Set<ObjectIdentifier> = []
    func visit(_ node: Node) {
      for reader in node.readers where visited.insert(ObjectIdentifier(reader)).inserted {
        marked.append(reader)
        visit(reader)
      }
    }
    visit(node)
    let names = marked.prefix(8).map(name(of:)).joined(separator: ", ")
    let surplus = marked.count > 8 ? " and \(marked.count - 8) more" : ""
    if !marked.isEmpty { note(.mark, node) { _ in names + surplus } }
  }

  /// Begins the entry of an evaluation, with the reason for it; the result is added at its end.
  private func beginEvaluation(of node: Node) {
    let name = name(of: node)
    let change = node.changedSource.map { changes[ObjectIdentifier($0)] }
    let reason =
      switch change {
      case .some(.some(let change)): ", because \(change.name) changed"
      case .some(.none): ", because of an earlier change"
      case .none: node.sources.isEmpty ? " for the first time" : ", invalidated"
      }
    let version = node.version
    let former = node.chain == nil ? node.inspectedValue.map { "\(text(of: $0)) → " } : nil
    begin(.evaluate, name, name + reason, cause: change??.number) { [self] entry in
      let isChange = node.version != version
      if isChange { changes[ObjectIdentifier(node)] = (name, entry.number) }
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
