import Synchronization

/// Calls a closure once.
final class ActionDisposable: Cancelable {
  private let action: Protected<(() -> Void)?>

  init(_ action: @escaping () -> Void) {
    self.action = Protected(action)
    Instrumentation.report(.began(ObjectIdentifier(self), .disposable))
  }

  var isDisposed: Bool { action.withLock { $0 == nil } }

  func dispose() { action.exchange(nil)?() }

  deinit { Instrumentation.report(.ended(ObjectIdentifier(self))) }
}

/// A disposable that only records that it was disposed.
public final class BooleanDisposable: Cancelable {
  private let serial = SerialDisposable()

  /// A disposable that has been disposed already if `isDisposed` is true.
  public init(isDisposed: Bool = false) { if isDisposed { dispose() } }

  public var isDisposed: Bool { serial.isDisposed }

  public func dispose() { serial.dispose() }
}

/// Holds one disposable at a time; assigning another disposes the previous one.
///
/// - SeeAlso: ``SingleAssignmentDisposable``, which takes one only.
public class SerialDisposable: Cancelable, @unchecked Sendable {
  // Proof of @unchecked: a mutex; each subclass proves its own fields.
  private let state = Protected(State())

  private struct State {
    var held: (any Disposable)?
    var isDisposed = false
    /// How often it has been replaced.
    var turn = 0
  }

  /// A disposable that holds nothing.
  public init() { Instrumentation.report(.began(ObjectIdentifier(self), .disposable)) }

  public final var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// The disposable held. Setting it disposes the previous one or, after `dispose()`, the new one.
  public final var disposable: any Disposable {
    get { state.withLock { $0.held } ?? Disposables.create() }
    set { replace(with: newValue) }
  }

  /// Holds the result of `make`, unless something else has taken its place by then: an action that
  /// `make` schedules may run, and call `hold` again, before `make` returns.
  package final func hold(_ make: () -> any Disposable) {
    let turn = replace(with: nil)
    replace(with: make(), in: turn)
  }

  /// Holds `other` and disposes the previous disposable. If `other` is refused, disposes `other`.
  ///
  /// - Parameter turn: `other` is refused if this turn has passed; nil begins a new turn.
  @discardableResult
  private func replace(with other: consuming (any Disposable)?, in turn: Int? = nil) -> Int {
    let latest = state.withLock { state in
      if !state.isDisposed, turn == nil || turn == state.turn { swap(&state.held, &other) }
      if turn == nil { state.turn += 1 }
      return state.turn
    }
    other?.dispose()
    return latest
  }

  public func dispose() { state.exchange(State(isDisposed: true)).held?.dispose() }

  public final func _end() -> [any Disposable] {
    state.exchange(State(isDisposed: true)).held.map { [$0] } ?? []
  }

  deinit { Instrumentation.report(.ended(ObjectIdentifier(self))) }
}

/// Is assigned one disposable, once, and disposes it as soon as it has been both assigned and
/// disposed.
public final class SingleAssignmentDisposable: Cancelable {
  private let serial = SerialDisposable()
  private let assigned = Atomic<Bool>(false)

  /// A disposable that nothing has been assigned to.
  public init() {}

  public var isDisposed: Bool { serial.isDisposed }

  /// Assigns the disposable. A second call is a programming error: it is reported, and the
  /// disposable given is disposed at once.
  public func setDisposable(_ disposable: any Disposable) {
    guard !assigned.exchange(true, ordering: .relaxed) else {
      Diagnostics.report(.misuse, "SingleAssignmentDisposable was assigned twice")
      return disposable.dispose()
    }
    serial.disposable = disposable
  }

  public func dispose() { serial.dispose() }

  public func _end() -> [any Disposable] { serial._end() }
}

/// A group of disposables that are disposed together, and may be removed one by one.
///
/// The members are disposed one after the other, by the first thread that disposes the group, after all
/// subscriptions among them have ended: none receives an element that the disposal of another emits. A
/// call of `dispose()` on another thread at that moment returns before the last member has been disposed.
public final class CompositeDisposable: Cancelable {
  /// Members by number, disposed in ascending order; nil once the group has been disposed.
  private let members = Protected<[Int: any Disposable]?>([:])
  /// Counts the members of all groups, so that a group ignores the keys of another.
  private static let lastNumber = Atomic<Int>(0)

  /// Identifies a member, for `remove(for:)`.
  public struct DisposeKey: Sendable {
    fileprivate let number: Int
  }

  /// A group of `disposables`.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  /// A group of `disposables`.
  public init(disposables: [any Disposable]) {
    Instrumentation.report(.began(ObjectIdentifier(self), .disposable))
    for disposable in disposables { insert(disposable) }
  }

