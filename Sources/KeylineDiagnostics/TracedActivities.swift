import Keyline
import KeylineCore

// What the engine reports, as entries of a trace.

extension TraceRecorder {
  /// Begins the entry of an activity.
  func enter(_ activity: Activity) {
    switch activity {
    case .set(let node, let former, let value, let isEqual):
      let value = value is Void ? "" : text(of: value)
      let change = value.isEmpty ? "" : ", changed to \(value)"
      let isEqual = former != nil && quietly(isEqual)
      beginSet(
        node, (former.map { ": \(text(of: $0)) → \(value)" } ?? change) + (isEqual ? ", equal" : ""))
    case .referentDied(let node): beginSet(node, ": → nil, because the object has died")
    case .validate(let node, let value):
      let name = name(of: node)
      begin(.refuse, name, "\(name): \(text(of: value))") { $0.isProvisional = true }
    case .batch: begin(.batch)
    case .settle: begin(.settle)
    case .evaluate(let node): beginEvaluation(of: node)
    case .deliver(let node, _, _, _) where node.isAnnouncing:
      begin(.announce, name(of: node), name(of: node))
    case .deliver(let node, let value, let context, let place):
      let name = name(of: node)
      let other = node.isProperty ? "observer \(place) of \(name)" : "the observer of \(name)"
      begin(
        .deliver, name, "\(text(of: value)) to \(observer(in: context, of: node) ?? other)",
        cause: changes[ObjectIdentifier(node)]?.number)
    case .subscribe(let node, let context, let value):
      let (name, observer) = (name(of: node), observer(in: context, of: node))
      let text = (observer.map { "\($0) " } ?? "") + "to \(name)"
      begin(.subscribe, name, text + (value is Void ? "" : ": \(self.text(of: value))"))
    case .write(let value, let node, let owner, let type):
      let object = name(of: UInt(bitPattern: ObjectIdentifier(owner)), Swift.type(of: owner))
      let name = node.map(name(of:)) ?? "\(object).\(type)"
      begin(.write, name, "\(text(of: value)) to \(name)")
    case .decline(let value, let error):
      let reason = error.map(text(of:)) ?? "the converter has returned nil"
      begin(.decline, "", "\(text(of: value)): \(reason)")
    case .death(let object, let type):
      let name = name(of: object, type)
      begin(.death, name, "of \(name)") { $0.dying = object }
    }
  }

  /// Records what causes nothing.
  func note(_ occurrence: Occurrence) {
    switch occurrence {
    case .skip(let node):
      let name = name(of: node)
      note(.skip, name, "\(name): nothing that it has read has changed")
    case .queue(let node):
      change { if $0.entry.step == .set, $0.node === node { $0.entry.text += ", queued" } }
    case .refuse(let error):
      let text = text(of: error)
      change {
        $0.isProvisional = false
        $0.entry.text += ": \(text)"
      }
    case .coerce(let value):
      let text = text(of: value)
      change {
        $0.isProvisional = false
        $0.entry.step = .coerce
        $0.entry.text += " to \(text)"
      }
    case .restore(let node, let value):
      let name = name(of: node)
      note(.restore, name, "\(name): \(text(of: value)) again")
    case .dispose(let node):
      if !node.hasEnded, !node.isAnnouncing { note(.dispose, name(of: node), "of \(name(of: node))") }
    case .complete(let node):
      if node.isObserved { note(.complete, name(of: node), name(of: node)) }
    }
  }

  /// Completes an entry that is about to end.
  func finish(_ open: inout Open) {
    if let object = open.dying { forget(object) }
    guard open.entry.step == .evaluate, let node = open.node else { return }
    let isChange = node.changeCount != open.version
    if isChange { record(open.entry.number, asChangeOf: node, open.entry.subject) }
    if let hop = node.chain?.brokenHop, isChange {
      open.entry.step = .broken
      open.entry.text += ": hop \(hop) is nil"
    } else if let value = node.inspectedValue {
      let former = open.former.map { "\($0) → " } ?? ""
      open.entry.text += ": \(former)\(text(of: value))" + (isChange ? "" : ", equal")
      if case .hopReplaced = node.chain?.cause { open.entry.step = .follow }
    }
  }

  /// Begins the entry of a set, with what it marks inside: the first of what is to be checked.
  private func beginSet(_ node: Node, _ text: String) {
    let name = name(of: node)
    record(begin(.set, name, name + text) { $0.node = node }, asChangeOf: node, name)
    var names: [String] = []
    var visited: Set<ObjectIdentifier> = []
    func visit(_ node: Node) {
      for reader in node.readers where visited.insert(ObjectIdentifier(reader)).inserted {
        if visited.count <= 8 { names.append(self.name(of: reader)) }
        visit(reader)
      }
    }
    visit(node)
    guard !names.isEmpty else { return }
    let surplus = visited.count - names.count
    note(.mark, name, names.joined(separator: ", ") + (surplus > 0 ? " and \(surplus) more" : ""))
  }

  /// Begins the entry of an evaluation, with the reason for it.
  private func beginEvaluation(of node: Node) {
    let name = name(of: node)
    let source = node.changedSource
    let change = source.flatMap { changes[ObjectIdentifier($0)] }
    let first = node.sources.isEmpty ? " for the first time" : ", invalidated"
    let unknown = source == nil ? first : ", because of an earlier change"
    let reason = change.map { ", because \($0.name) changed" } ?? unknown
    begin(.evaluate, name, name + reason, cause: change?.number) {
      $0.node = node
      $0.version = node.changeCount
      $0.former = node.chain == nil ? node.inspectedValue.map(text(of:)) : nil
    }
  }

  /// `observe(\.name) → map → subscribe (Form.swift:12)`, if that was recorded.
  private func observer(in context: SubscriptionContext, of node: Node) -> String? {
    Records.path(from: ObjectIdentifier(context))?
      .description(observing: node.isProperty ? node.name : nil)
  }
}
