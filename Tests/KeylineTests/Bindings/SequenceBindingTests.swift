import Keyline
import KeylineTest
import TestSupport
import Testing

/// Law B10: every sequence that cannot fail is written to a property by the same `bind`.
@MainActor @Suite struct SequenceBindingTests {
  private final class Model: ReactiveObject {
    @Observed var number = 1
    @Observed var maybe: Int?
    @Observed var next: Model?
    var double: Int { number * 2 }
  }

  @Test("B10: Every sequence that cannot fail is bound alike")
  func b10EverySequenceThatCannotFailIsBoundAlike() {
    let model = Model()
    let source = Model()
    let relay = BehaviorRelay(value: 5)
    let signals = PublishRelay<Int>()
    let bindings = [
      source.observe(\.number).bind(to: model, \.number),
      source.observe(\.double).bind(to: model, \.number),
      relay.bind(to: model, \.number),
      relay.asInfallible().bind(to: model, \.number),
      relay.asDriver().bind(to: model, \.number),
      signals.asSignal().bind(to: model, \.number),
      Infallible.of(6, 7).bind(to: model, \.number),
    ]
    #expect(model.number == 7)
    source.number = 10
    #expect(model.number == 20)
    relay.accept(30)
    #expect(model.number == 30)
    signals.accept(40)
    #expect(model.number == 40)
    #expect(bindings.map(\.isActive) == [true, true, true, true, true, true, false])
  }

  @Test("B10: Optional properties and chains take them too")
  func b10OptionalPropertiesAndChainsTakeThemToo() {
    let root = Model()
    let source = Model()
    source.observe(\.number).asDriver().bind(to: root, \.maybe)
    source.observe(\.double).asInfallible().bind(to: root) { $0.next.number }
    root.next = Model()
    #expect(root.maybe == 1 && root.next?.number == 2)
    source.number = 4
    #expect(root.maybe == 4 && root.next?.number == 8)
  }

  @Test("B10: Properties are usable as traits without a fallback")
  func b10PropertiesAreUsableAsTraitsWithoutAFallback() {
    let model = Model()
    var log: [String] = []
    let bag = DisposeBag()
    model.observe(\.number).asDriver().drive(onNext: { log.append("driver \($0)") })
      .disposed(by: bag)
    model.observe(\.double).asInfallible().subscribe(onNext: { log.append("infallible \($0)") })
      .disposed(by: bag)
    model.observe(\.number, options: .new).asSignal().emit(onNext: { log.append("signal \($0)") })
      .disposed(by: bag)
    model.observeWeakly { $0.next.number }.asDriver()
      .drive(onNext: { log.append("chain \($0 ?? -1)") }).disposed(by: bag)
    model.observe(\.number, \.maybe).asDriver()
      .drive(onNext: { log.append("both \($0) \($1 ?? -1)") }).disposed(by: bag)
    model.number = 2
    #expect(
      log == [
        "driver 1", "infallible 2", "chain -1", "both 1 -1", "driver 2", "signal 2",
        "infallible 4", "both 2 -1",
      ])
  }

  private final class Search: ReactiveObject {
    @Observed private(set) var hits = 0
    var binding: PropertyBinding?

    init(_ hits: some ObservableConvertibleType<Int>) {
      super.init()
      binding = hits.assign(to: \.hits, of: self)
    }

    func reset() { hits = 0 }
  }

  @Test("B7: An assigned property is written by its stream alone")
  func b7AnAssignedPropertyIsWrittenByItsStreamAlone() {
    let hits = BehaviorRelay(value: 3)
    var search: Search? = Search(hits)
    let binding = search?.binding
    #expect(search?.hits == 3)
    hits.accept(4)
    search?.reset()
    #expect(search?.hits == 4 && binding?.isActive == true)
    search = nil
    #expect(binding?.isActive == false)
    hits.accept(5)
  }

  private final class Mirrored: ReactiveObject {
    @Observed var value = 0 { didSet { if value != oldValue { mirror?.value = value } } }
    var mirror: Mirrored?
  }

  /// What its `didSet` sets may be bound to something else, whose observers set the property in turn:
  /// by then it is not the binding that writes.
  @Test("B7: A set by another bindings observer is refused")
  func b7ASetByAnotherBindingsObserverIsRefused() {
    Reports.collect()
    let (source, target) = (BehaviorRelay(value: 1), Mirrored())
    let (mirror, other) = (Mirrored(), Mirrored())
    mirror.bind(\.value, to: other, \.value, mode: .twoWay)
    _ = other.observe(\.value, options: .new).subscribe(onNext: { target.value = $0 + 10 })
    target.mirror = mirror
    source.assign(to: \.value, of: target)
    #expect(target.value == 1 && other.value == 1)
    source.accept(2)
    #expect(target.value == 2 && other.value == 2)
    let refused = Reports.of(.refusedWrite).filter { $0.message.contains("Mirrored.value") }
    #expect(refused.count == 2)
  }

  @Test("The report of a failed sequence names the property that it was bound to")
  func theReportOfAFailedSequenceNamesTheProperty() {
    struct Snapped: Error {}
    Reports.collect()
    let (stream, target) = (PublishSubject<Int>(), Mirrored())
    stream.bind(to: target, \.value)
    stream.onError(Snapped())
    let reports = Reports.of(.unhandledError).filter { $0.message.contains("Snapped") }
    #expect(reports.count == 1)
    #expect(reports.first?.callStack.first?.hasSuffix("bound to Mirrored.value") == true)
    #expect(reports.first?.callStack.first?.contains("SequenceBindingTests.swift:") == true)
  }

  @Test("It does so for each form of target, in a class of its own as well")
  func theReportNamesEachFormOfTarget() throws {
    final class Gauge: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var level = 0
      @Observed var peak: Int?
      @Observed private(set) var total = 0
      @Observed var next: Gauge?
      func add(_ numbers: some ObservableConvertibleType<Int>) {
        numbers.assign(to: \.total, of: self)
      }
    }
    struct Broken: Error {}
    Reports.collect()
    let gauge = Gauge()
    gauge.next = Gauge()
    let end = try gauge.targetChain(Int.self, "next.level")
    let failures = (0..<6).map { _ in PublishSubject<Int>() }
    failures[0].bind(to: gauge, \.level)
    failures[1].bind(to: gauge, \.peak)
    failures[2].bind(to: gauge) { $0.next.level }
    failures[3].bind(to: gauge) { _ in end }
    failures[4].bind(to: gauge, \.level, exclusive: true)
    gauge.add(failures[5])
    for failure in failures { failure.onError(Broken()) }
    let places = Reports.of(.unhandledError).filter { $0.message.contains("Broken") }
      .map { $0.callStack.first?.replacing(#/.*SequenceBindingTests\.swift:\d+: /#, with: "") }
    let names = ["level", "peak", "level", "level", "level", "total"]
    #expect(places == names.map { "bound to Gauge.\($0)" })
  }
}