  public var isDisposed: Bool { members.withLock { $0 == nil } }

  /// The number of members now.
  public var count: Int { members.withLock { $0?.count ?? 0 } }

  /// Adds a member. After `dispose()` it is disposed at once, and the result is nil.
  @discardableResult public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let key = DisposeKey(number: Self.lastNumber.add(1, ordering: .relaxed).newValue)
    if members.withLock({ ($0?[key.number] = disposable) != nil }) { return key }
    disposable.dispose()
    return nil
  }

  /// Removes a member and disposes it. Without effect if the member has been removed, or belongs to
  /// another group.
  public func remove(for key: DisposeKey) {
    let member = members.withLock { $0?.removeValue(forKey: key.number) }
    member?.dispose()
  }

  public func dispose() { Disposables.dispose(_end()) }

  public func _end() -> [any Disposable] {
    (members.exchange(nil) ?? [:]).sorted { $0.key > $1.key }.map(\.value)
  }

  deinit {
    Instrumentation.report(.ended(ObjectIdentifier(self)))
    // Groups that only this one retains are emptied here: however deep, they do not grow the stack.
    var groups = _end().compactMap { $0 as? CompositeDisposable }
    while var group = groups.popLast() {
      guard isKnownUniquelyReferenced(&group) else { continue }
      groups += group._end().compactMap { $0 as? CompositeDisposable }
    }
  }
}

/// Disposes the disposable it holds once it has itself been disposed, and so have all disposables
/// returned by `retain()`.
public final class RefCountDisposable: Cancelable {
  private let held = SingleAssignmentDisposable()
  private let isReleased = Atomic<Bool>(false)
  /// The disposables retained, and one for the owner.
  private let count = Atomic<Int>(1)

  /// Holds `disposable`.
  public init(disposable: any Disposable) { held.setDisposable(disposable) }

  /// Whether the disposable it holds has been disposed.
  public var isDisposed: Bool { held.isDisposed }

  /// A disposable that has to be disposed too; without effect if everything has been disposed.
  public func retain() -> any Disposable {
    count.add(1, ordering: .relaxed)
    return SharedPart(release)
  }

  public func dispose() { Disposables.dispose(_end()) }

  public func _end() -> [any Disposable] {
    isReleased.exchange(true, ordering: .acquiringAndReleasing) ? [] : release()
  }

  private func release() -> [any Disposable] {
    count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 ? [held] : []
  }
}

/// A part in something shared, which ends with the last part.
final class SharedPart: Disposable {
  private let isReleased = Atomic<Bool>(false)
  // Proof of Unchecked: immutable; calls synchronised code only.
  private let release: Unchecked<() -> [any Disposable]>

  /// - Parameter release: called once; calls and releases no code of the program. Returns what ends
  ///   with the last part.
  init(_ release: @escaping () -> [any Disposable]) { self.release = Unchecked(release) }

  func dispose() { Disposables.dispose(_end()) }

  func _end() -> [any Disposable] {
    isReleased.exchange(true, ordering: .acquiringAndReleasing) ? [] : release.value()
  }
}

/// Disposes the disposable it holds on a scheduler, which any thread may use.
public final class ScheduledDisposable: Cancelable {
  /// The scheduler on which it disposes.
  public let scheduler: any ImmediateSchedulerType & Sendable
  private let held = SingleAssignmentDisposable()

  /// Holds `disposable`.
  public init(scheduler: any ImmediateSchedulerType & Sendable, disposable: any Disposable) {
    self.scheduler = scheduler
    held.setDisposable(disposable)
  }

  /// Whether the disposable it holds has been disposed.
  public var isDisposed: Bool { held.isDisposed }

  /// Schedules the disposal.
  public func dispose() { _ = scheduler.schedule(held.dispose) }
}

/// A scheduled action: invoked at most once, not after its end, and released when it is disposed, however
/// long the scheduler retains this object. It holds the disposable that the action has returned.
package class ScheduledAction: SerialDisposable, @unchecked Sendable {
  // Proof of @unchecked: a mutex; each subclass proves its own fields.
  private let action: Protected<(() -> any Disposable)?>

  package init(_ action: @escaping () -> any Disposable) { self.action = Protected(action) }

  /// Whether it is to be run before `other`, an action of the same virtual clock. Here, because the code of a
  /// heap of a generic type is not specialised, and slow.
  func isDue(before other: ScheduledAction) -> Bool { false }

  package final func invoke() {
    if let action = action.exchange(nil), !isDisposed { disposable = action() }
  }

  package final override func dispose() {
    _ = action.exchange(nil)
    super.dispose()
  }
}
