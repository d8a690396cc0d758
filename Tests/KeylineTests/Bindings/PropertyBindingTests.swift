import Keyline
import TestSupport
import Testing

/// The laws of bindings for one-way bindings.
@Suite struct PropertyBindingTests {
  final class Row: ReactiveObject {
    @Observed var title = "untouched"
    @Observed var subtitle: String?
    var writes = 0
    @Observed var count = 0 { didSet { writes += 1 } }
  }

  let person = Person("Ada")
  let row = Row()

  @Test func b1TheBindingHoldsWithoutBeingKeptUntilDisposed() {
    let binding = person.bind(\.name, to: row, \.title)
    person.name = "Bea"
    #expect(row.title == "Bea")
    #expect(binding.isActive)
    binding.dispose()
    person.name = "Cleo"
    #expect(row.title == "Bea")
    #expect(!binding.isActive && binding.isDisposed)
  }

  @Test func b1ItEndsWhenTheSourceDiesAndTheTargetKeepsItsValue() {
    var source: Person? = Person("mortal")
    weak let gone = source
    let binding = source!.bind(\.name, to: row, \.title)
    source = nil
    #expect(gone == nil)
    #expect(!binding.isActive)
    #expect(row.title == "mortal")
  }

  @Test func b1ItEndsWhenTheTargetDies() {
    var target: Row? = Row()
    weak let gone = target
    let binding = person.bind(\.name, to: target!, \.title)
    target = nil
    #expect(gone == nil)
    #expect(!binding.isActive)
    person.name = "Bea"
  }

  @Test func b1TheTargetMayDieInsideADelivery() {
    var target: Row? = Row()
    _ = person.observe(\.name, options: .new).subscribe(onNext: { _ in target = nil })
    let binding = person.bind(\.name, to: target!, \.title)
    person.name = "Bea"
    #expect(!binding.isActive)
  }

  @Test func b2TheSourceWinsInitially() {
    person.bind(\.name, to: row, \.title)
    #expect(row.title == "Ada")
  }

  @Test func writesGoThroughTheTargetsAccessors() {
    person.bind(\.age, to: row, \.count)
    person.age = 1
    person.age = 1
    #expect(row.writes == 3)
    #expect(row.count == 1)
  }

  @Test func aValueBindsToAnOptional() {
    person.bind(\.name, to: row, \.subtitle)
    #expect(row.subtitle == "Ada")
  }

  @Test func computedAndMultiHopSourcesBind() {
    person.bind(\.label, to: row, \.title)
    person.bind(\.address?.city?.name, to: row, \.subtitle)
    person.address = Address(city: City("Rome"))
    #expect(row.title == "Ada, Rome")
    #expect(row.subtitle == "Rome")
  }

  @Test func anyObservableBindsToAPropertyAndItsErrorEndsTheBinding() {
    struct Failure: Error {}
    let numbers = PublishSubject<Int>()
    let binding = numbers.bind(to: row, \.count)
    numbers.onNext(3)
    #expect(row.count == 3)
    numbers.onCompleted()
    #expect(!binding.isActive)
  }

  @Test func bindingsInARowCarryAValueThroughInOneSet() {
    let last = Row()
    person.bind(\.name, to: row, \.title)
    row.bind(\.title, to: last, \.title)
    person.name = "Bea"
    #expect(last.title == "Bea")
  }
}
