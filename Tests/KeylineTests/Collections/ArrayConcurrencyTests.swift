import Dispatch
import Keyline
import Observation
import Synchronization
import TestSupport
import Testing

@testable import KeylineCore

private final class Article: ReactiveObject {
  @Observed var price = 0
}

@Observation.Observable private final class Rate {
  var value = 0
}

/// Arrays, values and tracked expressions while subscriptions to them are disposed, or read, on
/// other threads. Run under ThreadSanitizer by CI.
@Suite struct ArrayConcurrencyTests {
  @Test("Subscriptions are disposed on other threads while the owner edits")
  func subscriptionsAreDisposedOnOtherThreadsWhileTheOwnerEdits() {
    let items = ObservableArray([Article(), Article()])
    let prices = Log<Int>()
    prices.follow(items.observeElements(\.price, options: .new).map(\.value))
    var count = 2
    _ = items.changes.subscribe(onNext: { edits in
      for edit in edits { count += edit.inserted.count - edit.removed.count }
    })
    let received = Atomic<Int>(0)
    let subscriptions: [any Disposable] = (0..<800).map { index in
      index.isMultiple(of: 2)
        ? items.observeElements(\.price).subscribe(onNext: { _ in
          received.add(1, ordering: .relaxed)
        })
        : items.changes.subscribe(onNext: { _ in received.add(1, ordering: .relaxed) })
    }
    var price = 0
    whileDisposing(subscriptions) {
      price += 1
      items[0].price = price
      items.append(Article())
      items.move(from: items.count - 1, to: 1)
      if items.count > 8 { items.removeSubrange(4...) }
    }
    received.store(0, ordering: .relaxed)
    items[0].price = price + 1
    items.append(Article())
    #expect(received.load(ordering: .relaxed) == 0)
    #expect(prices.elements == Array(1...(price + 1)))
    #expect(count == items.count)
  }

  @Test("Values are read elsewhere while the owner writes") @MainActor
  func valuesAreReadElsewhereWhileTheOwnerWrites() async {
    let article = Article()
    let prices = article.values(of: \.price)
    let reader = Task.detached {
      var all: [Int] = []
      for await price in prices {
        all.append(price)
        if price == 1_000 { break }
      }
      return all
    }
    for price in 1...1_000 {
      article.price = price
      if price.isMultiple(of: 100) { await Task.yield() }
    }
    #expect(await reader.value == Array(0...1_000))
  }

  @Test("Tracked expressions are disposed elsewhere while the owner writes") @MainActor
  func trackedExpressionsAreDisposedElsewhereWhileTheOwnerWrites() async {
    let (article, rate) = (Article(), Rate())
    let kept = Log<Int>()
    kept.follow(KeylineObservable.tracking { article.price * 10 + min(rate.value, 0) })
    let received = Atomic<Int>(0)
    let subscriptions: [any Disposable] = (0..<400).map { _ in
      KeylineObservable.tracking { article.price + rate.value }
        .subscribe(onNext: { _ in received.add(1, ordering: .relaxed) })
    }
    let disposal = Task.detached {
      DispatchQueue.concurrentPerform(iterations: subscriptions.count) {
        subscriptions[$0].dispose()
      }
    }
    for price in 1...200 { article.price = price }
    await disposal.value
    received.store(0, ordering: .relaxed)
    article.price = 201
    rate.value = 1
    await Task.yield()
    #expect(received.load(ordering: .relaxed) == 0)
    let expected: [Int] = (0...201).map { (price: Int) in price * 10 }
    #expect(Array(kept.elements.prefix(202)) == expected)
  }
}
