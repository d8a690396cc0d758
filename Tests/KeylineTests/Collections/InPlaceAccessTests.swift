import Keyline
import TestSupport
import Testing

/// P1: using a collection while one of its values is changed in place traps, as in plain Swift,
/// whether the collection is observed or not.
@Suite struct InPlaceAccessTests {
  /// A change in place of a collection, which is read meanwhile.
  struct Change: Codable, CaseIterable, CustomTestStringConvertible {
    enum Kind: String, Codable, CaseIterable { case dictionary, dictionaryDefault, array }

    let kind: Kind
    let isObserved: Bool

    static var allCases: [Change] {
      Kind.allCases.flatMap { kind in
        [false, true].map { Change(kind: kind, isObserved: $0) }
      }
    }

    var testDescription: String { "\(kind)\(isObserved ? ", observed" : "")" }

    func callAsFunction() {
      let dictionary: ObservableDictionary = ["a": [2, 1]]
      let array = ObservableArray([[2, 1]])
      if isObserved {
        _ = dictionary.changes.subscribe()
        _ = array.changes.subscribe()
      }
      switch kind {
      case .dictionary:
        dictionary["a"]?.sort { dictionary["a"] != nil && $0 < $1 }
      case .dictionaryDefault:
        dictionary["b", default: [2, 1]].sort { dictionary.count > 0 && $0 < $1 }
      case .array:
        array[0].sort { array.count > 0 && $0 < $1 }
      }
    }
  }

  @Test(
    "P1: A read of a collection while a value is changed in place traps", arguments: Change.allCases
  )
  func p1AReadOfACollectionWhileAValueIsChangedInPlaceTraps(change: Change) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [change] in
      change()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("exclusive access"), "\(message)")
  }

  @Test(
    "The default for a change in place is computed from the dictionary", arguments: [false, true])
  func theDefaultForAChangeInPlaceIsComputedFromTheDictionary(isObserved: Bool) {
    let numbers: ObservableDictionary = ["a": 1]
    let log = Log<[DictionaryEdit<String, Int>]>()
    if isObserved { log.follow(numbers.changes) }
    numbers["a", default: numbers.count] += 10
    numbers["b", default: numbers.count] += 10
    numbers["c", default: numbers.removeValue(forKey: "a") ?? 0] += 10
    #expect(numbers.contents == ["b": 11, "c": 21])
    #expect(
      log.take()
        == (isObserved
          ? [
            [.replacement(1, with: 11, forKey: "a")], [.insertion(11, forKey: "b")],
            [.removal(11, forKey: "a")], [.insertion(21, forKey: "c")],
          ] : []))
  }
}
