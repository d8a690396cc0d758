import Testing

@testable import Keyline

@Suite struct SerializerTests {
  final class Log {
    let serializer = Serializer()
    var handled: [Int] = []
    var depth = 0
    var isIdle: Bool { serializer.isIdle }

    func send(_ message: Int, inside body: @escaping () -> Void = {}) {
      serializer.run {
        self.depth += 1
        #expect(self.depth == 1)
        self.handled.append(message)
        body()
        self.depth -= 1
      }
    }
  }

  @Test func law6WorkSentFromInsideWorkWaitsForItToReturn() {
    let log = Log()
    log.send(1) {
      if log.handled.count < 3 {
        log.send(2)
        log.send(3)
      }
    }
    #expect(log.handled.prefix(3) == [1, 2, 3])
    #expect(log.isIdle)
  }

  @Test func leavingDoesWhatWasQueuedInOrder() {
    let log = Log()
    let entries = [log.serializer.enter(), log.serializer.enter()]
    #expect(entries == [true, false])
    for message in 1...3 { log.send(message) }
    #expect(log.handled == [])
    log.serializer.leave()
    #expect(log.handled == [1, 2, 3])
    #expect(log.isIdle)
  }

  @Test func claimingRecordsAndQueuesInOneInstant() {
    let serializer = Serializer()
    var recorded: [Int] = []
    var handled: [Int] = []
    var owners: [Bool] = []
    for message in 1...2 {
      owners.append(
        serializer.claim(
          orQueue: { { handled.append(message) } }, recording: { recorded.append(message) }))
    }
    serializer.leave()
    #expect(recorded == [1, 2])
    #expect(owners == [true, false])
    #expect(handled == [2])
  }
}
