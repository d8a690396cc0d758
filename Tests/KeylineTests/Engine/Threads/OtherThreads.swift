import Foundation
import Keyline
import Synchronization
import TestSupport

/// The last reference to an object, to be dropped on another thread.
final class LastReference: @unchecked Sendable {
  // Proof of @unchecked: made on one thread, and used afterwards only by the thread that drops it.
  private var object: AnyObject?

  init(_ object: consuming AnyObject) { self.object = object }

  func drop() { object = nil }
}

/// Work for another thread: everything that a thread may do to the objects of another domain.
enum Errand: Sendable {
  case dispose(any Disposable)
  case drop(LastReference)

  func run() {
    switch self {
    case .dispose(let disposable): disposable.dispose()
    case .drop(let reference): reference.drop()
    }
  }
}

/// An errand, and how long the thread idles before it.
struct DelayedErrand: Sendable {
  let delay: Int
  let errand: Errand

  init(_ errand: Errand, after delay: Int = 0) {
    self.delay = delay
    self.errand = errand
  }
}

/// Threads that run errands at the same moment as the domain: they wait for a word that the domain
/// sets, so that a collision takes place within some hundred instructions.
///
///     domain   hand over errands ──▶ all are ready ──▶ go ──▶ body ──▶ join
///     thread                         take errands ──▶ wait ──▶ run ──▶ done
///
/// - Isolation: `together` is called by one thread at a time.
final class OtherThreads: Sendable {
  private let handed: [Guarded<[DelayedErrand]>]
  // The numbers of the meeting announced last, of the one begun last, and of the last one of all.
  private let announced = Atomic<Int>(0)
  private let begun = Atomic<Int>(0)
  private let last = Atomic<Int>(.max)
  // How many threads have been ready and done, in all meetings.
  private let ready = Atomic<Int>(0)
  private let done = Atomic<Int>(0)
  private let ended = DispatchGroup()

  var count: Int { handed.count }

  init(_ count: Int) {
    handed = (0..<count).map { _ in Guarded([]) }
    for index in 0..<count {
      ended.enter()
      Thread { [self] in
        work(index)
        ended.leave()
      }.start()
    }
  }

  /// Runs `body` here while the other threads run their errands; returns when all have finished.
  ///
  /// - Parameter errands: the errands of each thread, in order. They must be the only owners of the
  ///   objects to be dropped.
  func together(_ errands: consuming [[DelayedErrand]], _ body: () -> Void = {}) {
    for (index, errands) in errands.enumerated() { handed[index].withLock { $0 = errands } }
    errands = []
    let meeting = announced.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    while ready.load(ordering: .acquiring) < meeting * count { sched_yield() }
    begun.store(meeting, ordering: .releasing)
    body()
    while done.load(ordering: .acquiring) < meeting * count { sched_yield() }
  }

  /// Ends the threads, and returns when they have ended.
  func stop() {
    last.store(announced.load(ordering: .relaxed) + 1, ordering: .releasing)
    together([])
    ended.wait()
  }

  private func work(_ index: Int) {
    var meeting = 0
    while meeting < last.load(ordering: .acquiring) {
      meeting += 1
      waitUntil(announced, is: meeting)
      run(handed[index].withLock { exchange(&$0, with: []) }, in: meeting)
      done.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
  }

  // A function of its own, so that the errands are released before the thread is done.
  private func run(_ errands: consuming [DelayedErrand], in meeting: Int) {
    ready.wrappingAdd(1, ordering: .acquiringAndReleasing)
    waitUntil(begun, is: meeting)
    for errand in errands {
      idle(errand.delay)
      errand.errand.run()
    }
  }

  private func waitUntil(_ word: borrowing Atomic<Int>, is meeting: Int) {
    var rounds = 0
    while word.load(ordering: .acquiring) < meeting {
      rounds += 1
      // With more threads than cores, a thread that only spins keeps another one from going on.
      if rounds.isMultiple(of: 64) { sched_yield() }
    }
  }

  private func exchange(_ list: inout [DelayedErrand], with other: [DelayedErrand])
    -> [DelayedErrand]
  {
    defer { list = other }
    return list
  }
}

private let idled = Atomic<Int>(0)

/// Spends some nanoseconds for each of `count` rounds.
func idle(_ count: Int) {
  for _ in 0..<count { _ = idled.load(ordering: .relaxed) }
}
