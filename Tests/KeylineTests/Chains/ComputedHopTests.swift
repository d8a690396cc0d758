import Keyline
import TestSupport
import Testing

/// Chains over computed properties, which may return objects that nothing else retains.
@Suite struct ComputedHopTests {
  private final class Item: ReactiveObject {
    @Observed var name: String
    init(_ number: Int) { name = "\(number)" }
  }

  private final class Store: ReactiveObject {
    @Observed var raw = 1
    var calls = 0
    var current: Item {
      calls += 1
      return Item(raw)
    }
    var text: String {
      calls += 1
      return "\(raw)"
    }
    @Derived({ (self: Store) in Item(self.raw) }) var item: Item
  }

  @Test("D13: A chain has the value of an object that nobody else retains")
  func aChainOverAnObjectThatNobodyRetains() {
    final class Row: ReactiveObject { @Observed var text = "" }
    let store = Store()
    let (hop, derived) = (Log<String?>(), Log<String?>())
    hop.follow(store.observeWeakly { $0.current.name })
    derived.follow(store.observeWeakly { $0.item.name })
    let (row, other) = (Row(), Row())
    store.bind({ $0.current.name }, to: row, \.text, whenBroken: .value("-"))
    store.bind({ $0.item.name }, to: other, \.text, whenBroken: .value("-"))
    #expect(hop.take() == ["1"] && derived.take() == ["1"])
    #expect(row.text == "1" && other.text == "1")
    store.raw = 2
    batchUpdates {
      store.raw = 3
      store.raw = 4
    }
    #expect(hop.take() == ["2", "4"] && derived.take() == ["2", "4"])
    #expect(row.text == "4" && other.text == "4")
  }

  @Test("D7: A chain calls the getter of a computed hop, and of a computed leaf, once")
  func aChainCallsAGetterOnce() {
    let store = Store()
    let bag = DisposeBag()
    for follow in [
      { store.observeWeakly { $0.current.name }.map { $0 ?? "" } },
      { store.observeWeakly { $0.text }.map { $0 ?? "" } },
      { store.observe(\.current.name).asObservable() },
    ] as [() -> Observable<String>] {
      store.calls = 0
      follow().subscribe().disposed(by: bag)
      #expect(store.calls == 1)
    }
    store.calls = 0
    store.raw = 5
    #expect(store.calls == 3)
  }
}
