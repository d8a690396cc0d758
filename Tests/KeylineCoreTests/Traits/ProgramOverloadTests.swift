import KeylineCore
import Testing

/// Operators of a trait, beside overloads that a program declares.
@Suite struct ProgramOverloadTests {
  /// `self.map { }` is the library's where a program has added an overload with a label.
  @Test("Operators of a SharedSequence are found beside overloads of a program") @MainActor
  func operatorsOfASharedSequenceAreFoundBesideOverloadsOfAProgram() {
    let numbers = Observable.of(1, 2, 3).asDriver(onErrorJustReturn: 0)
    var received: [String] = []
    _ = numbers.described().drive(onNext: { received.append($0) })
    #expect(received == ["2"])
    var constants: [String] = []
    _ = numbers.constant().drive(onNext: { constants.append($0) })
    #expect(constants == ["y", "y", "y"])
  }
}

// A program's own overloads, as libraries of extensions declare them.
extension SharedSequenceConvertibleType {
  fileprivate func map<Result>(to value: Result) -> SharedSequence<SharingStrategy, Result> {
    map { _ in value }
  }

  fileprivate func filter(equalTo value: Element) -> SharedSequence<SharingStrategy, Element>
  where Element: Equatable {
    filter { $0 == value }
  }

  fileprivate func compactMap<Result>(to value: Result?) -> SharedSequence<SharingStrategy, Result>
  {
    compactMap { _ in value }
  }
}

extension SharedSequence where Trait: SharingStrategyProtocol, Element == Int {
  fileprivate func described() -> SharedSequence<SharingStrategy, String> {
    let even = self.filter { $0.isMultiple(of: 2) }
    return even.map { $0 * 10 }.compactMap { number in number > 0 ? "\(number / 10)" : nil }
  }

  fileprivate func constant() -> SharedSequence<SharingStrategy, String> {
    let texts = self.map { "\($0)" }
    return texts.map(to: "x").filter(equalTo: "x").compactMap(to: "y")
  }
}
