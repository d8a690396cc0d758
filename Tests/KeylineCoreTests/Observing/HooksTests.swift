import Keyline
import KeylineTest
import TestSupport
import Testing

/// Unhandled errors (C9). Each in a process of its own: hooks are process-wide.
@Suite struct HooksTests {
  @Test("Every unhandled error reaches the handler") func everyUnhandledErrorReachesTheHandler()
    async
  {
    await #expect(processExitsWith: .success) {
      let log = SharedLog<String>()
      Hooks.defaultErrorHandler = { callStack, error in log.append("\(error) \(callStack.count)") }
      let failing = Observable<Int>.error(RxError.timeout)
      _ = failing.subscribe()
      _ = failing.subscribe(onNext: { _ in }, onCompleted: {})
      _ = failing.asSingle().subscribe()
      _ = failing.bind(onNext: { _ in })
      _ = failing.bind(to: BehaviorRelay(value: 0))
      #expect(log.all == Array(repeating: "Sequence timeout. 0", count: 5))
      _ = failing.subscribe(onError: { log.append("handled \($0)") })
      _ = failing.asSingle().subscribe(onFailure: { log.append("handled \($0)") })
      #expect(log.all.suffix(2) == Array(repeating: "handled Sequence timeout.", count: 2))
    }
  }

  /// Reading the handler must leave it as it is: wrapped once more each time, it took ever longer
  /// to call, and all of the stack in the end.
  @Test("Every report takes the same time") func everyReportTakesTheSameTime() async {
    await #expect(processExitsWith: .success) {
      let times = 10_000
      let count = Guarded(0)
      Diagnostics.handler = { _ in count.withLock { $0 += 1 } }
      var values: [Int] = []
      for _ in 0..<times { ArrayEdit.removal([1], at: 9).apply(to: &values) }
      #expect(count.withLock { $0 } == times)
      Hooks.recordCallStackOnError = true
      Hooks.customCaptureSubscriptionCallstack = { [] }
      for _ in 0..<times { _ = Observable<Int>.error(RxError.timeout).subscribe() }
      #expect(count.withLock { $0 } == 2 * times)
    }
  }

  @Test("Without a handler the error is reported") func withoutAHandlerTheErrorIsReported() async {
    await #expect(processExitsWith: .success) {
      let log = SharedLog<String>()
      Diagnostics.handler = { log.append($0.description) }
      _ = Observable<Int>.error(RxError.timeout).subscribe()
      #expect(log.all == ["Keyline: unhandledError: Sequence timeout."])
    }
  }

  @Test("The report states where the subscription was made")
  func theReportStatesWhereTheSubscriptionWasMade() async {
    await #expect(processExitsWith: .success) {
      let log = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { log.append($0) }
      #expect(!Hooks.recordCallStackOnError)
      Hooks.recordCallStackOnError = true
      Hooks.customCaptureSubscriptionCallstack = { ["here", "there"] }
      let subject = PublishSubject<Int>()
      _ = subject.subscribe()
      _ = subject.asSingle().subscribe()
      Hooks.customCaptureSubscriptionCallstack = { ["elsewhere"] }
      subject.onError(RxError.timeout)
      #expect(log.all.map(\.callStack) == [["here", "there"], ["here", "there"]])
      #expect(
        log.all.first?.description
          == "Keyline: unhandledError: Sequence timeout.\n  here\n  there")
    }
  }

  @Test("C9: An error thrown after a termination reaches the handler")
  func c9AnErrorThrownAfterATerminationReachesTheHandler() async {
    await #expect(processExitsWith: .success) {
      let log = SharedLog<String>()
      Hooks.defaultErrorHandler = { _, error in log.append("\(error)") }
      _ = Observable<Int>.empty().do(afterCompleted: { throw RxError.overflow }).subscribe(
        onCompleted: { log.append("completed") })
      _ = Observable<Int>.error(RxError.unknown).do(afterError: { _ in throw RxError.overflow })
        .catchAndReturn(0).subscribe(onNext: { _ in log.append("caught") })
      _ = Observable.of(1, 2).do(afterNext: { _ in throw RxError.overflow }).take(1)
        .subscribe(onCompleted: { log.append("taken") })
      let overflow = "\(RxError.overflow)"
      #expect(log.all == ["completed", overflow, "caught", overflow, "taken", overflow])
    }
  }

  @Test("C3: A former handler is released outside the mutex")
  func c3AFormerHandlerIsReleasedOutsideTheMutex() async {
    await #expect(processExitsWith: .success) {
      final class Curious: Sendable {
        deinit {
          _ = (Diagnostics.handler, Diagnostics.feedbackLimit)
          _ = (Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack)
        }
      }
      func install() {
        let (first, second, third) = (Curious(), Curious(), Curious())
        Diagnostics.handler = { _ in _ = first }
        Hooks.defaultErrorHandler = { _, _ in _ = second }
        Hooks.customCaptureSubscriptionCallstack = {
          _ = third
          return []
        }
      }
      install()
      Diagnostics.handler = nil
      Hooks.defaultErrorHandler = { _, _ in }
      Hooks.customCaptureSubscriptionCallstack = { [] }
    }
  }
}
