import Testing

@testable import KeylineCore

@Suite struct SerializerTests {
  final class Worker {
    let serializer = Serializer()
    var done: [Int] = []
    var depth = 0
    /// Whether the serializer has no owner.
    var isIdle: Bool {
      guard serializer.enter() else { return false }
      serializer.leave()
      return true
    }

    func run(_ number: Int, inside body: @escaping () -> Void = {}) {
      serializer.perform {
        self.depth += 1
        #expect(self.depth == 1)
        self.done.append(number)
        body()
        self.depth -= 1
      }
    }
  }

  @Test("C6: Work sent from inside work waits for it to return")
  func c6WorkSentFromInsideWorkWaitsForItToReturn() {
    let worker = Worker()
    worker.run(1) {
      worker.run(2) { worker.run(4) }
      worker.run(3)
    }
    #expect(worker.done == [1, 2, 3, 4])
    #expect(worker.isIdle)
  }

  @Test("Leaving the serializer performs the queued work in order")
  func leavingDoesWhatWasQueuedInOrder() {
    let worker = Worker()
    let entries = [worker.serializer.enter(), worker.serializer.enter()]
    #expect(entries == [true, false])
    for number in 1...3 { worker.run(number) }
    #expect(worker.done == [])
    worker.serializer.leave()
    #expect(worker.done == [1, 2, 3])
    #expect(worker.isIdle)
  }

  @Test("Claiming records and queues in one instant") func claimingRecordsAndQueuesInOneInstant() {
    let worker = Worker()
    var recorded: [Int] = []
    var owners: [Bool] = []
    for number in 1...2 {
      owners.append(
        worker.serializer.claim(
          orQueue: { { worker.done.append(number) } },
          recording: {
            recorded.append(number)
            return true
          }))
    }
    worker.serializer.leave()
    #expect(recorded == [1, 2])
    #expect(owners == [true, false])
    #expect(worker.done == [2])
  }

  @Test("Instant work is done at once, or left to the owner")
  func instantWorkIsDoneAtOnceOrLeftToTheOwner() {
    let worker = Worker()
    worker.serializer.performInstantly { worker.done.append(1) }
    #expect(worker.done == [1])
    #expect(worker.isIdle)
    worker.run(2) {
      worker.serializer.performInstantly { worker.done.append(3) }
      #expect(worker.done == [1, 2])
    }
    #expect(worker.done == [1, 2, 3])
    #expect(worker.isIdle)
  }
}
