import KeylineCore
import TestSupport
import Testing

@Suite struct RxErrorTests {
  @Test("Errors describe themselves") func errorsDescribeThemselves() {
    let errors: [RxError] = [
      .unknown, .overflow, .argumentOutOfRange, .noElements, .moreThanOneElement, .timeout,
    ]
    #expect(
      errors.map(\.debugDescription) == [
        "Unknown error occurred.", "Arithmetic overflow occurred.", "Argument out of range.",
        "Sequence doesn't contain any elements.", "Sequence contains more than one element.",
        "Sequence timeout.",
      ])
    #expect("\(RxError.disposed(object: [1] as AnyObject))".hasSuffix("` was already disposed."))
    #expect(Set(errors.indices.map { index in errors.firstIndex(of: errors[index]) }).count == 6)
  }

  @Test("An EventHandler makes an observer") func anEventHandlerMakesAnObserver() {
    var events: [Event<Int>] = []
    let handler: AnyObserver<Int>.EventHandler = { events.append($0) }
    AnyObserver(eventHandler: handler).onNext(1)
    #expect(events == [.next(1)])
  }
}

@Suite struct EventTests {
  @Test("Mapping an event that throws gives an error") func mappingAnEventThatThrowsGivesAnError() {
    struct Failure: Error {}
    let event = Event.next(1).map { (_: Int) throws -> Int in throw Failure() }
    #expect(event.error is Failure)
    #expect(event.isStopEvent)
  }
}
