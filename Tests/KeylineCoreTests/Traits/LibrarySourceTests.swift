import KeylineCore
import TestSupport
import Testing

// Operators as the known libraries add them to RxCocoa's sequences, some under names that the library
// has, too. Their bodies call the library's operators, never themselves.

private protocol OptionalType {
  associatedtype Wrapped
  var optional: Wrapped? { get }
}

extension Optional: OptionalType {
  fileprivate var optional: Wrapped? { self }
}

extension SharedSequenceConvertibleType {
  fileprivate func mapTo<Result>(_ value: Result) -> SharedSequence<SharingStrategy, Result> {
    map { _ in value }
  }

  fileprivate func merge(
    with other: SharedSequence<SharingStrategy, Element>
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence.merge(asSharedSequence(), other)
  }

  fileprivate func withLatestFrom<
    First: SharedSequenceConvertibleType, Second: SharedSequenceConvertibleType, Result
  >(
    _ first: First, _ second: Second,
    resultSelector: @escaping (Element, First.Element, Second.Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result>
  where First.SharingStrategy == SharingStrategy, Second.SharingStrategy == SharingStrategy {
    withLatestFrom(
      SharedSequence<SharingStrategy, Any>.combineLatest(first, second),
      resultSelector: { resultSelector($0, $1.0, $1.1) })
  }

  fileprivate func flatMapLatest<Object: AnyObject, Result>(
    weak object: Object,
    _ selector: @escaping (Object, Element) -> SharedSequence<SharingStrategy, Result>
  ) -> SharedSequence<SharingStrategy, Result> {
    flatMapLatest { [weak object] element -> SharedSequence<SharingStrategy, Result> in
      object.map { selector($0, element) } ?? .empty()
    }
  }

  fileprivate func scan<Result>(
    _ seed: Result, _ accumulator: @escaping (Result, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    scan(seed, accumulator: accumulator)
  }

  fileprivate func zip<Other: SharedSequenceConvertibleType>(
    with other: Other
  ) -> SharedSequence<SharingStrategy, (Element, Other.Element)>
  where Other.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, Any>.zip(self, other)
  }

  fileprivate func partition(
    _ predicate: @escaping (Element) -> Bool
  ) -> (
    matches: SharedSequence<SharingStrategy, Element>,
    others: SharedSequence<SharingStrategy, Element>
  ) {
    (filter(predicate), filter { !predicate($0) })
  }
}

extension SharedSequenceConvertibleType where Element: OptionalType {
  fileprivate func filterNil() -> SharedSequence<SharingStrategy, Element.Wrapped> {
    flatMap { element -> SharedSequence<SharingStrategy, Element.Wrapped> in
      element.optional.map { .just($0) } ?? .empty()
    }
  }
}

extension SharedSequenceConvertibleType where Element: OptionalType, Element.Wrapped: Equatable {
  fileprivate func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    distinctUntilChanged { $0.optional == $1.optional }
  }
}

/// Libraries of operators for drivers and signals, built on Keyline.
@Suite @MainActor struct LibrarySourceTests {
  /// Emits all elements inside the subscription, which `Driver.of` does with the first one only.
  func driver<Value>(_ elements: Value...) -> Driver<Value> {
    Observable.from(elements).asDriver(onErrorDriveWith: .empty())
  }

  func values<Value>(_ driver: Driver<Value>) -> [Value] {
    var values: [Value] = []
    driver.drive(onNext: { values.append($0) }).dispose()
    return values
  }

  @Test("Their operators call the librarys") func theirOperatorsCallTheLibrarys() {
    let numbers = driver(1, 2, 2, 3)
    #expect(values(numbers.merge(with: .just(9)).mapTo("m")) == ["m", "m", "m", "m", "m"])
    #expect(values(numbers.scan(0, +)) == [1, 3, 5, 8])
    #expect(values(numbers.partition { $0 > 1 }.matches) == [2, 2, 3])
    #expect(values(numbers.partition { $0 > 1 }.others) == [1])
    let pairs = numbers.zip(with: numbers.mapTo("m"))
    #expect(values(pairs).map(\.0) == [1, 2, 2, 3])
    let latest = numbers.withLatestFrom(Driver.just(10), Driver.just("x")) { number, ten, name in
      "\(number)\(ten)\(name)"
    }
    #expect(values(latest) == ["110x", "210x", "210x", "310x"])
    let optionals: Driver<Int?> = driver(1, nil, nil, 2)
    #expect(values(optionals.distinctUntilChanged().filterNil()) == [1, 2])
    let object = DisposeBag()
    #expect(values(numbers.flatMapLatest(weak: object) { .just($1) }) == [1, 2, 2, 3])
  }
}
