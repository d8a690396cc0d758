import Keyline
import TestSupport
import Testing

@testable import Invoice

/// The bindings between forms and lines: the end that follows, the number of changes, and the
/// lifetimes.
@Suite("Invoice: forms")
struct InvoiceFormTests {
  let line = LineItem(
    number: 1,
    .init(title: "Desk", quantity: 2, unitPrice: .init(cents: 1_050), taxRate: .whole))
  let form: LineForm

  init() { form = LineForm(of: line) }

  private func texts() -> [String] { form.fields.map(\.text) }

  @Test("A form shows its line") func aFormShowsItsLine() {
    #expect(texts() == ["Desk", "2", "10.50", "100 %"])
    line.quantity = 3
    line.unitPrice = Money(cents: -5)
    #expect(texts() == ["Desk", "3", "-0.05", "100 %"])
    #expect(form.fields.map(\.problem) == [nil, nil, nil, nil])
  }

  @Test("A text is one change of the line and one of the form")
  func aTextIsOneChangeOfTheLineAndOneOfTheForm() {
    let (prices, texts, amounts) = (Log<Money>(), Log<String>(), Log<Money>())
    prices.follow(line.observe(\.unitPrice, options: .new))
    texts.follow(form.price.observe(\.text, options: .new))
    amounts.follow(line.observe(\.gross, options: .new))
    form.price.text = "7"
    prices.expect([Money(cents: 700)])
    texts.expect(["7"])
    amounts.expect([Money(cents: 2_800)])
    line.unitPrice = Money(cents: 800)
    texts.expect(["8.00"])
    prices.expect([Money(cents: 800)])
  }

  @Test("Each mistake is one error and leaves the line")
  func eachMistakeIsOneErrorAndLeavesTheLine() {
    let (errors, quantities) = (Log<String>(), Log<Int>())
    errors.follow(form.errors)
    quantities.follow(line.observe(\.quantity, options: .new))
    form.quantity.text = "x"
    form.quantity.text = "x"
    form.quantity.text = "-2"
    #expect(
      errors.take() == [
        "1.quantity: 'x' is not a whole number such as 12",
        "1.quantity: 'x' is not a whole number such as 12",
        "1.quantity: -2 is not from 0 to 1000000",
      ])
    #expect(form.quantity.problem == "-2 is not from 0 to 1000000")
    quantities.expect([])
    form.quantity.text = "2"
    #expect(form.quantity.problem == nil)
    line.quantity = 4
    #expect(form.quantity.text == "4")
    errors.expect([])
  }

  @Test("White space around a value is no mistake") func whiteSpaceAroundAValueIsNoMistake() {
    for field in form.fields.dropFirst() { field.text = " \t3 " }
    #expect(line.values.description == "Desk, 3 × 3.00 + 3 %")
    #expect(texts() == ["Desk", " \t3 ", " \t3 ", " \t3 "])
  }

  @Test("The rules hold for every set of a line") func theRulesHoldForEverySetOfALine() {
    line.quantity = -1
    line.unitPrice = Money(cents: .max)
    line.taxRate = Percent(hundredths: 10_001)
    line.title = " \n Desk\tlamp "
    #expect(
      line.values
        == .init(title: "Desk lamp", quantity: 2, unitPrice: .init(cents: 1_050), taxRate: .whole))
    #expect(texts() == ["Desk lamp", "2", "10.50", "100 %"])
  }

  @Test("Forms of known lines keep the typed text")
  func formsOfKnownLinesStayWithWhatIsTypedInThem() throws {
    let editor = Editor(Invoice(lines: [line, LineItem(number: 2)]))
    let first = try #require(editor.form(1))
    first.price.text = "abc"
    editor.invoice.remove(2)
    editor.invoice.insert(LineItem(number: 3), at: 0)
    #expect(editor.forms.map(\.number) == [3, 1])
    #expect(editor.form(1) === first)
    #expect(first.price.text == "abc")
  }

  @Test("A form outlives its line and keeps its texts") func aFormOutlivesItsLineAndKeepsItsTexts()
  {
    var mortal: LineItem? = LineItem(number: 1, line.values)
    weak let gone = mortal
    let form = mortal.map(LineForm.init)
    mortal = nil
    #expect(gone == nil)
    #expect(form?.fields.map(\.text) == ["Desk", "2", "10.50", "100 %"])
    form?.quantity.text = "x"
    #expect(form?.quantity.problem == nil)
  }
}
