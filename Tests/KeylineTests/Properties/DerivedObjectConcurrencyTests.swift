import Dispatch
import Keyline
import Synchronization
import TestSupport
import Testing

/// Derived values that are objects, which are cached weakly, while the objects die on another
/// thread. Run under the sanitizers.
@Suite struct DerivedObjectConcurrencyTests {
  private final class Row: Sendable {
    let number = 7
  }

  private final class Owner: ReactiveObject {
    /// The only strong reference to the object that the rules have made last.
    let last = Guarded<Row?>(nil)

    @Derived({ (self: Owner) in self.makeRow() }) var row: Row
    @Derived({ (self: Owner) in self.makeRow() }) var optional: Row?
    @Derived({ (self: Owner) in self.makeRow() }, equals: { $0?.number == $1?.number })
    var compared: Row?

    private func makeRow() -> Row {
      let row = Row()
      last.withLock { $0 = row }
      return row
    }
  }

  /// Reads objects here until another thread has released 1,500 of them, each after another time.
  private func read(_ read: (Owner) -> Row?) {
    let owner = Owner()
    let last = owner.last
    let released = Atomic<Int>(0)
    let group = DispatchGroup()
    ownThread().async(group: group) {
      for round in 0..<1_500 {
        while !last.withLock({ $0 != nil }) {}
        for _ in 0..<(round % 1_499) { _ = released.load(ordering: .relaxed) }
        _ = last.withLock { $0.take() }
        released.add(1, ordering: .relaxed)
      }
    }
    while released.load(ordering: .relaxed) < 1_500 {
      if read(owner)?.number != 7 { Issue.record("no object") }
    }
    group.wait()
  }

  @Test("D23: A derived object dies on another thread while it is read")
  func d23ADerivedObjectDiesOnAnotherThreadWhileItIsRead() {
    read { $0.row }
    read { $0.optional }
  }

  @Test("D23: A derived object dies on another thread while it is compared")
  func d23ADerivedObjectDiesOnAnotherThreadWhileItIsCompared() {
    read { owner in
      owner.$compared.invalidate()
      return owner.compared
    }
  }
}
