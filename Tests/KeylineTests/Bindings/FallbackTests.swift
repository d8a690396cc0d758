import Keyline
import KeylineTest
import TestSupport
import Testing

/// Fallbacks of two-way bindings, which are not values of the program, and batches that set both ends.
@Suite struct FallbackTests {
  final class Item: ReactiveObject {
    @Observed var n = 1
    @Observed var maybe: Int?
    init(_ n: Int = 1) { self.n = n }
  }

  final class Model: ReactiveObject {
    @Observed var item: Item?
    @Observed var maybe: Int? = 1
    @Observed var i = 1
  }

  final class Form: ReactiveObject {
    @Observed var text = "form"
    @Observed var trimmed = "" {
      didSet { if trimmed.hasPrefix(" ") { trimmed.removeFirst() } }
    }
    @Observed var part: Form?
  }

  /// Decimal numbers, recording each text that is converted.
  private func recording(_ converted: Log<String>) -> BindingConverter<Int, String> {
    BindingConverter(
      forward: { "\($0)" },
      backward: { text in
        converted.append(text)
        return try BindingConverter<Int, String>.decimal.backward(text)
      })
  }

  let model = Model()
  let form = Form()
  let converted = Log<String>()
  let errors = Log<String>()

  private func follow(_ binding: PropertyBinding) {
    errors.follow(binding.errors.map { "\($0)" })
  }

  // MARK: Broken chains

  @Test("B5: The fallback for a broken chain is not converted backwards", arguments: [false, true])
  func b5TheFallbackForABrokenChainIsNotConvertedBackwards(isChain: Bool) {
    Reports.collect()
    form.part = Form()
    let converter = recording(converted)
    let binding =
      isChain
      ? model.bind(
        { $0.item.n }, to: form, { $0.part.text }, mode: .twoWay, converter: converter,
        whenBroken: .value(""))
      : model.bind(
        { $0.item.n }, to: form, \.text, mode: .twoWay, converter: converter,
        whenBroken: .value(""))
    follow(binding)
    func text() -> String? { isChain ? form.part?.text : form.text }
    func set(_ text: String) { if isChain { form.part?.text = text } else { form.text = text } }
    #expect(text() == "")
    let item = Item(5)
    model.item = item
    #expect(text() == "5")
    model.item = nil
    #expect(text() == "")
    batchUpdates {
      model.item = item
      item.n = 6
      model.item = nil
    }
    #expect(text() == "")
    converted.expect([])
    // The input of the program is converted, also while the chain is broken.
    set("x")
    converted.expect(["x"])
    model.item = item
    #expect(text() == "6")
    set("7")
    #expect(item.n == 7)
    converted.expect(["7"])
    if isChain {
      model.item = nil
      form.part = Form()
      #expect(text() == "" && converted.take() == [])
    }
    #expect(errors.take().count == 1)
    #expect(Reports.about("Form").isEmpty)
  }

  @Test("B5: The fallback for a binding in a batch is not converted backwards")
  func b5TheFallbackForABindingInABatchIsNotConvertedBackwards() {
    batchUpdates {
      follow(
        model.bind(
          { $0.item.n }, to: form, \.text, mode: .twoWay, converter: recording(converted),
          whenBroken: .value("")))
      #expect(form.text == "")
    }
    #expect(form.text == "")
    #expect(converted.take() == [] && errors.take() == [])
  }

  @Test("B11: The fallback for a broken chain is not converted backwards on a scheduler")
  func b11TheFallbackForABrokenChainIsNotConvertedBackwardsOnAScheduler() {
    let scheduler = TestScheduler(initialClock: 0)
    follow(
      model.bind(
        { $0.item.n }, to: form, \.text, mode: .twoWay, converter: recording(converted),
        whenBroken: .value(""), on: .scheduler(scheduler)))
    scheduler.start()
    #expect(form.text == "")
    model.item = Item(5)
    scheduler.start()
    #expect(form.text == "5")
    // Broken and whole again, before the scheduler runs.
    let item = Item(6)
    model.item = nil
    model.item = item
    scheduler.start()
    #expect(form.text == "6" && item.n == 6)
    // The end that changes last counts.
    form.text = "7"
    model.item = nil
    scheduler.start()
    #expect(form.text == "" && item.n == 6)
    model.item = item
    scheduler.start()
    model.item = nil
    form.text = "8"
    scheduler.start()
    #expect(form.text == "8")
    #expect(converted.take().allSatisfy { $0 != "" })
    errors.expect([])
  }

