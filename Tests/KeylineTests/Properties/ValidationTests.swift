import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// Rules of `validate`: coerced, rejected and valid values, and their results.
@Suite struct ValidationTests {
  struct Empty: Error {}

  final class Range: ReactiveObject {
    @Observed var maximum = 10
    @Observed var value = 0
    @Observed var name = "a"
    @Observed var list: [Int] = []
  }

  let range = Range()
  let values = Log<Int>()

  @Test("Values are coerced before they are stored") func valuesAreCoercedBeforeTheyAreStored() {
    values.follow(range.observe(\.value))
    range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    range.value = 5
    range.value = 50
    range.value += 1
    values.expect([0, 5, 10, 10])
    #expect(range.value == 10)
  }

  @Test("A coercion is a result as it is when it is revalidated")
  func aCoercionIsAResultAsItIsWhenItIsRevalidated() {
    let results = Log<String>()
    let validation = range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    results.follow(validation.results.map { "\($0)" })
    range.value = 50
    results.expect(["valid", "coerced(10)", "valid"])
    range.maximum = 5
    results.expect(["coerced(5)", "valid"])
  }

  @Test(
    "A refusal at the end of a path of several hops leaves the source",
    arguments: [BindingMode.oneWay, .twoWay])
  func aRefusalAtTheEndOfAPathOfSeveralHopsLeavesTheSource(mode: BindingMode) {
    final class Holder: ReactiveObject { @Observed var range: Range? }
    let (source, holder) = (Range(), Holder())
    holder.range = range
    range.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    let binding = source.bind(\.name, to: holder, \.range!.name, mode: mode, converter: .identity)
    var refusals = 0
    _ = binding.errors.subscribe(onNext: { if $0 is Empty { refusals += 1 } })
    source.name = ""
    #expect(refusals == 1)
    #expect(source.name == "")
    #expect(range.name == "a")
  }

  @Test(
    "A refused set of an observer is not a refusal of the binding",
    arguments: [BindingMode.oneWay, .twoWay])
  func theRefusalOfWhatAnObserverSetsIsNoneOfTheBinding(mode: BindingMode) {
    let source = Range()
    range.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    // Clamped, so that the binding has something to send back.
    _ = range.observe(\.value, options: .new).subscribe(onNext: { [range] value in
      range.name = ""
      if value > 10 { range.value = 10 }
    })
    let binding = source.bind(\.value, to: range, \.value, mode: mode, converter: .identity)
    var refusals = 0
    _ = binding.errors.subscribe(onNext: { _ in refusals += 1 })
    source.value = 50
    #expect(refusals == 0)
    #expect(range.value == 10)
    #expect(source.value == (mode == .twoWay ? 10 : 50))
  }

  @Test("A rule holds for an exclusive binding when it is evaluated again")
  func aRuleHoldsForAnExclusiveBindingWhenItIsEvaluatedAgain() {
    let source = Range()
    range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    source.bind(\.value, to: range, \.value, mode: .twoWay, exclusive: true)
    source.value = 9
    range.maximum = 5
    #expect((range.value, source.value) == (5, 5))
    range.value = 1
    #expect(range.value == 5)
  }

  @Test("A rule may coerce every value") func aRuleMayCoerceEveryValue() {
    values.follow(range.observe(\.value, options: .new))
    range.validate(\.value) { range, value in .coerced(min(value, range.maximum)) }
    range.value = 50
    range.maximum = 5
    values.expect([10, 5])
  }

  @Test("A rule that never agrees with itself is evaluated once for a set")
  func aRuleThatNeverAgreesWithItselfIsEvaluatedOnceForASet() {
    final class Handlers: ReactiveObject {
      @Observed var number = 0
      @Observed var handler: () -> Int = { 0 }
    }
    let handlers = Handlers()
    handlers.validate(\.number) { _, number in .coerced(number + 1) }
    handlers.number = 4
    #expect(handlers.number == 5)
    handlers.validate(\.handler) { _, handler in .coerced({ min(handler(), 10) }) }
    handlers.handler = { 20 }
    #expect(handlers.handler() == 10)
  }

  @Test("A rejected value changes nothing") func aRejectedValueChangesNothing() {
    let names = Log<String>()
    let results = Log<Bool>()
    let validation = range.validate(\.name) { _, name in
      name.isEmpty ? .rejected(Empty()) : .valid
    }
    results.follow(validation.results.map { $0.error == nil })
    names.follow(range.observe(\.name))
    range.name = ""
    range.name.removeAll()
    range.name = "b"
    names.expect(["a", "b"])
    results.expect([true, false, false, true])
    validation.dispose()
    range.name = ""
    #expect(range.name == "")
  }

  @Test("A value is validated again when something else changes that the rule reads")
  func aValueIsValidatedAgainWhenSomethingElseChangesThatTheRuleReads() {
    let results = Log<Bool>()
    range.value = 8
    values.follow(range.observe(\.value, options: .new))
    range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    let rejecting = range.validate(\.list) { range, list in
      list.count > range.maximum ? .rejected(Empty()) : .valid
    }
    results.follow(rejecting.results.map { $0.error == nil })
    range.list = [1, 2, 3]
    range.maximum = 2
    #expect(range.value == 2)
    #expect(range.list == [1, 2, 3])
    values.expect([2])
    results.expect([true, true, false])
  }

