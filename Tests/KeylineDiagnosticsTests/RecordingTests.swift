import Keyline
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore
@testable import KeylineDiagnostics

/// The record of an observation: its operators, the call that made it, and the place of the call.
@Suite struct RecordingTests {
  private final class Note: ReactiveObject {
    @Observed var text = ""
    @Observed var size = 0
    @Observed var next: Note?
    var label: String { "\(text) (\(size))" }
  }

  /// The stages from a property to its observer, and the place of the call, for each observation.
  private func observers(of property: String, _ note: Note) -> [String] {
    let graph = Diagnostics.graph(of: note)
    let id = graph.id(of: note) ?? ""
    return graph.observations.compactMap { observation in
      observation.sources.first { $0.property.object == id && $0.property.property == property }
        .map { source in
          let stages = source.stages + [observation.call ?? "?"]
          return "\(stages.joined(separator: " → ")) (\(observation.place ?? "?"))"
        }
    }
  }

  @Test("Stages are named after their operators") func stagesAreNamedAfterTheirOperators() {
    whileRecording {
      let note = Note()
      let scheduler = TestScheduler(initialClock: 0)
      let line: UInt = #line + 4
      let subscription = note.observe(\.text)
        .map(\.count).distinctUntilChanged()
        .debounce(.seconds(1), scheduler: scheduler)
        .flatMapLatest { Observable.just($0) }.subscribe(onNext: { _ in })
      let path = "observe → map → distinctUntilChanged → debounce → flatMapLatest → subscribe"
      #expect(observers(of: "text", note) == ["\(path) (RecordingTests.swift:\(line))"])
      subscription.dispose()
      #expect(observers(of: "text", note) == [])
    }
  }

  @Test("Every call that ends a chain is named") func everyCallThatEndsAChainIsNamed() {
    whileRecording {
      let (note, other) = (Note(), Note())
      let bag = DisposeBag()
      let relay = PublishRelay<Int>()
      let sizes = note.observe(\.size)
      let line: UInt = #line + 1
      sizes.subscribe { _ in }.disposed(by: bag)
      sizes.subscribe(with: note, onNext: { _, _ in }).disposed(by: bag)
      sizes.bind(to: relay).disposed(by: bag)
      sizes.bind(onNext: { _ in }).disposed(by: bag)
      sizes.asInfallible().subscribe(onNext: { _ in }).disposed(by: bag)
      sizes.bind(to: other, \.size)
      note.bind(\.size, to: other, \.size)
      note.bind(\.size, to: other, \.text, converter: .decimal)
      sizes.take(3).toArray().subscribe(onSuccess: { _ in }).disposed(by: bag)
      let values = note.values(of: \.size)
      let calls = [
        "observe → subscribe", "observe → subscribe", "observe → bind", "observe → bind",
        "observe → subscribe", "observe → bind", "bind", "bind",
        "observe → take → toArray → subscribe", "observe → values",
      ]
      #expect(
        observers(of: "size", note)
          == calls.enumerated().map { "\($1) (RecordingTests.swift:\(Int(line) + $0))" })
      withExtendedLifetime(values) {}
    }
  }

  @Test("The graph shows the sources of an operator as parts of its subscription")
  func whatAnOperatorSubscribesToIsAPartOfTheSubscription() {
    whileRecording {
      let (note, other) = (Note(), Note())
      note.next = other
      let line: UInt = #line + 1
      let subscription = Observable.combineLatest(note.observe(\.size), other.observe(\.size))
        .map { $0 + $1 }.subscribe(onNext: { _ in })
      let path = "observe → combineLatest → map → subscribe (RecordingTests.swift:\(line + 1))"
      #expect(observers(of: "size", note) == [path])
      #expect(observers(of: "size", other) == [path])
      subscription.dispose()
      let inner = note.observe(\.next).compactMap { $0 }.flatMapLatest { $0.observe(\.text) }
        .subscribe(onNext: { _ in })
      #expect(
        observers(of: "text", other)
          == ["observe → flatMapLatest → subscribe (RecordingTests.swift:\(line + 7))"])
      inner.dispose()
      let chain = note.observeWeakly { $0.next.text }.subscribe(onNext: { _ in })
      let chained = ["observeWeakly → subscribe (RecordingTests.swift:\(line + 12))"]
      #expect(observers(of: "next", note) == chained)
      #expect(observers(of: "text", other) == chained)
      chain.dispose()
    }
  }

  @Test("An object made while recording is off has no name") func whatIsMadeWhileOffHasNoName()
    async
  {
    await #expect(processExitsWith: .success) {
      let note = Note()
      _ = note.observe(\.size).subscribe(onNext: { _ in })
      #expect(Diagnostics.graph(of: note).observations.allSatisfy { $0.place == nil })
      Diagnostics.isRecording = true
      #expect(Resources.total == 0)
      let late = note.observe(\.size).subscribe(onNext: { _ in })
      #expect(Diagnostics.graph(of: note).observations.count { $0.place != nil } == 1)
      #expect(Resources.total == 0)
      Diagnostics.isRecording = false
      late.dispose()
      #expect(Diagnostics.graph(of: note).observations.allSatisfy { $0.place == nil })
    }
  }
}
