import Synchronization

/// A value whose protection the type system cannot see; every use says what protects it.
@usableFromInline
struct Unchecked<Value>: @unchecked Sendable {
  // Proof: a bare box; whoever makes one names the lock or owner that serialises its value.
  @usableFromInline
  var value: Value

  @usableFromInline
  init(_ value: Value) { self.value = value }
}

/// Runs a closure once.
final class ActionDisposable: Cancelable {
  // Proof of Unchecked: the closure is taken out under the mutex, and run by its one taker.
  private let action: Mutex<Unchecked<(() -> Void)?>>
  private let resource = ResourceCount(.disposable)

  init(_ action: @escaping () -> Void) {
    self.action = Mutex(Unchecked(action))
  }

  var isDisposed: Bool { action.withLock { $0.value == nil } }

  func dispose() {
    let action = action.withLock { action in
      defer { action.value = nil }
      return action
    }
    action.value?()
  }
}

/// A disposable that only remembers that it was disposed.
public final class BooleanDisposable: Cancelable {
  private let disposed: Atomic<Bool>
  private let resource = ResourceCount(.disposable)

  public init(isDisposed: Bool = false) {
    disposed = Atomic(isDisposed)
  }

  public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  public func dispose() { disposed.store(true, ordering: .releasing) }
}

/// Holds one disposable at a time; a new one disposes the one before it.
///
/// - SeeAlso: ``SingleAssignmentDisposable``, which takes one only.
public final class SerialDisposable: Cancelable {
  private let slot = Mutex<Slot>(.held(nil))
  private let resource = ResourceCount(.disposable)

  private enum Slot {
    case held((any Disposable)?)
    case disposed
  }

  public init() {}

  public var isDisposed: Bool {
    slot.withLock { if case .disposed = $0 { true } else { false } }
  }

  /// The disposable held. Setting it disposes the former one, or, after `dispose()`, the new one.
  public var disposable: any Disposable {
    get {
      slot.withLock { if case .held(let current?) = $0 { current } else { nil } }
        ?? Disposables.create()
    }
    set {
      let superseded: (any Disposable)? = slot.withLock { slot in
        guard case .held(let former) = slot else { return newValue }
        slot = .held(newValue)
        return former
      }
      superseded?.dispose()
    }
  }

  public func dispose() {
    let last = slot.withLock { slot in
      defer { slot = .disposed }
      return slot
    }
    if case .held(let disposable?) = last { disposable.dispose() }
  }
}

/// Takes one disposable, once, and disposes it as soon as both have happened.
public final class SingleAssignmentDisposable: Cancelable {
  private let serial = SerialDisposable()
  private let assigned = Atomic<Bool>(false)

  public init() {}

  public var isDisposed: Bool { serial.isDisposed }

  /// Hands over the disposable. A second call is a programming error: it is reported, and the
  /// disposable given is disposed at once.
  public func setDisposable(_ disposable: any Disposable) {
    guard !assigned.exchange(true, ordering: .relaxed) else {
      Diagnostics.report(.misuse, "SingleAssignmentDisposable was assigned twice")
      return disposable.dispose()
    }
    serial.disposable = disposable
  }

  public func dispose() { serial.dispose() }
}

/// A group of disposables that end together, and may leave one by one.
public final class CompositeDisposable: Cancelable {
  private let members: Mutex<Members?>
  private let resource = ResourceCount(.disposable)

  /// Keys are given out in order and members disposed in that order.
  private struct Members {
    var next = 0
    var held: [Int: any Disposable] = [:]

    mutating func insert(_ disposable: any Disposable) -> Int {
      defer { next += 1 }
      held[next] = disposable
      return next
    }
  }

  /// Names a member, for `remove(for:)`.
  public struct DisposeKey: Sendable {
    fileprivate let value: Int
  }

  public convenience init() { self.init(disposables: []) }

  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  public init(disposables: [any Disposable]) {
    var members = Members()
    for disposable in disposables { _ = members.insert(disposable) }
    self.members = Mutex(members)
  }

  public var isDisposed: Bool { members.withLock { $0 == nil } }

  /// The number of members now.
  public var count: Int { members.withLock { $0?.held.count ?? 0 } }

  /// Adds a member. After `dispose()` it is disposed at once, and the result is nil.
  @discardableResult
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let key = members.withLock { $0?.insert(disposable) }
    if key == nil { disposable.dispose() }
    return key.map(DisposeKey.init)
  }

  /// Removes a member and disposes it.
  public func remove(for key: DisposeKey) {
    let member = members.withLock { $0?.held.removeValue(forKey: key.value) }
    member?.dispose()
  }

  public func dispose() {
    let last = members.withLock { members in
      defer { members = nil }
      return members
    }
    for (_, member) in last?.held.sorted(by: { $0.key < $1.key }) ?? [] { member.dispose() }
  }
}

/// Disposes what it holds once it has been disposed itself, and everything it has retained as well.
public final class RefCountDisposable: Cancelable {
  private let state: Mutex<State?>
  private let resource = ResourceCount(.disposable)

  private struct State {
    let disposable: any Disposable
    /// The retained ones, and one for the owner.
    var count = 1
    var isDisposed = false
  }

  /// Holds `disposable`.
  public init(disposable: any Disposable) { state = Mutex(State(disposable: disposable)) }

  /// Whether what it held has been disposed.
  public var isDisposed: Bool { state.withLock { $0 == nil } }

  /// Something that has to be disposed too; does nothing if all is over already.
  public func retain() -> any Disposable {
    let isOpen = state.withLock { state in
      state?.count += 1
      return state != nil
    }
    return isOpen ? Disposables.create { self.release() } : Disposables.create()
  }

  public func dispose() {
    let isFirst = state.withLock { state in
      defer { state?.isDisposed = true }
      return state?.isDisposed == false
    }
    if isFirst { release() }
  }

  private func release() {
    let last: (any Disposable)? = state.withLock { state in
      state?.count -= 1
      guard let held = state, held.count == 0 else { return nil }
      state = nil
      return held.disposable
    }
    last?.dispose()
  }
}

/// Disposes what it holds on a scheduler.
public final class ScheduledDisposable: Cancelable {
  // Proof of Unchecked: immutable; a scheduler for one thread is disposed from that thread.
  private let target: Unchecked<any ImmediateSchedulerType>
  private let held: SingleAssignmentDisposable

  /// Holds `disposable`.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    target = Unchecked(scheduler)
    held = SingleAssignmentDisposable()
    held.setDisposable(disposable)
  }

  /// Where it disposes.
  public var scheduler: any ImmediateSchedulerType { target.value }

  /// Whether what it holds has been disposed.
  public var isDisposed: Bool { held.isDisposed }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(held) { held in
      held.dispose()
      return Disposables.create()
    }
  }
}
