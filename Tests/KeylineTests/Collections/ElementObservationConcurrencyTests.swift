import Dispatch
import Keyline
import Synchronization
import TestSupport
import Testing

/// Observations of elements that are disposed on another thread while their array is edited. Run
/// under ThreadSanitizer by CI.
@Suite struct ElementObservationConcurrencyTests {
  private final class Article: ReactiveObject {
    @Observed var price = 0
  }

  /// Elements come, change, move and die until the observation has been disposed; some of them die
  /// while the other thread ends their observations. Afterwards nothing is delivered.
  @Test("An observation of elements is disposed on another thread while the array is edited")
  func anObservationOfElementsIsDisposedOnAnotherThreadWhileTheArrayIsEdited() {
    let group = DispatchGroup()
    let disposer = ownThread()
    let kept = [Article(), Article()]
    for round in 0..<ThreadTime.rounds(1_000, brief: 300) {
      let articles = ObservableArray((0..<10).map { _ in Article() })
      var count = 0
      let subscription = articles.observeElements(\.price, options: .new)
        .subscribe(onNext: { _ in count += 1 })
      let edits = Atomic<Int>(0)
      let isDisposed = Atomic<Bool>(false)
      disposer.async(group: group) {
        while edits.load(ordering: .acquiring) < round % 4 {}
        for _ in 0..<(round % 211) { _ = isDisposed.load(ordering: .relaxed) }
        subscription.dispose()
        isDisposed.store(true, ordering: .releasing)
      }
      var step = 0
      repeat {
        articles[step % 10] = Article()
        if round.isMultiple(of: 8) {
          articles[step % 7] = kept[step % 2]
          kept[0].price += 1
          articles.move(from: step % 7, to: 9)
        }
        step += 1
        edits.store(step, ordering: .releasing)
      } while !isDisposed.load(ordering: .acquiring)
      group.wait()
      count = 0
      articles.append(contentsOf: kept)
      kept[0].price = -1
      #expect(count == 0)
    }
  }

  @Test("An observation of elements that is disposed by its observer delivers nothing more")
  func anObservationOfElementsThatIsDisposedByItsObserverDeliversNothingMore() {
    for last in 2...7 {
      let articles = ObservableArray([Article(), Article()])
      let subscription = SerialDisposable()
      var count = 0
      subscription.disposable = articles.observeElements(\.price).subscribe(onNext: { _ in
        count += 1
        if count == last { subscription.dispose() }
      })
      articles.append(contentsOf: [Article(), Article(), Article()])
      articles[0].price = 1
      articles[4].price = 1
      articles.append(Article())
      #expect(count == last)
    }
  }
}
