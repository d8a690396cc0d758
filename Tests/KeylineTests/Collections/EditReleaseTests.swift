import Keyline
import TestSupport
import Testing

/// Edits that are not delivered, because the last observer leaves before, retain no elements.
@Suite struct EditReleaseTests {
  private final class Item: ReactiveObject, Hashable {
    @Observed var isOpen = true

    static func == (left: Item, right: Item) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Runs `body` with a new element, in a batch or a set, and expects that the element dies.
  private func expectRelease(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (Item) -> Void
  ) {
    weak var released: Item?
    do {
      let item = Item()
      released = item
      body(item)
    }
    #expect(released == nil, sourceLocation: sourceLocation)
  }

  @Test("Elements removed in a batch die, although the observer leaves in the batch")
  func elementsRemovedInABatchDieAlthoughTheObserverLeavesInTheBatch() {
    let array = ObservableArray<Item>()
    let dictionary = ObservableDictionary<String, Item>()
    let set = ObservableSet<Item>()
    expectRelease { item in
      array.append(item)
      let subscription = array.changes.subscribe()
      batchUpdates {
        array.removeAll()
        subscription.dispose()
      }
    }
    expectRelease { item in
      dictionary["a"] = item
      let subscription = dictionary.observe("a").subscribe()
      batchUpdates {
        dictionary["a"] = nil
        subscription.dispose()
      }
    }
    expectRelease { item in
      set.insert(item)
      let subscription = set.changes.subscribe()
      batchUpdates {
        set.removeAll()
        subscription.dispose()
      }
    }
    #expect(array.isEmpty && dictionary.isEmpty && set.isEmpty)
  }

  @Test("Elements removed from a view die, although the observer leaves before it settles")
  func elementsRemovedFromAViewDieAlthoughTheObserverLeavesBeforeItSettles() {
    let array = ObservableArray<Item>()
    let views: [LiveArray<Item>] = [
      array.mapped { $0 }, array.filtered { $0.isOpen }, array.sorted { $0.isOpen && !$1.isOpen },
      array.filtered { $0.isOpen }.mapped { $0 },
    ]
    for view in views {
      expectRelease { item in
        array.append(item)
        let subscription = view.changes.subscribe()
        batchUpdates {
          array.removeAll()
          #expect(view.isEmpty)
          subscription.dispose()
        }
      }
    }
  }

  @Test("Elements removed in a batch die, although another thread disposes the observation")
  func elementsRemovedInABatchDieAlthoughAnotherThreadDisposesTheObservation() {
    let array = ObservableArray<Item>()
    expectRelease { item in
      array.append(item)
      let subscription = array.changes.subscribe()
      batchUpdates {
        array.removeAll()
        onAnotherThread { subscription.dispose() }
      }
    }
  }

  @Test("An observer that stays receives the edits of a batch in which another one leaves")
  func anObserverThatStaysReceivesTheEditsOfABatchInWhichAnotherOneLeaves() {
    let array = ObservableArray([1, 2, 3])
    let log = Log<[ArrayEdit<Int>]>()
    let subscription = array.changes.subscribe()
    batchUpdates {
      array.removeLast()
      subscription.dispose()
      log.follow(array.changes)
      array.append(4)
    }
    array.append(5)
    log.expect([[.insertion([4], at: 2)], [.insertion([5], at: 3)]])
  }
}
