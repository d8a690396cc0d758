import Keyline

// Programs over the graph: data, so that they can be printed and shortened.

/// One step of a program, or of an observer's script.
///
/// What a step is about must be held by the program: it does nothing if an object is not, any more.
enum ModelAction: CustomStringConvertible {
  case set(ModelSlot, Int)
  /// In place: `+=`.
  case add(ModelSlot, Int)
  /// In place, of two properties: the access to `c` ends after that to `a`.
  case swap(Int)
  /// In place.
  case append(Int, Int)
  /// In place.
  case removeLast(Int)
  case setNext(Int, Int?)
  case setWeak(Int, Int?)
  /// The program's own reference is dropped.
  case drop(Int)
  /// Of the observer, binding or rule of that index. Each is made once at most.
  case subscribe(Int)
  case dispose(Int)
  case bind(Int)
  case unbind(Int)
  case validate(Int)
  case invalidate(Int)
  /// To the value before the outermost batch.
  case restore(ModelSlot)
  case batch([ModelAction], isThrowing: Bool)

  /// Whether it stores something, in one set or mutation or batch.
  var isSet: Bool {
    switch self {
    case .set, .add, .append, .removeLast, .setNext, .setWeak, .restore, .batch: true
    default: false
    }
  }

  var isBatch: Bool { if case .batch = self { true } else { false } }

  var isDrop: Bool { if case .drop = self { true } else { false } }

  /// The action, and for a batch the actions inside it.
  var all: [ModelAction] {
    guard case .batch(let actions, _) = self else { return [self] }
    return [self] + actions.flatMap(\.all)
  }

  var description: String {
    switch self {
    case .set(let slot, let value): "\(slot) = \(value)"
    case .add(let slot, let value): "\(slot) += \(value)"
    case .swap(let node): "swap(&n\(node).c, &n\(node).a)"
    case .append(let node, let value): "n\(node).list.append(\(value))"
    case .removeLast(let node): "n\(node).list.removeLast()"
    case .setNext(let node, let next): "n\(node).next = \(next.map { "n\($0)" } ?? "nil")"
    case .setWeak(let node, let weak): "n\(node).weak = \(weak.map { "n\($0)" } ?? "nil")"
    case .drop(let node): "drop n\(node)"
    case .subscribe(let index): "subscribe observer \(index)"
    case .dispose(let index): "dispose observer \(index)"
    case .bind(let index): "make binding \(index)"
    case .unbind(let index): "dispose binding \(index)"
    case .validate(let index): "make rule \(index)"
    case .invalidate(let index): "dispose rule \(index)"
    case .restore(let slot): "restore \(slot)"
    case .batch(let actions, let isThrowing):
      "batch { \(actions.map(\.description).joined(separator: "; "))\(isThrowing ? "; throw" : "") }"
    }
  }
}

extension ModelAction {
  /// Every batch with one part left out.
  fileprivate var shortened: [ModelAction] {
    guard case .batch(let actions, let isThrowing) = self else { return [] }
    var all: [ModelAction] = isThrowing ? [.batch(actions, isThrowing: false)] : []
    for index in actions.indices {
      for action in actions[index].shortened.map({ [$0] }) + [[]] {
        var rest = actions
        rest.replaceSubrange(index...index, with: action)
        all.append(.batch(rest, isThrowing: isThrowing))
      }
    }
    return all
  }
}

/// An observer, with its actions on its first delivery, on its second, and so on.
struct ModelObserver {
  var node: Int
  var path: ModelPath
  var isInitial: Bool
  var script: [Int: [ModelAction]] = [:]
}

struct ModelBinding {
  enum Converter { case identity, lossy }

  let source: ModelSlot
  let target: ModelSlot
  let mode: BindingMode
  let converter: Converter

  func forward(_ value: Int) -> Int { converter == .lossy ? value / 10 : value }

  func backward(_ value: Int) -> Int { converter == .lossy ? value * 10 : value }

}

/// A rule on `a` or `b`.
struct ModelRule: CustomStringConvertible {
  enum Kind: CaseIterable {
    /// Coerces to nine at most.
    case clamp
    /// Rejects odd numbers below zero.
    case reject
    /// Coerces to `c` at most.
    case clampToC
  }

