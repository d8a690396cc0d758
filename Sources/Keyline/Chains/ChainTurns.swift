import KeylineCore
import Synchronization

/// Whose turn it is to follow a chain: a serializer, which may be asked something from inside as well.
///
/// What comes behind a hop has to know whether that is about to lead elsewhere, while another thread
/// may be ending the chain, or following a death: so that is asked in a turn of its own, or in the one
/// that the thread has already.
struct ChainTurns: ~Copyable {
  typealias Scope = UnsafeMutablePointer<ThreadScope>

  private let serializer = EngineSerializer()
  /// The scope of the thread that has the turn; 0 for none.
  private let owner = Atomic<UInt>(0)
  /// Whether a hop may be about to lead elsewhere whatever is under way: one is computed or derived, so
  /// that it is followed when the scope closes; or both ends of a binding may stand behind it.
  private let areHopsAwaited = Atomic<Bool>(false)

  /// From now on, hops may be about to lead elsewhere whatever is under way.
  func awaitHops() { areHopsAwaited.store(true, ordering: .relaxed) }

  /// Whether a hop may be about to lead elsewhere. Not in the outermost set of the thread: that is of
  /// what asks, and none has been set before.
  @inline(__always) func mayAwait(in scope: Scope) -> Bool {
    areHopsAwaited.load(ordering: .relaxed) || scope.isNested || scope.pointee.batch.isActive
  }

  /// Takes the turn, unless there is one already. Whoever takes it must `leave()`.
  @inline(__always) func enter(_ scope: Scope) -> Bool {
    guard serializer.enter() else { return false }
    owner.store(UInt(bitPattern: scope), ordering: .relaxed)
    return true
  }

  /// Ends the turn, after doing what has been left to it.
  @inline(__always) func leave() {
    owner.store(0, ordering: .relaxed)
    serializer.leave()
  }

  /// Does `work` in its turn: at once if there is none, else it is left to that.
  func perform(_ work: @escaping () -> Void, for follower: ChainFollower) {
    guard enter(ThreadScope.ofThread) else {
      return serializer.perform {
        follower.turns.owner.store(UInt(bitPattern: ThreadScope.ofThread), ordering: .relaxed)
        work()
        follower.turns.owner.store(0, ordering: .relaxed)
      }
    }
    work()
    leave()
  }

  /// What `question` answers in a turn. True if another thread has it: that ends the chain, or follows
  /// a death.
  // Proof: only this thread stores its own scope as the owner, and it removes it before it leaves.
  func ask(in scope: Scope, _ question: () -> Bool) -> Bool {
    if owner.load(ordering: .relaxed) == UInt(bitPattern: scope) { return question() }
    guard enter(scope) else { return true }
    defer { leave() }
    return question()
  }
}
