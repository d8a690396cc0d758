import TestSupport
import Testing

@testable import KeylineCore

/// The port: the core reports each event once, to the installed probe. The tests run in processes
/// of their own, because other tests may have installed another probe.
@Suite struct InstrumentationTests {
  /// Keeps the events of the thread that it listens to.
  private final class Spy: Probe {
    private final class Events { var lines: [String] = [] }
    private let ofThread = ThreadLocal<Events>()

    func receive(_ event: Instrumentation.Event) {
      guard let events = ofThread.value else { return }
      switch event {
      case .began(_, let kind): events.lines.append("began \(kind)")
      case .ended: events.lines.append("ended")
      case .called(_, let call): events.lines.append("called \(CallSite.baseName(call.function))")
      case .passed(_, let stage): events.lines.append("passed \(CallSite.baseName(stage))")
      case .sealed: events.lines.append("sealed")
      case .belongs: events.lines.append("belongs")
      case .entered: events.lines.append("entered")
      case .left: events.lines.append("left")
      case .noted: events.lines.append("noted")
      case .reported(let report): events.lines.append("reported \(report.category)")
      }
    }

    /// The events that `body` reports on this thread.
    func events(of body: () -> Void) -> [String] {
      let events = Events()
      ofThread.value = events
      body()
      ofThread.value = nil
      return events.lines
    }
  }

  static func events(of body: () -> Void) -> [String] {
    let spy = Spy()
    Instrumentation.install(spy)
    return spy.events(of: body)
  }

  @Test("A subscription reports its call its stages and its end")
  func aSubscriptionReportsItsCallItsStagesAndItsEnd() async {
    await #expect(processExitsWith: .success) {
      let subject = PublishSubject<Int>()
      let source = subject.map { $0 + 1 }.filter { $0 > 1 }
      var subscription: (any Disposable)?
      #expect(
        InstrumentationTests.events { subscription = source.subscribe(onNext: { _ in }) } == [
          "began subscription", "called subscribe", "passed filter", "passed map", "passed subject",
        ])
      #expect(InstrumentationTests.events { subject.onNext(1) } == [])
      // Again when it is released, which does not count.
      #expect(InstrumentationTests.events { subscription?.dispose() } == ["ended"])
      #expect(InstrumentationTests.events { subscription = nil } == ["ended"])
    }
  }

  @Test("Subjects and disposables report their types")
  func subjectsAndDisposablesReportWhatTheyAre() async {
    await #expect(processExitsWith: .success) {
      #expect(
        InstrumentationTests.events { _ = PublishSubject<Int>() } == [
          "began subject", "called PublishSubject", "ended",
        ])
      #expect(
        InstrumentationTests.events { _ = SerialDisposable() } == ["began disposable", "ended"])
      #expect(
        InstrumentationTests.events { _ = DisposeBag() } == [
          "began disposable", "called DisposeBag", "ended",
        ])
    }
  }

  @Test("The sources that an operator subscribes to belong to its subscription")
  func whatAnOperatorSubscribesToBelongsToItsSubscription() async {
    await #expect(processExitsWith: .success) {
      let source = PublishSubject<Int>()
      let inner = PublishSubject<Int>()
      let lines = InstrumentationTests.events {
        let subscription = source.flatMapLatest { _ in inner }.subscribe(onNext: { _ in })
        source.onNext(1)
        subscription.dispose()
      }
      #expect(lines.count { $0 == "began subscription" } == 3)
      #expect(lines.count { $0 == "belongs" } == 2)
      #expect(lines.contains("passed flatMapLatest"))
    }
  }

  @Test("Faults are reported") func faultsAreReported() async {
    await #expect(processExitsWith: .success) {
      Reports.collect()
      let lines = InstrumentationTests.events {
        let disposable = SingleAssignmentDisposable()
        disposable.setDisposable(Disposables.create())
        disposable.setDisposable(Disposables.create())
      }
      #expect(lines.contains("reported misuse"))
    }
  }
}
