import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// Convergence and lifetime of two-way bindings.
@Suite struct TwoWayBindingTests {
  final class Model: ReactiveObject {
    @Observed var number = 1
    @Observed var ratio = 2.7
    @Observed var text = "a"
    @Observed var handler: () -> Int = { 0 }
  }

  /// Numbers up to ten, texts without blanks at the ends.
  final class Field: ReactiveObject {
    @Observed var number = 0 {
      didSet { if number > 10 { number = 10 } }
    }
    @Observed var text = "" {
      didSet { if text.hasSuffix(" ") { text.removeLast() } }
    }
    @Observed var handler: () -> Int = { 0 } {
      didSet {
        let result = handler()
        if result > 10 { handler = { 10 } }
      }
    }
    @Observed private var clamped = 0
    var computed: Int {
      get { clamped }
      set { clamped = min(newValue, 10) }
    }
  }

  struct Malformed: Error {}

  let model = Model()
  let field = Field()
  let numbers = Log<Int>()
  let fieldNumbers = Log<Int>()

  private func follow() {
    numbers.follow(model.observe(\.number, options: .new))
    fieldNumbers.follow(field.observe(\.number, options: .new))
  }

  @Test("The source wins initially andThen each follows the other")
  func theSourceWinsInitiallyAndThenEachFollowsTheOther() {
    field.number = 7
    follow()
    let binding = model.bind(\.number, to: field, \.number, mode: .twoWay)
    #expect(binding.mode == .twoWay)
    model.number = 2
    field.number = 3
    numbers.expect([2, 3])
    fieldNumbers.expect([1, 2, 3])
  }

  @Test("A clamping target sends its value back once") func aClampingTargetSendsItsValueBackOnce() {
    model.bind(\.number, to: field, \.number, mode: .twoWay)
    follow()
    model.number = 20
    #expect((model.number, field.number) == (10, 10))
    numbers.expect([20, 10])
    fieldNumbers.expect([20, 10])
    field.number = 30
    #expect((model.number, field.number) == (10, 10))
  }

  @Test(
    "A target normalises the values that its exclusive binding writes",
    arguments: [BindingMode.oneWay, .twoWay])
  func aTargetNormalisesWhatItsExclusiveBindingWrites(mode: BindingMode) {
    let binding = model.bind(\.number, to: field, \.number, mode: mode, exclusive: true)
    fieldNumbers.follow(field.observe(\.number, options: .new))
    // A set by an observer is not one by the property itself, even while the property is being set.
    _ = field.observe(\.number, options: .new).filter { $0 == 10 }
      .subscribe(onNext: { [field] _ in field.number = 1 })
    model.number = 20
    fieldNumbers.expect([20, 10])
    #expect(model.number == (mode == .twoWay ? 10 : 20))
    field.number = 3
    #expect(field.number == 10)
    binding.dispose()
  }

  @Test("A target that clamps in its setter sends its value back once")
  func aTargetThatClampsInItsSetterSendsItsValueBackOnce() {
    let seen = Log<Int>()
    model.bind(\.number, to: field, \.computed, mode: .twoWay)
    seen.follow(model.observe(\.number, options: .new))
    model.number = 20
    seen.expect([20, 10])
    field.computed = 5
    seen.expect([5])
  }

  @Test("A trimming target converges") func aTrimmingTargetConverges() {
    model.bind(\.text, to: field, \.text, mode: .twoWay)
    model.text = "b "
    #expect((model.text, field.text) == ("b", "b"))
  }

  @Test("Values need not be equatable") func valuesNeedNotBeEquatable() {
    let seen = Log<Int>()
    model.bind(\.handler, to: field, \.handler, mode: .twoWay)
    seen.follow(model.observe(\.handler, options: .new).map { $0() })
    model.handler = { 5 }
    #expect(field.handler() == 5)
    model.handler = { 20 }
    #expect((model.handler(), field.handler()) == (10, 10))
    field.handler = { 3 }
    seen.expect([5, 20, 10, 3])
  }

  @Test("A set takes the given object, even if the former one is equal")
  func ofEqualObjectsTheOneThatIsSetIsTaken() {
    final class Track: ReactiveObject, Equatable {
      let title: String
      init(_ title: String) { self.title = title }
      static func == (one: Track, other: Track) -> Bool { one.title == other.title }
    }
    final class Player: ReactiveObject {
      @Observed var track: Track?
      @Observed var queue = ObservableArray<String>()
    }
    let (one, other) = (Player(), Player())
    one.bind(\.queue, to: other, \.queue, mode: .twoWay)
    one.queue.append("a")
    #expect(other.queue == ["a"])
    one.track = Track("a")
    one.bind(\.track, to: other, \.track, mode: .twoWay)
    let (again, once) = (Track("a"), Log<Track?>())
    once.follow(one.observe(\.track, options: .new))
    one.track = again
    #expect(other.track === again)
    other.track = Track("a")
    #expect(one.track === other.track)
    #expect(once.elements.count == 2)
  }

