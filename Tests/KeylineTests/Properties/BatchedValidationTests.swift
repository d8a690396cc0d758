import Keyline
import TestSupport
import Testing

/// Rules whose property is set several times in one batch.
@Suite struct BatchedValidationTests {
  struct Bad: Error {}

  final class Model: ReactiveObject {
    @Observed var lo = 10
    @Observed var hi = 10
    @Observed var i = 3
  }

  let model = Model()
  let results = Log<String>()

  private func follow(_ validation: PropertyValidation<Int>) {
    results.follow(validation.results.map { $0.error == nil ? "\($0)" : "rejected" })
  }

  @Test("A rejected value of a batch does not hide a later change of the limit")
  func aRejectedValueOfABatchDoesNotHideALaterChangeOfTheLimit() {
    follow(
      model.validate(\.lo) { model, lo in
        lo == 7 ? .rejected(Bad()) : lo > model.hi ? .coerced(model.hi) : .valid
      })
    batchUpdates {
      model.lo = 99
      model.lo = 7
    }
    #expect(model.lo == 10)
    results.expect(["valid", "coerced(10)", "rejected", "valid"])
    model.hi = 5
    #expect(model.lo == 5)
    results.expect(["coerced(5)", "valid"])
  }

  @Test("A value that is set in a batch before the limit is coerced to the limit")
  func aValueThatIsSetInABatchBeforeTheLimitIsCoercedToTheLimit() {
    model.validate(\.lo) { model, lo in .coerced(min(lo, model.hi)) }
    batchUpdates {
      model.lo = 8
      model.hi = 5
    }
    #expect(model.lo == 5)
    batchUpdates {
      model.hi = 20
      model.lo = 15
      model.hi = 12
      model.lo = 99
      model.hi = 11
    }
    #expect(model.lo == 11)
  }

  @Test("The results end with the current value after a rejected one in the same batch")
  func theResultsEndWithTheCurrentValueAfterARejectedOneInTheSameBatch() {
    follow(model.validate(\.i) { _, i in i < 0 ? .rejected(Bad()) : i > 9 ? .coerced(9) : .valid })
    results.expect(["valid"])
    batchUpdates {
      model.i = -1
      model.i = 3
    }
    #expect(model.i == 3)
    results.expect(["rejected", "valid"])
    model.i = 9
    _ = results.take()
    batchUpdates {
      model.i = -1
      model.i = 50
    }
    #expect(model.i == 9)
    results.expect(["rejected", "coerced(9)", "valid"])
    // A batch in which a value was accepted ends with the result for the current value.
    batchUpdates {
      model.i = 8
      model.i = -1
    }
    results.expect(["rejected", "valid"])
    batchUpdates { model.i = -1 }
    model.i = -1
    results.expect(["rejected", "rejected"])
  }

  @Test("A rule that coerces every value is applied once for each set of a batch")
  func aRuleThatCoercesEveryValueIsAppliedOnceForEachSetOfABatch() {
    follow(model.validate(\.i) { _, i in .coerced(i + 1) })
    model.i = 4
    #expect(model.i == 5)
    batchUpdates {
      model.i = 4
      model.lo = 1
    }
    #expect(model.i == 5)
  }

  @Test("An observer of the results may set the property before a coerced value is set")
  func anObserverOfTheResultsMaySetThePropertyBeforeACoercedValueIsSet() {
    let validation = model.validate(\.lo) { model, lo in
      lo > model.hi ? .coerced(model.hi) : .valid
    }
    let subscription = validation.results.subscribe(onNext: { [model] in
      if case .coerced(5) = $0 { model.lo = 2 }
    })
    model.hi = 5
    #expect(model.lo == 2)
    subscription.dispose()
  }

  @Test("A rule that has ended is not applied while another one is disposed")
  func aRuleThatHasEndedIsNotAppliedWhileAnotherOneIsDisposed() {
    let rule = model.validate(\.lo) { _, lo in lo < 0 ? .coerced(0) : .valid }
    let first = Disposables.create { [model] in model.lo = -1 }
    Disposables.create(first, rule).dispose()
    #expect(model.lo == -1)
  }

  final class Titled: ReactiveObject { @Observed var title = "a" }

  @Test("A refused set is reported once if nothing observes the results")
  func aRefusedSetIsReportedOnceIfNothingObservesTheResults() throws {
    Reports.collect()
    let item = Titled()
    let validation = item.validate(\.title) { _, title in title.isEmpty ? .rejected(Bad()) : .valid
    }
    let observer = validation.results.subscribe()
    item.title = ""
    #expect(Reports.of(.refusedWrite).filter { $0.type == "Titled" }.isEmpty)
    observer.dispose()
    // A set by name throws instead.
    #expect(throws: Bad.self) { try item.setValue("", forKey: "title") }
    #expect(Reports.of(.refusedWrite).filter { $0.type == "Titled" }.isEmpty)
    item.title = ""
    item.title = ""
    let reports = Reports.of(.refusedWrite).filter { $0.type == "Titled" }
    #expect(reports.map(\.property) == ["title"])
    #expect(reports.first?.message.contains("a rule refuses the value: Bad()") == true)
    #expect(item.title == "a")
  }

  @Test("So is a refused set of each kind, in a class of its own")
  func soIsARefusedSetOfEachKind() {
    final class Card: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var title = "a"
      @Observed var tags = ["a"]
      @Observed var note: String? = "a"
      @Observed var count = 0
      @WeakObserved var owner: Card?
      var alias: String {
        get { title }
        set { title = newValue }
      }
    }
    struct Worse: Error {}
    func rule<Value>(_ isAllowed: Bool) -> Validation<Value> {
      isAllowed ? .valid : .rejected(Bad())
    }
    Reports.collect()
    let (card, other) = (Card(), Card())
    card.owner = other
    card.validate(\.title) { $1 == "x" ? .rejected(Worse()) : rule(!$1.isEmpty) }
    card.validate(\.tags) { rule($1.count < 2) }
    card.validate(\.note) { rule($1 != nil) }
    card.validate(\.count) { rule($1 < 3) }
    card.validate(\.owner) { rule($1 != nil) }
    for _ in 0..<2 {
      card.title = ""
      card.alias = ""
      card.title = "x"
      card.tags.append("b")
      card.note = nil
      batchUpdates { (card.count, card.count) = (4, 5) }
      card.owner = nil
    }
    #expect(card.title == "a" && card.tags == ["a"] && card.note == "a" && card.count == 0)
    #expect(card.owner === other)
    let reports = Reports.about("Card")
    #expect(Set(reports.map(\.category)) == [.refusedWrite])
    #expect(
      reports.compactMap(\.property) == ["title", "title", "tags", "note", "count", "owner"])
    other.bind(\.count, to: card, \.count)
    other.count = 9
    #expect(Reports.about("Card").dropFirst(6).map(\.category) == [.bindingError])
  }
}
