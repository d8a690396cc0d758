import Foundation
import Testing

/// No operator is missing from the battery of laws.
@Suite struct InventoryTests {
  /// The operators of the inventory, family by family, as the battery calls them.
  static let inventory: [String: [String]] = [
    "creating": [
      "create", "deferred", "empty", "error", "never", "just", "just(scheduler:)", "of", "from",
      "from(optional:)", "generate", "range", "repeatElement", "using", "timer", "interval",
    ],
    "transforming": [
      "map", "compactMap", "flatMap", "flatMapFirst", "flatMapLatest", "concatMap", "scan",
      "scan(into:)", "withPrevious", "buffer", "window", "groupBy", "enumerated", "materialize",
      "dematerialize",
      "toArray", "decode",
    ],
    "filtering": [
      "filter", "distinctUntilChanged", "distinctUntilChanged(at:)", "distinctUntilChanged(key)",
      "distinctUntilChanged(comparer)", "distinctUntilChanged(key, comparer)",
      "distinctUntilChanged of objects", "distinctUntilChanged of optional objects", "element(at:)",
      "first", "single()", "single", "ignoreElements", "take", "take(for:)", "take(until:)",
      "take(until: predicate)", "take(while:)", "takeLast", "skip", "skip(duration)",
      "skip(until:)", "skip(while:)", "sample", "debounce", "throttle",
    ],
    "combining": [
      "combineLatest, last of two", "combineLatest, tuple of three", "combineLatest, collection",
      "zip, one", "zip, shared", "zip, collection", "merge, static", "merge",
      "merge(maxConcurrent:)", "concat, first", "concat, second", "concat()", "amb, left",
      "amb, last of three", "startWith", "withLatestFrom", "switchLatest", "withUnretained",
    ],
    "conditional and aggregate": [
      "ifEmpty(default:)", "ifEmpty(switchTo:)", "reduce", "reduce(mapResult:)",
    ],
    "errors": [
      "catch", "catch, second", "catchAndReturn", "catch(sequence:)", "retry()", "retry(1)",
      "retry(when:)",
    ],
    "sharing": [
      "share", "share(replay: 1)", "share(replay: 2)", "multicast", "multicast(makeSubject:)",
      "publish", "replay(1)", "replayAll", "connect", "refCount",
    ],
    "across traits": [
      "Driver.flatMap into signals", "Driver.flatMapLatest into a signal",
      "Signal.flatMapFirst into a driver", "Signal.concatMap into drivers",
      "Signal.switchLatest of a driver", "Driver.merge of a signal",
      "Driver.merge(maxConcurrent:) of a signal", "Infallible.flatMap into observables",
      "Infallible.flatMapLatest into an infallible", "Infallible.flatMapFirst into observables",
      "Infallible.concatMap into observables", "Infallible.switchLatest",
      "Infallible.merge(maxConcurrent:)", "Infallible.take(until:) an observable",
      "Infallible.skip(until:) an observable", "Signal.withLatestFrom a driver",
      "Infallible.sample", "Driver.combineLatest with an infallible", "Signal.zip",
    ],
    "timing and utility": [
      "observe(on:)", "subscribe(on:)", "delay", "delaySubscription", "timeout", "timeout, other",
      "do", "do(onDispose:)", "debug",
    ],
  ]

  @Test("Every operator is in the battery", arguments: inventory.keys.sorted())
  func everyOperatorIsInTheBattery(_ family: String) throws {
    let names = OperatorUnderTest.all.map(\.testDescription)
    // One line of the battery may hold two operators, or one of two sides of an operator.
    let registered = Set(names + names.flatMap { $0.components(separatedBy: ", ") })
    let operators = try #require(Self.inventory[family])
    #expect(operators.filter { !registered.contains($0) } == [])
  }

  @Test("No line stands twice") func noLineStandsTwice() {
    let names = OperatorUnderTest.all.map(\.testDescription)
    #expect(Set(names).count == names.count)
  }
}
