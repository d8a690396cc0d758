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

  @Test("B1: The binding holds without being kept until disposed")
  func b1TheBindingHoldsWithoutBeingKeptUntilDisposed() {
    let binding = person.bind(\.name, to: row, \.title)
    person.name = "Bea"
    #expect(row.title == "Bea")
    #expect(binding.isActive)
    binding.dispose()
    person.name = "Cleo"
    #expect(row.title == "Bea")
    #expect(!binding.isActive && binding.isDisposed)
  }

  @Test("B1: It ends when the source dies and the target keeps its value")
  func b1ItEndsWhenTheSourceDiesAndTheTargetKeepsItsValue() {
    var source: Person? = Person("mortal")
    weak let gone = source
    let binding = source!.bind(\.name, to: row, \.title)
    source = nil
    #expect(gone == nil)
    #expect(!binding.isActive)
    #expect(row.title == "mortal")
  }

  @Test("B1: It ends when the target dies") func b1ItEndsWhenTheTargetDies() {
    var target: Row? = Row()
    weak let gone = target
    let binding = person.bind(\.name, to: target!, \.title)
    target = nil
    #expect(gone == nil)
    #expect(!binding.isActive)
    person.name = "Bea"
  }

  @Test("B1: The target may die inside a delivery") func b1TheTargetMayDieInsideADelivery() {
    var target: Row? = Row()
    _ = person.observe(\.name, options: .new).subscribe(onNext: { _ in target = nil })
    let binding = person.bind(\.name, to: target!, \.title)
    person.name = "Bea"
    #expect(!binding.isActive)
  }

  @Test("B2: The source wins initially") func b2TheSourceWinsInitially() {
    person.bind(\.name, to: row, \.title)
    #expect(row.title == "Ada")
  }

  @Test("Writes go through the targets accessors") func writesGoThroughTheTargetsAccessors() {
    person.bind(\.age, to: row, \.count)
    person.age = 1
    person.age = 1
    #expect(row.writes == 3)
    #expect(row.count == 1)
  }

  @Test("A value binds to an optional") func aValueBindsToAnOptional() {
    person.bind(\.name, to: row, \.subtitle)
    #expect(row.subtitle == "Ada")
  }

  @Test("Computed and multi hop sources bind") func computedAndMultiHopSourcesBind() {
    person.bind(\.label, to: row, \.title)
    person.bind(\.address?.city?.name, to: row, \.subtitle)
    person.address = Address(city: City("Rome"))
    #expect(row.title == "Ada, Rome")
    #expect(row.subtitle == "Rome")
  }

  @Test("Any observable binds to a property and its error ends the binding")
  func anyObservableBindsToAPropertyAndItsErrorEndsTheBinding() {
    struct Failure: Error {}
    let numbers = PublishSubject<Int>()
    let binding = numbers.bind(to: row, \.count)
    numbers.onNext(3)
    #expect(row.count == 3)
    numbers.onCompleted()
    #expect(!binding.isActive)
  }

  @Test("Bindings in a row carry a value through in one set")
  func bindingsInARowCarryAValueThroughInOneSet() {
    let last = Row()
    person.bind(\.name, to: row, \.title)
    row.bind(\.title, to: last, \.title)
    person.name = "Bea"
    #expect(last.title == "Bea")
  }
}
