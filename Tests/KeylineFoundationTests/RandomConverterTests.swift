import Foundation
import Keyline
import KeylineFoundation
import TestSupport
import Testing

/// Random numbers and texts, there and back through each converter, and compared with a naive reference.
///
/// `KEYLINE_CONVERTERS=100000` takes as many of each; `KEYLINE_SEED=7` repeats one seed.
@Suite struct RandomConverterTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// Checks laws for many seeds, and records the first seed that breaks each law.
  private func expectLaws(_ check: (inout SplitMix, inout [String: String]) throws -> Void) {
    let count = Self.number("KEYLINE_CONVERTERS") ?? rounds(250, optimised: 5_000)
    var failures: [String: String] = [:]
    for seed in Self.number("KEYLINE_SEED").map({ $0...$0 }) ?? 1...max(1, count) {
      var random = SplitMix(seed: UInt64(seed))
      var broken: [String: String] = [:]
      do { try check(&random, &broken) } catch { broken["Nothing throws"] = "\(error)" }
      failures.merge(broken.mapValues { "seed \(seed): \($0)" }) { first, _ in first }
    }
    #expect(failures == [:])
  }

  /// Tests that `text` is read as `expected`, or refused with an error that contains it.
  private func read<Value: Equatable>(
    _ text: String, _ converter: BindingConverter<Value, String>, as expected: Value?,
    trimmed: Bool = false, _ law: String, _ broken: inout [String: String]
  ) {
    let space = CharacterSet.whitespacesAndNewlines
    let shown = trimmed ? text.trimmingCharacters(in: space) : text
    do {
      let value = try converter.backward(text)
      if value != expected { broken[law] = "\"\(text)\": \(value as Any), not \(expected as Any)" }
    } catch {
      let refused = BindingError.notConvertible(
        text: String(shown.prefix(200)), type: "\(Value.self)")
      if expected != nil || error as? BindingError != refused {
        broken[law] = "\"\(text)\": \(error), not \(expected as Any)"
      }
    }
  }

  // MARK: Numbers

  /// Tests that the text of `value` is its description, and is read as `value`.
  private func thereAndBack<Value: LosslessStringConvertible & Equatable>(
    _ value: Value, _ broken: inout [String: String]
  ) throws {
    let converter = BindingConverter<Value, String>.decimal
    let law = "\(Value.self) there and back"
    if try converter.forward(value) != "\(value)" { broken[law] = "\(value)" }
    read("\(value)", converter, as: value, law, &broken)
    let optional = BindingConverter<Value?, String>.optional(.decimal)
    if try optional.forward(value) != "\(value)" || optional.backward("\(value)") != .some(value) {
      broken[law + ", optional"] = "\(value)"
    }
    let longer = BindingConverter<Value?, Value>.unwrapped.then(.decimal).inverted
    if try longer.forward("\(value)") != .some(value) || longer.backward(value) != "\(value)" {
      broken[law + ", composed"] = "\(value)"
    }
  }

  @Test("Numbers come back as they were") func numbersComeBackAsTheyWere() {
    expectLaws { random, broken in
      let bits = random.next()
      try thereAndBack(Int8(truncatingIfNeeded: bits), &broken)
      try thereAndBack(UInt16(truncatingIfNeeded: bits), &broken)
      try thereAndBack(Int(truncatingIfNeeded: bits), &broken)
      try thereAndBack(bits, &broken)
      try thereAndBack(Int128(truncatingIfNeeded: bits) &* Int128(bits), &broken)
      try thereAndBack(bits % 2 == 0, &broken)
      let double = Double(bitPattern: bits)
      if double.isFinite { try thereAndBack(double, &broken) }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      if float.isFinite { try thereAndBack(float, &broken) }
      if let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: bits) % 0x3000) {
        try thereAndBack(Character(scalar), &broken)
      }
      let decimal = Decimal(
        sign: bits % 2 == 0 ? .plus : .minus, exponent: random.number(-100...80),
        significand: Decimal(random.next()))
      let converter = BindingConverter<Decimal, String>.decimal
      let text = try converter.forward(decimal) ?? ""
      read(text, converter, as: decimal, "Decimal there and back", &broken)
    }
  }

  private enum Digit: UInt8, CaseIterable { case one = 1, two, three }

  @Test("Values come back through the converters that are not for text")
  func valuesComeBackThroughTheConvertersThatAreNotForText() {
    expectLaws { random, broken in
      let number = UInt8(random.number(0...4))
      let value = random.chance(1, of: 3) ? nil : number
      func law(_ name: String, _ holds: Bool) { if !holds { broken[name] = "\(number)" } }
      let placeholder = BindingConverter<UInt8?, UInt8>.placeholder(2)
      law("placeholder", try placeholder.forward(value) == value ?? 2)
      law("no placeholder", try placeholder.backward(number) == .some(number == 2 ? nil : number))
      let (wrapped, unwrapped) = (
        BindingConverter<UInt8, UInt8?>.wrapped, BindingConverter<UInt8?, UInt8>.unwrapped
      )
      law(
        "wrapped", try wrapped.forward(number) == .some(number) && wrapped.backward(value) == value)
      law("unwrapped", try unwrapped.forward(value) == value)
      law("inverted", try unwrapped.inverted.forward(number) == wrapped.forward(number))
      let digits = BindingConverter<Digit, UInt8>.rawValue
      let digit = Digit.allCases.first { $0.rawValue == number }
      law("raw value", (try? digits.backward(number)) == digit)
      law("raw value back", try digit.map { try digits.forward($0) == number } ?? true)
      let isTwo = BindingConverter<UInt8, Bool>.case(2)
      law("case", try isTwo.forward(number) == (number == 2) && isTwo.backward(false) == nil)
      let isOther = isTwo.then(.negated)
      law("negated", try isOther.forward(number) == (number != 2) && isOther.backward(false) == 2)
    }
  }

  // MARK: Texts

  /// A text that may be a number: parts of numbers, and now and then something else.
  private func text(_ random: inout SplitMix) -> String {
    var text = ""
    if random.chance(1, of: 3) {
      text += ["-", "+", "--", " ", "0"].randomElement(using: &random)!
    }
    for _ in 0..<random.number(0...2) { text += "\(random.next() >> random.number(0...63))" }
    if random.chance(1, of: 2) { text += "." }
    for _ in 0..<random.number(0...1) { text += "\(random.next() >> random.number(0...63))" }
    if random.chance(1, of: 4) { text += "e\(random.number(-340...340))" }
    if random.chance(1, of: 4) {
      let other = Array("0123456789.,eE+- xXnaif_%€\u{301}٣\0\n").randomElement(using: &random)!
      text.insert(other, at: text.indices.randomElement(using: &random) ?? text.endIndex)
    }
    return text
  }

  /// The parts of a number in decimal notation; nil for any other text.
  private struct Notation {
    var digits = ""
    /// The power of ten of the last digit.
    var exponent = 0
    let isNegative: Bool
    var isWhole = true

    init?(_ text: String) {
      var rest = text.unicodeScalars[...]
      isNegative = rest.first == "-"
      if ["-", "+"].contains(rest.first) { rest.removeFirst() }
      func takeDigits() -> String {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(digits.count)
        return String(String.UnicodeScalarView(digits))
      }
      digits = takeDigits()
      if rest.first == "." {
        rest.removeFirst()
        let fraction = takeDigits()
        digits += fraction
        exponent = -fraction.count
        isWhole = false
      }
      guard !digits.isEmpty else { return nil }
      if rest.first == "e" || rest.first == "E" {
        rest.removeFirst()
        let sign = rest.first == "-" ? -1 : 1
        if ["-", "+"].contains(rest.first) { rest.removeFirst() }
        guard let power = Int(takeDigits()) else { return nil }
        exponent += sign * power
        isWhole = false
      }
      guard rest.isEmpty else { return nil }
    }

    /// The number as an integer, digit by digit; nil if it is none of this type.
    func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
      guard isWhole else { return nil }
      var value: Value = 0
      for digit in digits {
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let digit = Value(digit.wholeNumberValue!)
        let (sum, overflowsToo) =
          isNegative
          ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
        if overflows || overflowsToo { return nil }
        value = sum
      }
      return value
    }
  }

  @Test("Texts are read as decimal notation") func textsAreReadAsDecimalNotation() {
    expectLaws { random, broken in
      let text = text(&random)
      let notation = Notation(text)
      func readInteger<Value: FixedWidthInteger & LosslessStringConvertible>(_ type: Value.Type) {
        read(text, .decimal, as: notation?.integer(type), "\(type) of text", &broken)
      }
      readInteger(Int8.self)
      readInteger(Int.self)
      readInteger(UInt64.self)
      readInteger(UInt.self)
      let double = notation == nil ? nil : strtod(text, nil)
      let finite = double.flatMap { $0.isFinite ? $0 : nil }
      read(text, .decimal, as: finite, "Double of text", &broken)
      let float = notation == nil ? nil : strtof(text, nil)
      read(
        text, .decimal, as: float.flatMap { $0.isFinite ? $0 : nil }, "Float of text", &broken)
      let character = text.count == 1 ? text.first : nil
      read(text, .decimal, as: character, "Character of text", &broken)
      read(text, .decimal, as: text, "String of text", &broken)
      read(text, .optional(.decimal), as: text.isEmpty ? .some(nil) : text, "String?", &broken)

      let decimal = BindingConverter<Decimal, String>.decimal
      guard let value = try? decimal.backward(text) else {
        // Numbers of 38 digits and small exponents fit.
        if let notation, abs(notation.exponent) < 60, notation.digits.count < 60 {
          broken["Decimal of text"] = text
        }
        return
      }
      let digits = notation.map { $0.digits.drop { $0 == "0" } } ?? ""
      if notation == nil {
        broken["Decimal of text"] = "\"\(text)\": \(value)"
      } else if digits.count <= 19, let notation, abs(notation.exponent) < 100 {
        let expected = Decimal(
          sign: notation.isNegative ? .minus : .plus, exponent: notation.exponent,
          significand: Decimal(UInt64(digits) ?? 0))
        if value != expected { broken["Decimal of text"] = "\"\(text)\": \(value)" }
      }
    }
  }

  // MARK: Formats

  private static let locales = ["en_US", "de_DE", "fr_FR", "de_CH"].map(Locale.init(identifier:))

  /// `digits` in groups of three, as all of `locales` have them.
  private func grouped(_ digits: String, in locale: Locale) -> String {
    var text = ""
    for (index, digit) in digits.reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text = locale.groupingSeparator! + text }
      text = "\(digit)" + text
    }
    return text
  }

  @Test("Numbers in a format come back as they were") func numbersInAFormatComeBack() {
    expectLaws { random, broken in
      let locale = Self.locales.randomElement(using: &random)!
      let whole = Int(truncatingIfNeeded: random.next()) >> random.number(11...63)
      let minus = whole < 0 ? "-" : ""
      let text = minus + grouped("\(whole.magnitude)", in: locale)
      let integers = BindingConverter<Int, String>.format(.number.locale(locale))
      if try integers.forward(whole) != text { broken["Int in a format"] = text }
      read(text, integers, as: whole, trimmed: true, "Int in a format", &broken)

      let cents = random.number(0...99)
      let fraction = locale.decimalSeparator! + (cents < 10 ? "0\(cents)" : "\(cents)")
      let decimal = Decimal(string: "\(minus)\(whole.magnitude).\(cents < 10 ? "0" : "")\(cents)")!
      let decimals = BindingConverter<Decimal, String>.format(
        .number.precision(.fractionLength(2)).locale(locale))
      // There is no negative zero.
      let shown = decimal == 0 ? "0" + fraction : text + fraction
      if try decimals.forward(decimal) != shown { broken["Decimal in a format"] = shown }
      read(shown, decimals, as: decimal, trimmed: true, "Decimal in a format", &broken)
      read(" \(shown)\n", decimals, as: decimal, trimmed: true, "Space is ignored", &broken)
      read(shown + "x", decimals, as: nil, trimmed: true, "Texts are read to the end", &broken)
      read(shown, integers, as: nil, trimmed: true, "An integer has no fraction", &broken)

      let doubles = BindingConverter<Double, String>.format(
        .number.precision(.significantDigits(17)).locale(locale))
      let double = Double(random.number(-1_000_000_000...1_000_000_000)) / 1024
      let written = try doubles.forward(double) ?? ""
      read(written, doubles, as: double, trimmed: true, "Double in a format", &broken)
    }
  }

  @Test("Any text in a format is a number or an error") func anyTextInAFormatIsANumberOrAnError() {
    let locale = Locale(identifier: "en_US")
    let decimals = BindingConverter<Decimal, String>.format(.number.locale(locale))
    let integers = BindingConverter<Int, String>.format(.number.locale(locale))
    expectLaws { random, broken in
      let text = text(&random)
      // Digits of any script are digits, and a space separates groups, too.
      let plain = text.trimmingCharacters(in: .whitespacesAndNewlines)
        .filter { $0 != "," && !$0.isWhitespace }
        .map { $0.isASCII ? "\($0)" : $0.wholeNumberValue.map(String.init) ?? "\($0)" }.joined()
      let notation = Notation(plain)
      func check<Value: Equatable>(
        _ converter: BindingConverter<Value, String>, _ expected: (Notation) -> Value?
      ) throws {
        do {
          guard let value = try converter.backward(text) else { return }
          let isRead = notation.map { expected($0).map { $0 == value } ?? true }
          if isRead != true {
            broken["\(Value.self) of text in a format"] = "\"\(text)\": \(value)"
          }
        } catch BindingError.notConvertible {
        }
      }
      try check(integers) { $0.isWhole ? $0.integer(Int.self) : nil }
      try check(decimals) { notation in
        guard notation.digits.count <= 15, abs(notation.exponent) < 100 else { return nil }
        return Decimal(
          sign: notation.isNegative ? .minus : .plus, exponent: notation.exponent,
          significand: Decimal(UInt64(notation.digits)!))
      }
    }
  }

  // MARK: Bindings

  final class Model: ReactiveObject {
    @Observed var number = 0
    @Observed var fraction = 0.5
  }

  final class Form: ReactiveObject {
    @Observed var number = ""
    @Observed var fraction = ""
  }

  @Test("Bound ends have the values of the last text that could be read")
  func boundEndsHaveTheValuesOfTheLastText() {
    expectLaws { random, broken in
      let (model, form) = (Model(), Form())
      let errors = Log<any Error>()
      let numbers = model.bind(
        \.number, to: form, \.number, mode: .twoWay, converter: .decimal)
      let fractions = model.bind(
        \.fraction, to: form, \.fraction, mode: .twoWay, converter: .decimal)
      errors.follow(numbers.errors)
      errors.follow(fractions.errors)
      var (number, fraction, refused) = (0, 0.5, 0)
      for _ in 0..<4 {
        let text = text(&random)
        let notation = Notation(text)
        if random.chance(1, of: 4) {
          number = Int(truncatingIfNeeded: random.next())
          model.number = number
        } else if random.chance(1, of: 2) {
          form.number = text
          if let read = notation?.integer(Int.self) { number = read } else { refused += 1 }
        } else {
          form.fraction = text
          let read = strtod(text, nil)
          if notation != nil, read.isFinite { fraction = read } else { refused += 1 }
        }
        if model.number != number || model.fraction != fraction {
          broken["The model has the last value"] = text
        }
      }
      if errors.take().count != refused { broken["Each refused text is one error"] = "\(refused)" }
    }
  }
}