  @Test("A number that is none is taken once") func aNumberThatIsNoneIsTakenOnce() {
    let other = Model()
    let ratios = Log<Double>()
    model.bind(\.ratio, to: other, \.ratio, mode: .twoWay)
    ratios.follow(other.observe(\.ratio, options: .new))
    model.ratio = .nan
    #expect(ratios.take().map(\.isNaN) == [true])
    other.ratio = 2
    #expect(model.ratio == 2)
    other.ratio = .nan
    #expect(model.ratio.isNaN)
    #expect(ratios.take().count == 2)
  }

  @Test("A lossy converter does not bounce") func aLossyConverterDoesNotBounce() {
    let ratios = Log<Double>()
    model.bind(
      \.ratio, to: field, \.number, mode: .twoWay,
      converter: BindingConverter(forward: { Int($0) }, backward: { Double($0) }))
    ratios.follow(model.observe(\.ratio, options: .new))
    follow()
    #expect((model.ratio, field.number) == (2.7, 2))
    model.ratio = 3.9
    #expect((model.ratio, field.number) == (3.9, 3))
    field.number = 4
    ratios.expect([3.9, 4])
    fieldNumbers.expect([3, 4])
  }

  @Test("A failing parse leaves the other side and recovers")
  func aFailingParseLeavesTheOtherSideAndRecovers() {
    let binding = model.bind(
      \.number, to: field, \.text, mode: .twoWay, converter: .decimal)
    let errors = Log<String>()
    errors.follow(binding.errors.map { "\($0)" })
    field.text = "abc"
    #expect((model.number, field.text) == (1, "abc"))
    field.text = "12"
    #expect(model.number == 12)
    field.text = "x"
    model.number = 13
    #expect(field.text == "13")
    #expect(
      errors.take() == [
        "notConvertible(text: \"abc\", type: \"Int\")",
        "notConvertible(text: \"x\", type: \"Int\")",
      ])
    binding.dispose()
    #expect(errors.isCompleted)
  }

  @Test("An error without an observer is reported") func anErrorWithoutAnObserverIsReported() {
    struct Lonely: Error {}
    Reports.collect()
    model.bind(
      \.number, to: field, \.number, converter: BindingConverter<Int, Int> { _ in throw Lonely() })
    #expect(Reports.of(.bindingError).filter { $0.message == "Lonely()" }.count == 1)
  }

  @Test("A declined value is left") func aDeclinedValueIsLeft() {
    model.bind(
      \.number, to: field, \.number, mode: .twoWay,
      converter: BindingConverter<Int, Int>(
        forward: { $0 % 2 == 0 ? $0 : nil }, backward: { $0 }))
    #expect(field.number == 0)
    model.number = 4
    model.number = 5
    #expect((model.number, field.number) == (5, 4))
  }

  @Test("Ends that never agree are stopped and named") func endsThatNeverAgreeAreStoppedAndNamed() {
    final class Trimming: ReactiveObject {
      var sets = 0
      @Observed var text = "" {
        didSet {
          sets += 1
          if text.hasSuffix(".") { text = String(text.dropLast()) }
        }
      }
    }
    Reports.collect()
    let (one, other) = (Trimming(), Trimming())
    // Not idempotent: neither direction undoes the other, and each end changes the value it
    // receives.
    one.bind(
      \.text, to: other, \.text, mode: .twoWay,
      converter: BindingConverter(forward: { $0 + "!." }, backward: { $0 + "?." }))
    let reports = Reports.of(.bindingRounds).filter { $0.message.contains("Trimming.text") }
    #expect(
      reports.map(\.message) == [
        "Trimming.text and Trimming.text never agree; stopped after 16 rounds"
      ])
    #expect(one.sets + other.sets == 16 * 2)
    #expect(one.text == String(repeating: "!?", count: 8))
  }

  @Test("A ring of three converges") func aRingOfThreeConverges() {
    let models = [Model(), Model(), Model()]
    let logs = models.map { model in
      let log = Log<Int>()
      log.follow(model.observe(\.number, options: .new))
      return log
    }
    for (index, model) in models.enumerated() {
      model.bind(\.number, to: models[(index + 1) % 3], \.number, mode: .twoWay)
    }
    for log in logs { _ = log.take() }
    models[1].number = 5
    #expect(models.map(\.number) == [5, 5, 5])
    for log in logs { #expect(log.take() == [5]) }
  }

  @Test("Both ends may be set inside one observer") func bothEndsMayBeSetInsideOneObserver() {
    let trigger = Model()
    model.bind(\.number, to: field, \.number, mode: .twoWay)
    _ = trigger.observe(\.number, options: .new).subscribe(onNext: { [model, field] in
      model.number = $0
      field.number = $0 + 1
    })
    trigger.number = 4
    #expect((model.number, field.number) == (5, 5))
    // And inside an observer of one of them, before it is delivered to the binding.
    let (early, late) = (Model(), Model())
    _ = early.observe(\.number, options: .new).filter { $0 == 5 }.subscribe(onNext: { _ in
      early.number = 1
      late.number = 2
    })
    early.bind(\.number, to: late, \.number, mode: .twoWay)
    early.number = 5
    #expect((early.number, late.number) == (2, 2))
  }

  @Test("One time sets the target and ends") func oneTimeSetsTheTargetAndEnds() {
    let binding = model.bind(\.number, to: field, \.number, mode: .oneTime)
    #expect(field.number == 1)
    model.number = 2
    #expect(field.number == 1)
    guard case .completed = binding.endReason else { return #expect(Bool(false)) }
  }

  // MARK: Lifetime

  @Test(
    "Either end may die and the other keeps its value", arguments: [BindingMode.oneWay, .twoWay])
  func eitherEndMayDieAndTheOtherKeepsItsValue(mode: BindingMode) {
    var source: Model? = Model()
    weak let goneSource = source
    let binding = source!.bind(\.number, to: field, \.number, mode: mode)
    field.number = 3
    source = nil
    #expect(goneSource == nil)
    guard case .sourceDied = binding.endReason else { return #expect(Bool(false)) }
    #expect(field.number == 3)

    var target: Field? = Field()
    weak let goneTarget = target
    let other = model.bind(\.number, to: target!, \.number, mode: mode)
    model.number = 6
    target = nil
    #expect(goneTarget == nil)
    guard case .targetDied = other.endReason else { return #expect(Bool(false)) }
    #expect(model.number == 6)
    other.dispose()
    guard case .targetDied = other.endReason else { return #expect(Bool(false)) }
  }

  @Test("Either end may die inside a delivery") func eitherEndMayDieInsideADelivery() {
    var target: Field? = Field()
    _ = model.observe(\.number, options: .new).subscribe(onNext: { _ in target = nil })
    let binding = model.bind(\.number, to: target!, \.number, mode: .twoWay)
    model.number = 2
    guard case .targetDied = binding.endReason else { return #expect(Bool(false)) }
    var source: Model? = Model()
    _ = field.observe(\.number, options: .new).subscribe(onNext: { _ in source = nil })
    let other = source!.bind(\.number, to: field, \.number, mode: .twoWay)
    source?.number = 3
    guard case .sourceDied = other.endReason else { return #expect(Bool(false)) }
  }

  @Test("Disposing ends it and releases everything") func disposingEndsItAndReleasesEverything() {
    final class Token {}
    weak var token: Token?
    let binding: PropertyBinding
    do {
      let captured = Token()
      token = captured
      binding = model.bind(
        \.number, to: field, \.number, mode: .twoWay,
        converter: BindingConverter<Int, Int>(
          forward: {
            _ = captured; return $0
          },
          backward: {
            _ = captured; return $0
          }))
    }
    #expect(token != nil)
    binding.dispose()
    #expect(token == nil)
    guard case .disposed = binding.endReason else { return #expect(Bool(false)) }
    model.number = 8
    #expect(field.number == 1)
  }

  @Test("Nothing is written once it has been disposed inside a delivery")
  func nothingIsWrittenOnceItHasBeenDisposedInsideADelivery() {
    var binding: PropertyBinding?
    binding = model.bind(\.number, to: field, \.number, mode: .twoWay)
    _ = field.observe(\.number, options: .new).filter { $0 == 20 }
      .subscribe(onNext: { _ in binding?.dispose() })
    model.number = 20
    #expect((model.number, field.number) == (20, 10))
    let converter = BindingConverter<Int, Int> {
      if $0 == 7 { binding?.dispose() }
      return $0
    }
    binding = model.bind(\.number, to: field, \.number, converter: converter)
    model.number = 7
    #expect(field.number == 10)
  }

  @Test("A group ends together") func aGroupEndsTogether() {
    let bindings: [PropertyBinding]
    do {
      let bag = DisposeBag()
      bindings = [
        model.bind(\.number, to: field, \.number, mode: .twoWay),
        model.bind(\.text, to: field, \.text),
      ]
      for binding in bindings { binding.disposed(by: bag) }
      #expect(bindings.map(\.isActive) == [true, true])
    }
    #expect(bindings.map(\.isActive) == [false, false])
  }
}
