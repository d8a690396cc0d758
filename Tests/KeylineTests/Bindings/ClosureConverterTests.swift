import Keyline
import KeylineTest
import TestSupport
import Testing

/// Closures as converters, and optional targets of chains.
@Suite struct ClosureConverterTests {
  final class Row: ReactiveObject {
    @Observed var text = ""
    @Observed var detail: String?
    @Observed var count = 0
  }

  final class Table: ReactiveObject {
    @Observed var row: Row?
  }

  struct Negative: Error, Equatable {}

  let person = Person("Ada")
  let row = Row()

  @Test("A closure converts one way") func aClosureConvertsOneWay() {
    person.bind(\.age, to: row, \.text, converter: BindingConverter { age in "\(age) years" })
    person.age = 3
    #expect(row.text == "3 years")
    let once = Row()
    person.bind(\.age, to: once, \.text, mode: .oneTime, converter: BindingConverter { "\($0)" })
    person.age = 4
    #expect(row.text == "4 years" && once.text == "3")
    person.bind(\.name, to: row, \.count, converter: BindingConverter(\.count))
    #expect(row.count == 3)
  }

  @Test("Nil leaves the target and an error is reported")
  func nilLeavesTheTargetAndAnErrorIsReported() {
    let binding = person.bind(
      \.age, to: row, \.text,
      converter: BindingConverter { age in
        if age < 0 { throw Negative() }
        return age == 13 ? nil : "\(age)"
      })
    var errors: [Negative?] = []
    _ = binding.errors.subscribe(onNext: { errors.append($0 as? Negative) })
    for age in [12, 13, -1] { person.age = age }
    #expect(row.text == "12")
    #expect(errors == [Negative()])
  }

  @Test("Either end may be a chain") func eitherEndMayBeAChain() {
    let table = Table()
    let (fromChain, bothChains) = (Row(), Table())
    bothChains.row = Row()
    person.bind(\.age, to: table, { $0.row.text }, converter: BindingConverter { "\($0)" })
    person.bind(
      { $0.address.city.name }, to: fromChain, \.count, converter: BindingConverter { $0.count },
      whenBroken: .value(-1))
    person.bind(
      { $0.address.city.name }, to: bothChains, { $0.row.count },
      converter: BindingConverter { $0.count * 10 })
    #expect(fromChain.count == -1 && bothChains.row?.count == 0)
    table.row = Row()
    person.address = Address(city: City("Rome"))
    #expect(table.row?.text == "0" && fromChain.count == 4 && bothChains.row?.count == 40)
    person.address = nil
    #expect(fromChain.count == -1 && bothChains.row?.count == 40)
  }

  @Test("A chain is bound to an optional by a wrapper") func aChainIsBoundToAnOptionalByAWrapper() {
    person.bind({ $0.address.city.name }, to: row, \.detail, converter: .wrapped)
    #expect(row.detail == nil)
    person.address = Address(city: City("Rome"))
    #expect(row.detail == "Rome")
    person.address = nil
    #expect(row.detail == "Rome")
    let cleared = Row()
    person.bind(
      { $0.address.city.name }, to: cleared, \.detail, converter: .wrapped, whenBroken: .value(nil))
    person.address = Address(city: City("Oslo"))
    #expect(row.detail == "Oslo" && cleared.detail == "Oslo")
    person.address = nil
    #expect(row.detail == "Oslo" && cleared.detail == nil)
    // An optional leaf is bound as it was.
    person.bind({ $0.address.zip }, to: row, \.detail)
    person.address = Address()
    person.address?.zip = "1"
    #expect(row.detail == "1")
  }
}
