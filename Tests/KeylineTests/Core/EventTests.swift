import Keyline
import Testing

@Suite struct EventTests {
  @Test func mappingAnEventThatThrowsGivesAnError() {
    struct Failure: Error {}
    let event = Event.next(1).map { (_: Int) throws -> Int in throw Failure() }
    #expect(event.error is Failure)
    #expect(event.isStopEvent)
  }
}
