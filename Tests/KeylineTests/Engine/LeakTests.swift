import Keyline
import KeylineDiagnostics
import KeylineTest
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Thousands of observations leave nothing behind. Each test runs in a process of its own, because
/// the counts cover the whole process.
@Suite struct LeakTests {
  final class Leaf: ReactiveObject {
    @Observed var value = 0
    @Observed var other = 0
  }

  final class Holder: ReactiveObject {
    @Observed var count = 0
    @Observed var list = [1]
    @Observed var strong: Leaf?
    @WeakObserved var leaf: Leaf?
    var doubled: Int { count * 2 }
    var label: String { "\(leaf?.value ?? -1)" }
  }

  /// Bytes of the heap in use, where the C library counts them: glibc's `mallinfo2`, of which Swift
  /// imports no declaration.
  static var heap: UInt {
    #if canImport(Glibc) && arch(x86_64)
      guard let symbol = dlsym(nil, "mallinfo2") else { return 0 }
      // Proof of unsafeBitCast: in this architecture's convention, a function that returns a
      // structure of ten words takes its address as the first argument, and returns that.
      typealias Function = @convention(c) (UnsafeMutablePointer<UInt>) -> UnsafeMutableRawPointer?
      let function = unsafeBitCast(symbol, to: Function.self)
      return withUnsafeTemporaryAllocation(of: UInt.self, capacity: 10) { words in
        words.initialize(repeating: 0)
        guard let words = words.baseAddress else { return 0 }
        _ = function(words)
        // `uordblks`.
        return words[7]
      }
    #else
      0
    #endif
  }

  /// In debug, as many as show a leak of the smallest block, 32 bytes, in every third round.
  static let rounds = TestSupport.rounds(4_000, optimised: 10_000)

  /// Does `work` until everything is warm, and then `rounds` times, and expects nothing to be left
  /// of it.
  static func expectNoGrowth(rounds: Int = LeakTests.rounds, _ work: (Int) -> Void) {
    Resources.isCounting = true
    for round in 0..<rounds / 10 { work(round) }
    let (resources, bytes) = (Resources.counts, heap)
    for round in 0..<rounds { work(round) }
    // At most the disposed entries that lists keep until they are compacted.
    for (kind, count) in Resources.counts { #expect(count <= (resources[kind] ?? 0) + 64) }
    // Less than a pointer for each of 4,000 rounds, and less than a view for each of 600.
    let growth = Int(heap) - Int(bytes)
    #expect(growth < 32_000, "\(growth) bytes")
  }

  @Test("Announced observations that are disposed") func announcedObservationsThatAreDisposed()
    async
  {
    await #expect(processExitsWith: .success) {
      let holder = Holder()
      let tracker = LifetimeTracker()
      LeakTests.expectNoGrowth { round in
        let token = tracker.track()
        let options: KeyValueObservingOptions = [.prior, .old, .new, .initial]
        let subscriptions = [
          holder.observeChanges(\.count, options: options).subscribe(onNext: { _ = token.pass($0) }
          ),
          holder.observeChanges(\.list, options: options).subscribe(onNext: { _ = token.pass($0) }),
          holder.observeChanges(\.doubled, options: options)
            .subscribe(onNext: { _ = token.pass($0) }),
        ]
        if round.isMultiple(of: 2) { holder.count = round }
        for subscription in subscriptions { subscription.dispose() }
        if round.isMultiple(of: 3) { holder.list = [round] }
      }
      #expect(tracker.alive == 0)
      _ = holder
    }
  }