  @Test("A binding learns how a rule has changed its value") func bindingsHearOfWhatARuleDoes() {
    final class Form: ReactiveObject {
      @Observed var text = "1"
      @Observed var name = ""
    }
    let form = Form()
    range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    range.bind(\.value, to: form, \.text, mode: .twoWay, converter: .decimal)
    form.text = "99"
    #expect((range.value, form.text) == (10, "10"))
    range.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    let errors = Log<Bool>()
    let binding = range.bind(\.name, to: form, \.name, mode: .twoWay)
    errors.follow(binding.errors.map { $0 is Empty })
    form.name = ""
    #expect((range.name, form.name) == ("a", ""))
    form.name = "b"
    #expect(range.name == "b")
    errors.expect([true])
  }

  @Test("A validation ends with its object and retains nothing")
  func aValidationEndsWithItsObjectAndRetainsNothing() {
    final class Token {}
    weak var token: Token?
    weak var object: Range?
    let validation: PropertyValidation<Int>
    do {
      let mortal = Range()
      let captured = Token()
      (object, token) = (mortal, captured)
      validation = mortal.validate(\.value) { _, _ in
        _ = captured
        return .valid
      }
    }
    #expect(object == nil)
    #expect(validation.isDisposed)
    #expect(token == nil)
  }

  @Test("Only stored properties can be validated") func onlyStoredPropertiesCanBeValidated() {
    final class Computing: ReactiveObject {
      @Observed var first = 1
      @Observed var second = 1
      var sum: Int {
        get { first + second }
        set { first = newValue - second }
      }
    }
    Reports.collect()
    let validation = Computing().validate(\.sum) { _, _ in .valid }
    #expect(validation.isDisposed)
    #expect(Reports.about("Computing").map(\.category) == [.misuse])
  }

  @Test("B4: An earlier rule may reject the value that a later rule has coerced")
  func b4WhatALaterRuleCoercesAnEarlierOneMayReject() {
    struct Odd: Error {}
    final class Dial: ReactiveObject {
      @Observed var value = 0
      @Observed var limit = 10
    }
    let dial = Dial()
    dial.validate(\.value) { $1 < 0 && $1 % 2 != 0 ? .rejected(Odd()) : .valid }
    dial.validate(\.value) { $1 > $0.limit ? .coerced($0.limit) : .valid }
    dial.limit = -1
    dial.value = 19
    #expect(dial.value == 0)
    dial.limit = -2
    #expect(dial.value == -2)
    dial.value = 19
    #expect(dial.value == -2)
  }

  @Test("B4: A value is coerced to a limit that an observer lowers")
  func b4AValueIsCoercedWhoseLimitAnObserverLowers() {
    final class Dial: ReactiveObject {
      @Observed var value = 0
      @Observed var limit = 16
    }
    let dial = Dial()
    dial.validate(\.value) { $1 > $0.limit ? .coerced($0.limit) : .valid }
    let subscription = dial.observe(\.value, options: .new).subscribe(onNext: {
      if $0 == 16 { dial.limit = 11 }
    })
    dial.value = 21
    #expect(dial.value == 11)
    subscription.dispose()
  }

  @Test("A rule that another rule of the same set disposes is not asked")
  func aRuleThatAnotherRuleOfTheSameSetDisposesIsNotAsked() {
    var second: PropertyValidation<Int>?
    range.validate(\.value) { _, value in
      if value == 5 { second?.dispose() }
      return .valid
    }
    second = range.validate(\.value) { _, value in value == 5 ? .rejected(Empty()) : .valid }
    range.value = 5
    #expect(range.value == 5)
  }

  @Test("The results complete with the rule, and with the object", arguments: [false, true])
  func theResultsCompleteWithTheRuleAndWithTheObject(isDisposed: Bool) {
    var object: Range? = Range()
    let validation = object?.validate(\.value) { _, _ in .valid }
    let (results, late) = (Log<String>(), Log<String>())
    results.follow(validation?.results.map { "\($0)" } ?? .never())
    if isDisposed { validation?.dispose() } else { object = nil }
    late.follow(validation?.results.map { "\($0)" } ?? .never())
    #expect(results.take() == ["valid"] && results.isCompleted)
    #expect(late.take().isEmpty && late.isCompleted)
    withExtendedLifetime(object) {}
  }

  @Test("The reset of an abandoned leaf is a write of the binding", arguments: [false, true])
  func theResetOfAnAbandonedLeafIsAWriteOfTheBinding(isExclusive: Bool) {
    final class Holder: ReactiveObject { @Observed var range: Range? }
    let (source, holder, other) = (Range(), Holder(), Range())
    source.value = 5
    holder.range = range
    let binding = source.bind(
      \.value, to: holder, { $0.range.value }, exclusive: isExclusive, resetOnUnbind: .value(-1))
    let errors = Log<String>()
    errors.follow(binding.errors.map { "\($0)" })
    holder.range = other
    #expect(range.value == -1 && other.value == 5)
    other.validate(\.value) { _, value in value < 0 ? .rejected(Empty()) : .valid }
    holder.range = nil
    #expect(other.value == 5 && errors.take() == ["Empty()"])
  }
}
