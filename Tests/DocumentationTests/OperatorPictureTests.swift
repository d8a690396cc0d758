import KeylineCore
import KeylineTest
import Testing

/// Each operator draws the picture that the page about operators has for it.
@Suite struct OperatorPictureTests {
  private typealias Operation = (Observable<Int>, TestScheduler) -> Observable<Int>

  private let marbles = Marbles<Int>()

  /// The lines of the picture below a heading, by their labels, each with the spaces before it.
  private static func pictures(_ heading: String) throws -> [String: String] {
    let lines = try Package.contents(of: "Sources/KeylineCore/KeylineCore.docc/Operators.md")
      .components(separatedBy: "\n").drop { $0 != "## \(heading)" }
      .drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
    let labels = lines.compactMap { $0.firstMatch(of: /\S+(?: \S+)*(?=  )/)?.output }
    // All lines begin in the column in which the first one begins.
    let column = lines.first?.wholeMatch(of: /(.*\s\s)\S+/)?.1.count ?? 0
    return Dictionary(
      uniqueKeysWithValues: zip(labels, lines).map { label, line in
        (String(label), String(line.dropFirst(column)))
      })
  }

  private func expect(_ events: [Recorded<Event<Int>>], _ picture: String?, _ label: String) throws
  {
    let picture = try #require(picture, "\(label)")
    let start = marbles.start + 10 * picture.prefix { $0 == " " }.count
    let drawn = try marbles.events(picture, from: start)
    #expect(events == drawn, "\(label): \(marbles.diagram(events))")
  }

  /// Compares the pictures of operators that are applied to the picture of the source.
  private func compare(_ heading: String, _ operations: [String: Operation]) throws {
    let pictures = try Self.pictures(heading)
    #expect(Set(pictures.keys) == Set(operations.keys).union(["source"]))
    for (label, operation) in operations {
      let scheduler = TestScheduler(initialClock: 0)
      let source = try scheduler.createColdObservable(#require(pictures["source"]), marbles)
      let result = scheduler.start { operation(source.asObservable(), scheduler) }
      try expect(result.events, pictures[label], label)
    }
  }

  @Test("Operators of one source draw their pictures") func operatorsOfOneSource() throws {
    try compare("Transforming", ["scan(0, +)": { source, _ in source.scan(0, accumulator: +) }])
    try compare(
      "Filtering",
      [
        "distinctUntilChanged": { source, _ in source.distinctUntilChanged() },
        "take(2)": { source, _ in source.take(2) },
      ])
    try compare(
      "Time",
      [
        "debounce(2)": { $0.debounce(.seconds(20), scheduler: $1) },
        "throttle(2)": { $0.throttle(.seconds(20), scheduler: $1) },
        "delay(1)": { $0.delay(.seconds(10), scheduler: $1) },
      ])
    try compare(
      "Errors",
      [
        "catchAndReturn(9)": { source, _ in source.catchAndReturn(9) },
        "retry(2)": { source, _ in source.retry(2) },
      ])
    try compare(
      "Aggregating, and utilities", ["reduce(+)": { source, _ in source.reduce(0, accumulator: +) }]
    )
  }

  @Test("Sources draw their pictures") func sources() throws {
    let pictures = try Self.pictures("Creating")
    #expect(pictures.count == 2)
    var scheduler = TestScheduler(initialClock: 0)
    let interval = scheduler.start { [scheduler] in
      Observable<Int>.interval(.seconds(20), scheduler: scheduler)
    }
    try expect(Array(interval.events.prefix(4)), pictures["interval(2 s)"], "interval")
    scheduler = TestScheduler(initialClock: 0)
    let timer = scheduler.start { [scheduler] in
      Observable<Int>.timer(.seconds(30), scheduler: scheduler)
    }
    try expect(timer.events, pictures["timer(3 s)"], "timer")
  }

  @Test("Operators with inner sequences draw their pictures") func innerSequences() throws {
    let pictures = try Self.pictures("Flattening")
    typealias Flatten = (Observable<String>, @escaping (String) -> Observable<Int>) -> Observable<
      Int
    >
    let operations: [String: Flatten] = [
      "flatMap": { $0.flatMap($1) }, "flatMapLatest": { $0.flatMapLatest($1) },
      "flatMapFirst": { $0.flatMapFirst($1) }, "concatMap": { $0.concatMap($1) },
    ]
    #expect(pictures.count == operations.count + 3)
    for (label, operation) in operations {
      let scheduler = TestScheduler(initialClock: 0)
      let source = try scheduler.createColdObservable(
        #require(pictures["source"]), Marbles<String>())
      let inner = try ["a", "b"].map {
        try scheduler.createColdObservable(
          #require(pictures["\($0)'s inner"]).filter { $0 != " " }, marbles)
      }
      let result = scheduler.start {
        operation(source.asObservable()) { inner[$0 == "a" ? 0 : 1].asObservable() }
      }
      try expect(result.events, pictures[label], label)
    }
  }

  @Test("Operators of two sources draw their pictures") func twoSources() throws {
    let pictures = try Self.pictures("Combining")
    let operations: [String: (Observable<Int>, Observable<Int>) -> Observable<Int>] = [
      "combineLatest(+)": { .combineLatest($0, $1, resultSelector: +) },
      "zip(+)": { .zip($0, $1, resultSelector: +) },
      "merge": { .merge($0, $1) },
      "withLatestFrom(+)": { $0.withLatestFrom($1, resultSelector: +) },
    ]
    #expect(Set(pictures.keys) == Set(operations.keys).union(["left", "right"]))
    for (label, operation) in operations {
      let scheduler = TestScheduler(initialClock: 0)
      let sources = try ["left", "right"].map {
        try scheduler.createColdObservable(#require(pictures[$0]), marbles).asObservable()
      }
      let result = scheduler.start { operation(sources[0], sources[1]) }
      try expect(result.events, pictures[label], label)
    }
  }

  @Test("Shared sequences draw their pictures") func sharedSequences() throws {
    let pictures = try Self.pictures("Sharing")
    let operations: [String: (Observable<Int>) -> Observable<Int>] = [
      "share()": { $0.share() }, "share(replay: 1)": { $0.share(replay: 1) },
    ]
    #expect(pictures.count == operations.count + 2)
    let joining = 10 * (try #require(pictures["an observer joins"]).count - 1)
    for (label, operation) in operations {
      let scheduler = TestScheduler(initialClock: 0)
      let source = try scheduler.createColdObservable(#require(pictures["source"]), marbles)
      let shared = operation(source.asObservable())
      let second = scheduler.createObserver(Int.self)
      let start = TestScheduler.Defaults.subscribed
      scheduler.scheduleAt(start + joining) { _ = shared.subscribe(second) }
      _ = scheduler.start { shared }
      try expect(second.events, pictures[label], label)
    }
  }
}
