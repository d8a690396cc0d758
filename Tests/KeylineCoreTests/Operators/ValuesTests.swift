import Keyline
import Testing

/// Sequences as asynchronous sequences: `values`.
@Suite struct ValuesTests {
  private final class Person: ReactiveObject {
    @Observed var name = "Ada"
  }

  /// What cannot fail is iterated without `try`.
  @Test("values of a sequence that cannot fail need no try") func valuesOfWhatCannotFailNeedNoTry()
    async
  {
    let relay = BehaviorRelay(value: 1)
    for await value in relay.values {
      #expect(value == 1)
      break
    }
    let person = Person()
    for await name in person.observe(\.name).values {
      #expect(name == "Ada")
      break
    }
    var all: [Int] = []
    for await value in Infallible.of(1, 2).values { all.append(value) }
    let property = ControlProperty(
      values: Observable.of(3), valueSink: AnyObserver<Int> { _ in })
    let streams: [AsyncStream<Int>] = [
      PublishRelay<Int>().values, ReplayRelay<Int>.create(bufferSize: 1).values, property.values,
      ControlEvent(events: Observable.of(4)).values, Signal.of(5).values,
    ]
    #expect(all == [1, 2])
    #expect(streams.count == 5)
  }

  /// The death of the source ends the subscription, and so the loop.
  @Test("Values end with the subscription") func valuesEndWithTheSubscription() async {
    var relay: PublishRelay<Int>? = PublishRelay()
    let values = relay!.values
    relay!.accept(1)
    relay = nil
    var received: [Int] = []
    for await value in values { received.append(value) }
    #expect(received == [1])
    var person: Person? = Person()
    let names = person!.observe(\.name).values
    person = nil
    var all: [String] = []
    for await name in names { all.append(name) }
    #expect(all == ["Ada"])
  }

  @Test("Values of an observable throw") func valuesOfAnObservableThrow() async {
    let stream: AsyncThrowingStream<Int, any Error> = Observable<Int>.error(RxError.timeout).values
    await #expect(throws: RxError.self) { for try await _ in stream {} }
    let relay: AsyncThrowingStream<Int, any Error> = BehaviorRelay(value: 1).asObservable().values
    _ = relay
  }
}
