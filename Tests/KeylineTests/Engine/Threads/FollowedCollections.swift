import KeylineCore

@testable import Keyline

/// An array of the program.
final class FollowedArray {
  private(set) weak var array: ObservableArray<Part>?

  init(_ array: ObservableArray<Part>) { self.array = array }
}

/// A live view of the program.
final class FollowedView {
  let kind: ViewKind
  private(set) weak var view: LiveArray<Part>?
  private(set) weak var array: ObservableArray<Part>?

  init(_ kind: ViewKind, _ view: LiveArray<Part>, of array: ObservableArray<Part>) {
    self.kind = kind
    self.view = view
    self.array = array
  }

  /// Reads the view, which is an operation on it, and compares the elements while the array is alive.
  var faults: [String] {
    guard let elements = view?.elements.map(\.id), let array else { return [] }
    let expected = kind.elements(of: array.elements).map(\.id)
    return elements == expected ? [] : ["view: \(kind) has \(elements), not \(expected)"]
  }
}

/// A subscription to the edits of an array or of a view, which are applied to a copy.
final class FollowedCopy: Followed {
  /// Retained by the subscription only, like the parts in it.
  private final class Copy {
    var elements: [Part] = []
  }

  private weak var copy: Copy?
  private weak var source: LiveArray<Part>?
  private let isSourceDead: () -> Bool

  init(_ name: String, isSourceDead: @escaping () -> Bool) {
    self.isSourceDead = isSourceDead
    super.init(ThreadRecord(name))
  }

  func start(_ source: LiveArray<Part>) -> any Disposable {
    let copy = Copy()
    self.copy = copy
    self.source = source
    return record.follow(source.contentsAndChanges) { edits in
      for edit in edits { edit.apply(to: &copy.elements) }
      return edits.count
    }
  }

  override var isSubjectDead: Bool { isSourceDead() }

  override func breaches(in domain: ThreadDomain) -> [String] {
    guard !isEnded, !isSourceDead(), let copy, let source else { return [] }
    let (elements, expected) = (copy.elements.map(\.id), source.elements.map(\.id))
    return elements == expected ? [] : ["edits: the copy is \(elements), not \(expected)"]
  }
}

/// A subscription to the number of elements, or to the numbers of all elements.
final class FollowedElements: Followed {
  private let source: FollowedArray
  private let observation: ArrayObservation

  init(_ name: String, _ source: FollowedArray, _ observation: ArrayObservation) {
    self.source = source
    self.observation = observation
    super.init(ThreadRecord(name))
  }

  func start(_ array: LiveArray<Part>) -> any Disposable {
    observation == .count
      ? record.follow(array.observe(\.count)) { $0 }
      : record.follow(array.observeElements(\.number)) { $0.value }
  }

  override var isSubjectDead: Bool { source.array == nil }

  override func breaches(in domain: ThreadDomain) -> [String] {
    guard !isEnded, let array = source.array else { return [] }
    let values = record.values
    if observation == .count {
      return values.last == array.count ? [] : ["P4: the count is \(array.count)"]
    }
    return Set(array.elements.map(\.id)).sorted().flatMap { id -> [String] in
      let numbers = values.compactMap { $0 }.filter { domain.owners[$0] == id }
      guard let part = domain.histories[id].part else { return ["memory: a dead element"] }
      return numbers.last == part.number && numbers == numbers.sorted()
        ? [] : ["P2: element \(id) has \(part.number), received \(numbers.suffix(8))"]
    }
  }
}

/// A binding of the program.
final class FollowedBinding: Followed {
  let binding: PropertyBinding
  private let kind: Connection
  private weak var source: Part?
  private weak var target: Part?
  /// Whether the binding was disposed, on any thread.
  var isDisposed = false
  /// The value at the end that the binding writes, when it was compared last after the end.
  private var lastWritten: Int?

  init(_ kind: Connection, _ source: Part, _ target: Part) {
    self.kind = kind
    self.source = source
    self.target = target
    binding = kind.bind(source, to: target)
    super.init(
      ThreadRecord("the errors of a \(kind) binding from \(source.id) to \(target.id)"))
  }

  /// Subscribes to the errors, which complete with the binding.
  func start() -> any Disposable { record.follow(binding.errors.map { _ in 0 }) { $0 } }

  // Its end completes the errors.
  override var isSubjectDead: Bool { isDisposed || source == nil || target == nil }

  override func breaches(in domain: ThreadDomain) -> [String] {
    guard !isDisposed, let source, let target else { return breachesOfEnd }
    guard binding.isActive else { return ["B1: the binding has ended"] }
    return kind.agrees(source, target) ? [] : ["B3: the ends have different values"]
  }

  private var breachesOfEnd: [String] {
    var breaches: [String] = []
    switch binding.endReason {
    case nil: breaches.append("B1: the binding is active")
    case .disposed where !isDisposed: breaches.append("B1: nobody has disposed the binding")
    case .sourceDied where source != nil: breaches.append("B1: the source is alive")
    case .targetDied where target != nil: breaches.append("B1: the target is alive")
    default: break
    }
    if let written = target.flatMap(kind.written) {
      if let lastWritten, lastWritten != written { breaches.append("B1: written after the end") }
      lastWritten = written
    }
    return breaches
  }
}
