import Testing

@testable import Keyline
@testable import KeylineCore

/// The port: what the core reports, once each, to a probe that is installed. The probe of these tests
/// passes everything on to the one of counting and recording, which other tests may be using.
@Suite(.serialized) struct InstrumentationTests {
  /// Keeps the events of the thread that it listens to.
  private final class Spy: Probe {
    private final class Events { var lines: [String] = [] }
    private let ofThread = ThreadLocal<Events>()

    func receive(_ event: Instrumentation.Event) {
      Records.shared.receive(event)
      guard let events = ofThread.value else { return }
      switch event {
      case .began(_, let kind): events.lines.append("began \(kind)")
      case .ended: events.lines.append("ended")
      case .called(_, let call): events.lines.append("called \(CallSite.baseName(call.function))")
      case .passed(_, let stage): events.lines.append("passed \(CallSite.baseName(stage))")
      case .sealed: events.lines.append("sealed")
      case .belongs: events.lines.append("belongs")
      case .reported(let report): events.lines.append("reported \(report.category)")
      }
    }

    /// What `body` reports on this thread.
    func events(of body: () -> Void) -> [String] {
      let events = Events()
      ofThread.value = events
      body()
      ofThread.value = nil
      return events.lines
    }
  }

  private func events(of body: () -> Void) -> [String] {
    let spy = Spy()
    Instrumentation.install(spy)
    defer { Instrumentation.install(Records.shared) }
    return spy.events(of: body)
  }

  @Test func aSubscriptionReportsItsCallItsStagesAndItsEnd() {
    let subject = PublishSubject<Int>()
    let source = subject.map { $0 + 1 }.filter { $0 > 1 }
    var subscription: (any Disposable)?
    #expect(
      events { subscription = source.subscribe(onNext: { _ in }) } == [
        "began subscription", "called subscribe", "passed filter", "passed map", "passed subject",
      ])
    #expect(events { subject.onNext(1) } == [])
    // Again when it is released, which does not count.
    #expect(events { subscription?.dispose() } == ["ended"])
    #expect(events { subscription = nil } == ["ended"])
  }

  @Test func subjectsAndDisposablesReportWhatTheyAre() {
    #expect(
      events { _ = PublishSubject<Int>() } == ["began subject", "called PublishSubject", "ended"])
    #expect(events { _ = SerialDisposable() } == ["began disposable", "ended"])
    #expect(
      events { _ = DisposeBag() } == ["began disposable", "called DisposeBag", "ended"])
  }

  @Test func whatAnOperatorSubscribesToBelongsToItsSubscription() {
    let source = PublishSubject<Int>()
    let inner = PublishSubject<Int>()
    let lines = events {
      let subscription = source.flatMapLatest { _ in inner }.subscribe(onNext: { _ in })
      source.onNext(1)
      subscription.dispose()
    }
    #expect(lines.count { $0 == "began subscription" } == 3)
    #expect(lines.count { $0 == "belongs" } == 2)
    #expect(lines.contains("passed flatMapLatest"))
  }

  @Test func faultsAreReported() {
    Reports.collect()
    let lines = events {
      let disposable = SingleAssignmentDisposable()
      disposable.setDisposable(Disposables.create())
      disposable.setDisposable(Disposables.create())
    }
    #expect(lines.contains("reported misuse"))
  }
}
