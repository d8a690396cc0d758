import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// The converters of the library, in both directions.
@Suite struct ConverterTests {
  private func forward<A, B>(_ converter: BindingConverter<A, B>, _ value: A) throws -> B? {
    try converter.forward(value)
  }

  @Test("Decimals lose nothing") func decimalsLoseNothing() throws {
    let integers = BindingConverter<Int64, String>.decimal
    for value in [Int64.min, -1, 0, 1, Int64.max] {
      #expect(try integers.backward(integers.forward(value)!) == value)
    }
    let doubles = BindingConverter<Double, String>.decimal
    for value in [0.1, -0.0, 1e-300, .greatestFiniteMagnitude, 1 / 3] {
      #expect(try doubles.backward(doubles.forward(value)!)?.bitPattern == value.bitPattern)
    }
    #expect(throws: BindingError.notConvertible(text: "9223372036854775808", type: "Int64")) {
      try integers.backward("9223372036854775808")
    }
    #expect(throws: BindingError.notConvertible(text: "", type: "Double")) {
      try doubles.backward("")
    }
    #expect(try BindingConverter<Int, String>.decimal.inverted.forward("12") == 12)
  }

  @Test("A character is one character", arguments: ["", "ab", "e\u{301}x"])
  func aCharacterIsOneCharacter(text: String) throws {
    let converter = BindingConverter<Character, String>.decimal
    #expect(throws: BindingError.self) { try converter.backward(text) }
    #expect(try converter.backward("e\u{301}") == "é")
  }

  @Test(
    "A field of one character keeps it when the text is none, whatever binds them",
    arguments: ["", "ab"])
  func aFieldOfOneCharacterKeepsIt(text: String) {
    final class Letter: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var value: Character = "a"
      @Observed var valueOrNil: Character? = "a"
      @Observed var text = ""
      @Observed var next: Letter?
    }
    let (letter, fields, errors) = (Letter(), (0..<3).map { _ in Letter() }, Log<any Error>())
    letter.next = Letter()
    for field in fields { field.next = Letter() }
    for binding in [
      letter.bind(\.value, to: fields[0], \.text, mode: .twoWay, converter: .decimal),
      letter.bind(
        \.valueOrNil, to: fields[1], \.text, mode: .twoWay, converter: .optional(.decimal)),
      letter.bind(
        { $0.next.value }, to: fields[2], { $0.next.text }, mode: .twoWay, converter: .decimal),
    ] { errors.follow(binding.errors) }
    fields[0].text = text
    fields[1].text = text
    fields[2].next?.text = text
    // An optional is nil for the empty text.
    #expect(letter.value == "a" && letter.next?.value == "a")
    #expect(letter.valueOrNil == (text.isEmpty ? nil : "a"))
    #expect(errors.take().count == (text.isEmpty ? 2 : 3))
    for field in fields { (field.text, field.next!.text) = ("é", "é") }
    #expect(letter.value == "é" && letter.valueOrNil == "é" && letter.next?.value == "é")
  }

  @Test("The error of a long text holds its beginning")
  func theErrorOfALongTextHoldsItsBeginning() {
    let text = String(repeating: "x", count: 500_000)
    #expect(throws: BindingError.notConvertible(text: String(text.prefix(200)), type: "Int")) {
      try BindingConverter<Int, String>.decimal.backward(text)
    }
  }

  @Test(
    "Numbers are read as the standard library reads them",
    arguments: [("+5", 5), ("007", 7), (" 7", nil), ("7 ", nil), ("1.", nil)] as [(String, Int?)])
  func numbersAreReadAsTheStandardLibraryReadsThem(text: String, value: Int?) {
    #expect((try? BindingConverter<Int, String>.decimal.backward(text)) == value)
    let fraction = try? BindingConverter<Double, String>.decimal.backward(text)
    #expect(fraction == (text == "1." ? 1 : value.map(Double.init)))
    #expect(try! BindingConverter<Double, String>.decimal.backward(".5") == 0.5)
  }

  /// Reads `text` as a number of a type, with each converter that contains `.decimal`.
  private func read<Number: LosslessStringConvertible & Equatable>(
    _ type: Number.Type, _ text: String
  ) -> Number? {
    let decimal = BindingConverter<Number, String>.decimal
    let number = try? decimal.backward(text)
    let composed = BindingConverter<Number?, Number>.unwrapped.then(.decimal)
    #expect((try? decimal.inverted.forward(text)) == number)
    #expect(((try? composed.backward(text)) ?? nil) == number)
    let optional = BindingConverter<Number?, String>.optional(.decimal)
    #expect(((try? optional.backward(text)) ?? nil) == number)
    return number
  }

  @Test(
    "Each type of number reads the same texts",
    arguments: [
      ("+5", 5), ("007", 7), ("-0", 0), (" 7", nil), ("7 ", nil), ("7\n", nil), ("", nil),
      ("+", nil),
      ("1_000", nil), ("٣", nil), ("0x10", nil), ("nan", nil), ("1,5", nil),
    ] as [(String, Int?)])
  func eachTypeOfNumberReadsTheSameTexts(text: String, value: Int?) {
    #expect(read(Int.self, text) == value)
    #expect(read(Int8.self, text) == value.map(Int8.init))
    #expect(read(Int128.self, text) == value.map { Int128($0) })
    #expect(read(UInt.self, text) == value.map(UInt.init))
    #expect(read(UInt16.self, text) == value.map(UInt16.init))
    #expect(read(UInt128.self, text) == value.map { UInt128($0) })
    #expect(read(Float.self, text) == value.map(Float.init))
    #expect(read(Double.self, text) == value.map(Double.init))
  }

  @Test(
    "A field takes decimal notation only",
    arguments: ["nan", "NaN", "inf", "-infinity", "0x1p3", "0x10", "1e999", "1,5", " 1", "1 "])
  func aFieldTakesDecimalNotationOnly(text: String) {
    let converter = BindingConverter<Double, String>.decimal
    #expect(throws: BindingError.notConvertible(text: text, type: "Double")) {
      try converter.backward(text)
    }
  }

  @Test("Decimal notation is read as it is written") func decimalNotationIsReadAsItIsWritten()
    throws
  {
    let doubles = BindingConverter<Double, String>.decimal
    #expect(
      try ["+1.50", "-.5", "1E-7", "007"].map { try doubles.backward($0)! } == [1.5, -0.5, 1e-7, 7])
    #expect(try BindingConverter<Bool, String>.decimal.backward("true") == true)
  }

  @Test("Optionals and placeholders") func optionalsAndPlaceholders() throws {
    let placeholder = BindingConverter<String?, String>.placeholder("—")
    #expect(try placeholder.forward(nil) == "—")
    #expect(try placeholder.forward("a") == "a")
    #expect(try placeholder.backward("—") == .some(nil))
    #expect(try placeholder.backward("a") == "a")
    let wrapped = BindingConverter<Int, Int?>.wrapped
    #expect(try wrapped.forward(1) == .some(1))
    #expect(try wrapped.backward(nil) == nil)
    let unwrapped = BindingConverter<Int?, Int>.unwrapped
    #expect(try unwrapped.forward(nil) == nil)
    #expect(try unwrapped.backward(1) == .some(1))
  }

  @Test("An optional value is empty text when it is nil")
  func anOptionalValueIsEmptyTextWhenItIsNil() throws {
    let optional = BindingConverter<Int?, String>.optional(.decimal)
    #expect(try optional.forward(nil) == "")
    #expect(try optional.forward(12) == "12")
    #expect(try optional.backward("") == .some(nil))
    #expect(try optional.backward("15") == .some(15))
    #expect(throws: BindingError.notConvertible(text: "many", type: "Int")) {
      try optional.backward("many")
    }
    let even = BindingConverter<Int, String>(
      forward: { $0.isMultiple(of: 2) ? "\($0)" : nil },
      backward: { Int($0).flatMap { $0.isMultiple(of: 2) ? $0 : nil } })
    #expect(try BindingConverter.optional(even).forward(3) == nil)
    #expect(try BindingConverter.optional(even).backward("3") == nil)
  }

  @Test("Enumerations and flags") func enumerationsAndFlags() throws {
    enum Size: String { case small, large }
    let raw = BindingConverter<Size, String>.rawValue
    #expect(try raw.forward(.large) == "large")
    #expect(try raw.backward("small") == .small)
    #expect(throws: BindingError.notConvertible(text: "huge", type: "Size")) {
      try raw.backward("huge")
    }
    let isLarge = BindingConverter<Size, Bool>.case(.large)
    #expect(try isLarge.forward(.small) == false)
    #expect(try isLarge.backward(true) == .large)
    #expect(try isLarge.backward(false) == nil)
    #expect(try isLarge.then(.negated).forward(.small) == true)
    #expect(try BindingConverter<Int, Int>.identity.backward(3) == 3)
  }

  @Test("Composition declines and fails as its parts") func compositionDeclinesAndFailsAsItsParts()
    throws
  {
    let converter = BindingConverter<Int?, Int>.unwrapped.then(.decimal)
    #expect(try converter.forward(nil) == nil)
    #expect(try converter.forward(3) == "3")
    #expect(try converter.backward("4") == .some(4))
    #expect(throws: BindingError.self) { try converter.backward("x") }
  }
}