  @Test("B11: A chain that an observer of the fallback repairs is passed on")
  func b11AChainThatAnObserverOfTheFallbackRepairsIsPassedOn() {
    let scheduler = TestScheduler(initialClock: 0)
    model.item = Item(5)
    follow(
      model.bind(
        { $0.item.n }, to: form, \.text, mode: .twoWay, converter: .decimal,
        whenBroken: .value(""), on: .scheduler(scheduler)))
    scheduler.start()
    let subscription = form.observe(\.text, options: .new).subscribe(onNext: { [model] in
      if $0 == "" { model.item = Item(6) }
    })
    model.item = nil
    scheduler.start()
    #expect(form.text == "6" && errors.take() == [])
    subscription.dispose()
  }

  @Test("B6: The value for an abandoned leaf is not converted backwards")
  func b6TheValueForAnAbandonedLeafIsNotConvertedBackwards() {
    let (first, second) = (Form(), Form())
    form.part = first
    follow(
      model.bind(
        \.i, to: form, { $0.part.text }, mode: .twoWay, converter: recording(converted),
        resetOnUnbind: .value("")))
    form.part = second
    #expect(first.text == "" && second.text == "1")
    batchUpdates {
      form.part = first
      form.part = nil
    }
    #expect(second.text == "")
    #expect(converted.take() == [] && errors.take() == [] && model.i == 1)
  }

  // MARK: Nil

  @Test("B5: A fallback for nil that the target normalises is not sent back")
  func b5AFallbackForNilThatTheTargetNormalisesIsNotSentBack() {
    let optional = BindingConverter<Int?, String>(
      forward: { $0.map { "\($0)" } }, backward: { try BindingConverter.decimal.backward($0) })
    follow(
      model.bind(
        \.maybe, to: form, \.trimmed, mode: .twoWay, converter: optional, whenNil: .value(" ")))
    model.maybe = nil
    #expect(form.trimmed == "" && model.maybe == nil)
    batchUpdates {
      model.maybe = 3
      model.maybe = nil
    }
    #expect(form.trimmed == "" && model.maybe == nil)
    errors.expect([])
    form.trimmed = " 4"
    #expect(form.trimmed == "4" && model.maybe == 4)
  }

  // MARK: Batches

  @Test(
    "D38: The source wins also over a value that converts to its own", arguments: [true, false])
  func d38TheSourceWinsAlsoOverAValueThatConvertsToItsOwn(isSourceFirst: Bool) {
    model.bind(\.i, to: form, \.text, mode: .twoWay, converter: .decimal)
    batchUpdates {
      if isSourceFirst { model.i = 7 }
      form.text = "007"
      if !isSourceFirst { model.i = 7 }
    }
    #expect(form.text == "7" && model.i == 7)
    // The end that was set keeps its value, if it is the only one.
    batchUpdates { form.text = "008" }
    #expect(form.text == "008" && model.i == 8)
    form.text = "009"
    #expect(form.text == "009" && model.i == 9)
  }

  @Test(
    "D38: A chain as the source wins also over a value that converts to its own",
    arguments: [true, false])
  func d38AChainAsTheSourceWinsAlsoOverAValueThatConvertsToItsOwn(isSourceFirst: Bool) {
    let item = Item()
    model.item = item
    model.bind({ $0.item.n }, to: form, \.text, mode: .twoWay, converter: .decimal)
    batchUpdates {
      if isSourceFirst { item.n = 7 }
      form.text = "007"
      if !isSourceFirst { item.n = 7 }
    }
    #expect(form.text == "7" && item.n == 7)
    batchUpdates { form.text = "008" }
    #expect(form.text == "008" && item.n == 8)
  }

  @Test("D38: The source wins on the main thread and on a scheduler", arguments: [true, false])
  @MainActor func d38TheSourceWinsOnTheMainThreadAndOnAScheduler(isMain: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    model.bind(
      \.i, to: form, \.text, mode: .twoWay, converter: .decimal,
      on: isMain ? .main : .scheduler(scheduler))
    scheduler.start()
    for isSourceFirst in [true, false] {
      batchUpdates {
        if isSourceFirst { model.i = 7 }
        form.text = "007"
        if !isSourceFirst { model.i = 7 }
      }
      scheduler.start()
      #expect(form.text == "7" && model.i == 7)
      form.text = "5"
      scheduler.start()
      #expect(model.i == 5)
    }
  }
}