  struct Odd: Error {}

  let slot: ModelSlot
  let kind: Kind

  func rule(_ node: ModelNode, _ value: Int) -> Validation<Int> {
    guard let stored = judge(value, c: kind == .clampToC ? node.c : 0) else {
      return .rejected(Odd())
    }
    return stored == value ? .valid : .coerced(stored)
  }

  /// The value to store; nil to store nothing.
  func judge(_ value: Int, c: Int) -> Int? {
    switch kind {
    case .clamp: min(value, 9)
    case .reject: value < 0 && !value.isMultiple(of: 2) ? nil : value
    case .clampToC: min(value, c)
    }
  }

  var description: String {
    switch kind {
    case .clamp: "\(slot): coerced to at most 9"
    case .reject: "\(slot): odd numbers below 0 are rejected"
    case .clampToC: "\(slot): coerced to at most c"
    }
  }
}

struct ModelProgram: RandomProgram {
  var category: ModelCategory
  var nodes: Int
  var observers: [ModelObserver] = []
  var bindings: [ModelBinding] = []
  var rules: [ModelRule] = []
  var steps: [ModelAction] = []

  var description: String {
    var lines: [String] = []
    for (index, step) in steps.enumerated() {
      var line = "  \(index). \(step)"
      switch step {
      case .bind(let index):
        let (binding, mode) = (bindings[index], "\(bindings[index].mode)")
        line += ": \(binding.source) to \(binding.target), .\(mode), \(binding.converter)"
      case .validate(let index): line += ": \(rules[index])"
      default: break
      }
      lines.append(line)
    }
    for index in observers.indices where mentions(index) {
      let observer = observers[index]
      let options = observer.isInitial ? "" : ", .new"
      lines.append("  observer \(index): n\(observer.node), \(observer.path.rawValue)\(options)")
      for (count, actions) in observer.script.sorted(by: { $0.key < $1.key }) {
        let script = actions.map(\.description).joined(separator: "; ")
        lines.append("    on its delivery \(count): \(script)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private var allActions: [ModelAction] {
    (steps + observers.flatMap { $0.script.values.joined() }).flatMap(\.all)
  }

  var hasBatches: Bool { allActions.contains(where: \.isBatch) }

  private func mentions(_ observer: Int) -> Bool {
    allActions.contains { if case .subscribe(observer) = $0 { true } else { false } }
  }

  var failures: [LawFailure] { ModelRun.failures(of: self) }

  // MARK: Shortening

  func shortened(while fails: (ModelProgram) -> Bool) -> ModelProgram {
    var program = self
    var isShorter = true
    while isShorter {
      isShorter = false
      for candidate in program.candidates().reversed() where !isShorter && fails(candidate) {
        program = candidate
        isShorter = true
      }
    }
    return program
  }

  /// Every program with one part left out; those that leave out most come last.
  private func candidates() -> [ModelProgram] {
    var all: [ModelProgram] = []
    func add(_ change: (inout ModelProgram) -> Void) {
      var program = self
      change(&program)
      all.append(program)
    }
    for index in observers.indices where mentions(index) {
      for (count, actions) in observers[index].script.sorted(by: { $0.key < $1.key }) {
        for action in actions.indices {
          add {
            $0.observers[index].script[count]!.remove(at: action)
            if actions.count == 1 { $0.observers[index].script[count] = nil }
          }
          for shorter in actions[action].shortened {
            add { $0.observers[index].script[count]![action] = shorter }
          }
        }
      }
      if !observers[index].script.isEmpty { add { $0.observers[index].script = [:] } }
    }
    for step in steps.indices {
      for shorter in steps[step].shortened { add { $0.steps[step] = shorter } }
    }
    for step in steps.indices { add { $0.steps.remove(at: step) } }
    if steps.count > 3 {
      for start in [0, steps.count / 2] {
        add { $0.steps.removeSubrange(start..<(start + steps.count / 2)) }
      }
    }
    return all
  }
}
