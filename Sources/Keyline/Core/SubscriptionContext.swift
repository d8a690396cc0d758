import Synchronization

/// What one `subscribe` owns: its flag, its teardown list, and the right to end it once.
///
///     Disposable the caller holds ──▶ context ──▶ teardown: upstream registrations, timers, inner
///                                        ▲                  contexts, the `onDisposed` handler
///     outermost observer ────────────────┘
///
/// The cycle (context → registration → observer → context) is cut by whichever comes first:
/// termination, disposal, or the death of the source that holds the registration.
///
/// - Isolation: `Sendable`; every member may be used from any thread.
@usableFromInline
class SubscriptionContext: Cancelable, @unchecked Sendable {
  // Proof of @unchecked: an atomic and a mutex; open to subclasses within the module only.
  private let active = Atomic<Bool>(true)
  private let teardown = Mutex<Teardown>(.pending(nil, []))

  /// Last in, first out: stages add themselves downstream first, and unwind upstream first.
  private enum Teardown {
    case pending((any Disposable)?, [any Disposable])
    case done
  }

  @usableFromInline
  init() {}

  /// Whether elements may still pass.
  ///
  /// Sequentially consistent: ``Broadcaster`` relies on its order against the serializer's state.
  /// On x86 that is an ordinary load.
  @usableFromInline
  var isActive: Bool { active.load(ordering: .sequentiallyConsistent) }

  public var isDisposed: Bool { !isActive }

  /// Claims the end of the subscription: true for exactly one caller, which must `tearDown()`.
  func end() -> Bool { active.exchange(false, ordering: .sequentiallyConsistent) }

  /// Ends the subscription and disposes what was added.
  public func dispose() {
    if end() { tearDown() }
  }

  /// Disposes `disposable` with the subscription; at once if that has been torn down already.
  @usableFromInline
  func add(_ disposable: any Disposable) {
    let isLate = teardown.withLock { teardown in
      switch teardown {
      case .done: return true
      case .pending(nil, let rest): teardown = .pending(disposable, rest)
      case .pending(let first, var rest):
        teardown = .done
        rest.append(disposable)
        teardown = .pending(first, rest)
      }
      return false
    }
    if isLate { disposable.dispose() }
  }

  /// Disposes what was added. Called once, by the one whose `end()` was true.
  func tearDown() {
    let ended = teardown.withLock { teardown in
      defer { teardown = .done }
      return teardown
    }
    guard case .pending(let first, let rest) = ended else { return }
    for disposable in rest.reversed() { disposable.dispose() }
    first?.dispose()
  }

  /// A context that ends with this one, or before it.
  ///
  /// It stays in this context's list until that ends: for upstreams fixed in number. Operators that
  /// come and go through many keep them in a ``SerialDisposable`` or a set of their own.
  func child() -> SubscriptionContext {
    let child = SubscriptionContext()
    add(child)
    return child
  }
}