  @Test("Announced observations of chains that are disposed")
  func announcedObservationsOfChainsThatAreDisposed() async {
    await #expect(processExitsWith: .success) {
      let holder = Holder()
      let tracker = LifetimeTracker()
      LeakTests.expectNoGrowth { round in
        let token = tracker.track()
        let subscription = holder.observeChanges(options: [.prior, .old, .new]) { $0.strong.value }
          .subscribe(onNext: { _ = token.pass($0) })
        holder.strong = round.isMultiple(of: 4) ? nil : Leaf()
        holder.strong?.value = round
        subscription.dispose()
      }
      do {
        #expect(tracker.alive == 0)
      }
    }
  }

  @Test("Announced observations of objects that die") func announcedObservationsOfObjectsThatDie()
    async
  {
    await #expect(processExitsWith: .success) {
      let tracker = LifetimeTracker()
      LeakTests.expectNoGrowth { round in
        let (holder, token) = (Holder(), tracker.track())
        _ = holder.observeChanges(\.count, options: [.prior, .old, .new])
          .subscribe(onNext: { _ = token.pass($0) })
        _ = holder.observeChanges(\.doubled, options: [.prior, .old, .new])
          .subscribe(onNext: { _ = token.pass($0) })
        holder.count = round
      }
      #expect(tracker.alive == 0)
    }
  }

  @Test("Deaths behind an observed weak property") func deathsBehindAnObservedWeakProperty() async {
    await #expect(processExitsWith: .success) {
      let holder = Holder()
      var (deaths, values) = (0, 0)
      _ = holder.observe(\.leaf, options: .new).subscribe(onNext: { if $0 == nil { deaths += 1 } })
      _ = holder.observe(\.label, options: .new).subscribe(onNext: { _ in values += 1 })
      _ = holder.observeWeakly { $0.leaf.value }.subscribe()
      _ = holder.observeChanges(\.leaf, options: [.prior, .old, .new]).subscribe()
      weak var last: Leaf?
      do {
        LeakTests.expectNoGrowth { _ in
          let leaf = Leaf()
          last = leaf
          holder.leaf = leaf
        }
      }
      #expect(last == nil)
      #expect(deaths == LeakTests.rounds * 11 / 10)
      #expect(values == LeakTests.rounds * 22 / 10)
      _ = holder
    }
  }

  @Test("Bindings both ways to objects that die") func bindingsBothWaysToObjectsThatDie() async {
    await #expect(processExitsWith: .success) {
      let holder = Holder()
      LeakTests.expectNoGrowth { round in
        let leaf = Leaf()
        holder.bind(\.count, to: leaf, \.value, mode: .twoWay)
        holder.bind(\.doubled, to: leaf, \.other)
        leaf.value = round
      }
      _ = holder
    }
  }

  @Test("Live views and bindings of arrays that are made, observed and released")
  func liveViews() async {
    await #expect(processExitsWith: .success) {
      final class List: ReactiveObject { let items = ObservableArray<Leaf>() }
      let (list, tracker) = (List(), LifetimeTracker())
      for _ in 0..<3 { list.items.append(Leaf()) }
      var last: (any Disposable)?
      LeakTests.expectNoGrowth(rounds: 600) { round in
        let token = tracker.track()
        let view = list.items.filtered { token.pass($0.value) < 3 }
          .sorted { token.pass($0.value) < $1.value }.mapped { _ in token }
        let subscription = view.changes.subscribe()
        let target = List()
        list.bind(\.items, to: target, \.items) { token.pass($0) }
        list.items[round % 3].value = round % 5
        list.items.append(Leaf())
        list.items.removeFirst()
        if round.isMultiple(of: 2) { subscription.dispose() }
        _ = target
        last?.dispose()
        last = subscription
      }
      last?.dispose()
      #expect(tracker.alive == 0)
    }
  }

  /// A chain that is subscribed to while its hop has been replaced, but not yet delivered.
  @Test("A chain joined before its hop is delivered") func aChainJoinedBeforeItsHopIsDelivered() {
    final class Node: ReactiveObject {
      @WeakObserved var link: Node?
      @Observed var next: Node?
      @Observed var value = 0
    }
    weak var token: Node?
    do {
      let node = Node()
      token = node
      var isFirst = true
      let bag = DisposeBag()
      node.observeWeakly { $0.link.next.value }.subscribe(onNext: { [weak node] _ in
        guard isFirst, let node else { return }
        isFirst = false
        node.link = node
        node.observeWeakly(options: .new) { $0.link.next.value }.subscribe().disposed(by: bag)
      }).disposed(by: bag)
      #expect(node.link === node)
    }
    #expect(token == nil)
  }
}
