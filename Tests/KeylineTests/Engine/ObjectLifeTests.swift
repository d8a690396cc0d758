import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

/// The table of ``ObjectLife``: each call, while the object is alive and once it is dying.
@Suite struct ObjectLifeTests {
  private let object = LifeTable()
  private let life: RegisteredObject

  init() { life = RegisteredObject(object) }

  private final class LifeTable {}

  private final class Witness: Observer, @unchecked Sendable {
    let number: Int

    init(_ number: Int, of node: Node) {
      self.number = number
      super.init(node, SubscriptionContext())
    }
  }

  private func node() -> Node { Node(owner: life) }

  private func numbers(_ observers: [Observer]) -> [Int] {
    observers.compactMap { ($0 as? Witness)?.number }
  }

  private func waiting(for phase: ObjectLife.Phase, _ action: @escaping () -> Void = {})
    -> DeathAction
  {
    DeathAction(life, phase, SubscriptionContext(), action)
  }

  // MARK: The observers of a node

  @Test("join: in order") func join() {
    let node = node()
    for number in 1...3 { #expect(life.join(Witness(number, of: node))) }
    #expect(numbers(node.owner.all(of: node)) == [1, 2, 3] && node.isObserved)
  }

  @Test("join: refused once the object is dying, and by a node that has ended") func joinDying() {
    let node = node()
    let ended = self.node()
    _ = ended.markEnded()
    #expect(!life.join(Witness(1, of: ended)))
    _ = life.enter(.unreachable)
    #expect(!life.join(Witness(2, of: node)) && !node.isObserved)
  }

  @Test("observers: each once, without those that have left or joined meanwhile")
  func observers() {
    let node = node()
    let observers = (1...5).map { Witness($0, of: node) }
    for observer in observers { node.add(observer) }
    node.version = 1
    node.delivered = 1
    let (first, others) = life.observers(of: node)
    var received: [Int] = []
    for case let observer as Witness in [first].compactMap({ $0 }) + others
    where node.receivesDelivery(observer) {
      received.append(observer.number)
      guard observer.number == 2 else { continue }
      // The current one leaves, then the next one, and another one joins.
      for leaving in observers[1...2] { leaving.context.dispose() }
      _ = life.join(Witness(6, of: node))
    }
    #expect(received == [1, 2, 4, 5])
    #expect(numbers(node.owner.all(of: node)) == [1, 4, 5, 6])
  }

  @Test("leave: tells when the last observer has left, once") func leave() {
    let node = node()
    let observers = (1...2).map { Witness($0, of: node) }
    for observer in observers { _ = life.join(observer) }
    #expect(!life.leave(observers[1]) && !life.leave(observers[1]))
    #expect(life.leave(observers[0]) && !life.leave(observers[0]))
    #expect(!node.isObserved && node.owner.all(of: node).isEmpty)
  }

  // MARK: The readers of a node

  @Test("link, sweepReaders, readers: also after the death") func readers() {
    let (node, reader, other) = (node(), node(), node())
    for reader in [reader, other] { reader.depend(on: node) }
    #expect(
      life.readers(of: node).map(ObjectIdentifier.init)
        == [other, reader].map(ObjectIdentifier.init))
    _ = life.enter(.unreachable)
    reader.dropDependencies()
    life.sweepReaders(of: node)
    #expect(life.readers(of: node).count == 1 && life.readers(of: node).first === other)
    reader.depend(on: node)
    #expect(life.readers(of: node).count == 2)
  }

  // MARK: Death

  @Test("wait: until its phase has begun") func wait() {
    #expect(life.wait(waiting(for: .dead)))
    _ = life.enter(.deallocating)
    #expect(!life.wait(waiting(for: .unreachable)) && !life.wait(waiting(for: .deallocating)))
    #expect(life.wait(waiting(for: .dead)) && life.wait(waiting(for: .deallocated)))
    #expect(life.enter(.dead).count == 2 && !life.isAlive)
  }

  @Test("stopWaiting: before and after it has been taken") func stopWaiting() {
    let members = (0..<3).map { _ in waiting(for: .dead) }
    for member in members { _ = life.wait(member) }
    life.stopWaiting(members[1])
    let taken = life.enter(.dead)
    #expect(taken.count == 2 && taken[0] === members[0] && taken[1] === members[2])
    life.stopWaiting(members[0])
    #expect(life.deathObservers.isEmpty)
  }

  @Test("enter: in order, each phase once") func enter() {
    let phases: [ObjectLife.Phase] = [.deallocated, .deallocating, .dead]
    for phase in phases { _ = life.wait(waiting(for: phase)) }
    let taken = [.unreachable, .deallocating, .dead, .dead, .deallocated, .unreachable].map {
      life.enter($0).map(\.phase)
    }
    #expect(taken == [[], [.deallocating], [.dead], [], [.deallocated], []])
  }

  @Test("when: at once if the phase has begun, never for a subscription that has ended")
  func when() {
    let calls = Log<String>()
    let (context, ended) = (SubscriptionContext(), SubscriptionContext())
    life.when(.dead, in: context) { calls.append("waiting") }
    life.when(.dead, in: ended) { calls.append("ended") }
    ended.dispose()
    life.reach(.dead)
    life.when(.dead, in: context) { calls.append("late") }
    calls.expect(["waiting", "late"])
  }

  // MARK: Mail

  @Test("post, takeMail: while alive") func mail() {
    life.post(.abandoned(node()))
    life.post(.abandoned(node()))
    #expect(life.hasMail && life.takeMail().count == 2)
    #expect(!life.hasMail && life.takeMail().isEmpty)
  }

  @Test("post: dropped once the object is dying") func postDying() {
    weak var node: Node?
    do {
      let made = self.node()
      node = made
      life.post(.abandoned(made))
    }
    #expect(node != nil)
    _ = life.enter(.unreachable)
    #expect(node == nil)
    life.post(.abandoned(self.node()))
    #expect(life.takeMail().isEmpty)
  }

  @Test("D19: Numbers of evaluations and transactions have 64 bits on every platform")
  func numbersHave64Bits() {
    let transaction = Transaction.current
    #expect(type(of: transaction.lastEvaluation) == UInt64.self)
    #expect(type(of: transaction.settling) == UInt64.self)
    let node = Node(owner: RegisteredObject(transaction))
    #expect(type(of: node.stamp) == UInt64.self)
    let numbers = SharedLog<UInt64>()
    for _ in 0..<3 {
      onAnotherThread { numbers.append(Transaction.current.settling >> 32) }
    }
    #expect(numbers.all.count == 3 && !numbers.all.contains(0))
  }
}
