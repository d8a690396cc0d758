import Testing

@testable import Keyline

@Suite struct SerializerTests {
  final class Log {
    let serializer = Serializer<Int>()
    var handled: [Int] = []
    var depth = 0
    var isIdle: Bool { serializer.isIdle }

    func send(_ message: Int, inside body: @escaping () -> Void = {}) {
      serializer.send(message) { message in
        depth += 1
        #expect(depth == 1)
        handled.append(message)
        body()
        depth -= 1
      }
    }
  }

  @Test func law6AMessageSentFromAHandlerWaitsForItToReturn() {
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

  @Test func leavingHandlesWhatWasQueuedInOrder() {
    let log = Log()
    let entries = [log.serializer.enter(), log.serializer.enter()]
    #expect(entries == [true, false])
    for message in 1...3 { log.send(message) }
    #expect(log.handled == [])
    log.serializer.leave { log.handled.append($0) }
    #expect(log.handled == [1, 2, 3])
    #expect(log.isIdle)
  }

  @Test func claimingRecordsAndQueuesInOneInstant() {
    let serializer = Serializer<Int>()
    var recorded: [Int] = []
    var owners: [Bool] = []
    for message in 1...2 {
      owners.append(
        serializer.claim(orQueue: { message }, recording: { recorded.append(message) }))
    }
    var handled: [Int] = []
    serializer.leave { handled.append($0) }
    #expect(recorded == [1, 2])
    #expect(owners == [true, false])
    #expect(handled == [2])
  }
}
