import Keyline
import KeylineTest
import TestSupport
import Testing

@Suite struct MarbleTests {
  typealias Events = [Recorded<Event<Int>>]
  let marbles = Marbles<Int>()

  @Test("Every character is a step") func everyCharacterIsAStep() throws {
    #expect(try marbles.events("") == [])
    #expect(try marbles.events("--1-2|") == [.next(220, 1), .next(240, 2), .completed(250)])
    #expect(try marbles.events("#") == [.error(200, MarbleError.failure)])
  }

  @Test("A group happens at its parenthesis") func aGroupHappensAtItsParenthesis() throws {
    let events: Events = [.next(210, 1), .next(210, 2), .completed(210)]
    #expect(try marbles.events("-(12|)") == events)
    #expect(try marbles.events("-(12)-3") == [.next(210, 1), .next(210, 2), .next(260, 3)])
  }

  @Test("Names ticks and spaces") func namesTicksAndSpaces() throws {
    #expect(try marbles.events("- '42' -|") == [.next(210, 42), .completed(260)])
    #expect(try marbles.events("1<305>2-3") == [.next(200, 1), .next(305, 2), .next(325, 3)])
  }

  @Test("A legend names elements step start and error") func aLegendNamesElementsStepStartAndError()
    throws
  {
    let legend = Marbles(["a": [1], "b": []], from: 0, step: 1, error: Failure())
    let events: [Recorded<Event<[Int]>>] = [.next(1, [1]), .next(3, []), .error(4, Failure())]
    #expect(try legend.events("-a-b#") == events)
    #expect(legend.diagram(events) == "-a-b#")
    #expect(legend.diagram([.next(0, [7])]) == "'[7]'")
  }

  @Test(
    "A meaningless diagram is an error",
    arguments: [
      ("(1", MarbleError.unbalanced("(1")), ("1)", .unbalanced("1)")),
      ("((1))", .unbalanced("((1))")),
      ("'1", .unbalanced("'1")), ("<1", .unbalanced("<1")), ("<a>", .notATick("a")),
      ("-|-1", .afterTermination("-|-1")), ("||", .afterTermination("||")),
      ("|1", .afterTermination("|1")), ("(|1)", .afterTermination("(|1)")),
      ("#|", .afterTermination("#|")),
      ("-a", .unknownElement("a")),
    ])
  func whatMeansNothingIsAnError(diagram: String, error: MarbleError) {
    #expect(throws: error) { try marbles.events(diagram) }
  }

  @Test(
    "A diagram that was read is drawn alike",
    arguments: [
      "", "--1-2|", "-(12|)", "#", "'42'--(1'-7')|", "<215>1<216>2<100>3", "1<5000>|",
    ])
  func whatIsReadIsDrawnAlike(diagram: String) throws {
    #expect(marbles.diagram(try marbles.events(diagram)) == diagram)
  }

  @Test("A drawn diagram is read alike") func whatIsDrawnIsReadAlike() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<200 {
      let times = (0..<random.number(0...12)).map { _ in
        random.number(0...1_000) / 5 * 5
      }
      let events: Events = times.map { .next($0, random.number(-99...99)) }
      #expect(try marbles.events(marbles.diagram(events)) == events)
    }
  }

  @Test("A mismatch shows both drawings") func aMismatchShowsBothDrawings() throws {
    #expect(try marbles.mismatch([.next(210, 1), .completed(220)], " - 1 |") == nil)
    #expect(
      try marbles.mismatch([.next(220, 2)], "-1|")
        == """
        expected -1|
        but got  --2
        """)
    #expect(
      try marbles.mismatch([.error(200, Failure())], "#")
        == """
        expected [error(failure) @ 200]
        but got  [error(Failure()) @ 200]
        """)
  }

  @Test("Diagrams make hot and cold observables") func diagramsMakeHotAndColdObservables() throws {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = try scheduler.createHotObservable("--1--2----|", marbles)
    let cold = try scheduler.createColdObservable("--1|", marbles)
    let result = scheduler.start { Observable.merge(hot.asObservable(), cold.asObservable()) }
    #expect(try marbles.mismatch(result.events, "--<220>(11)<250>2----|") == nil)
    #expect(hot.subscriptions == [Subscription(200, 300)])
    #expect(cold.subscriptions == [Subscription(200, 230)])
  }
}

@Suite struct ProcessingDelayTests {
  @Test(
    "An action scheduled for now runs a tick later if that is simulated",
    arguments: [(true, 201), (false, 200)])
  func whatIsScheduledForNowRunsATickLaterIfThatIsSimulated(delay: Bool, time: Int) {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: delay)
    let result = scheduler.start { Observable<Int>.timer(.zero, scheduler: scheduler) }
    #expect(result.events == [.next(time, 0), .completed(time)])
  }
}
