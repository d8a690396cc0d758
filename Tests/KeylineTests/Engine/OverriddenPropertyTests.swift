import Keyline
import TestSupport
import Testing

/// Properties that a subclass inherits or overrides.
@Suite struct OverriddenPropertyTests {
  class Plain: ReactiveObject {
    @Observed var x = 0
    @Observed var child: Plain?
  }

  final class Tenfold: Plain {
    override var x: Int {
      get { super.x * 10 }
      set { super.x = newValue }
    }
  }

  /// An observer receives what reading the key path gives (DESIGN §3.1), whichever class the key path
  /// names.
  @Test("Observers of an overridden getter receive the value that reading returns")
  func anOverriddenGetterGivesObserversWhatReadingGives() {
    let tenfold = Tenfold()
    let base: Plain = tenfold
    tenfold.x = 4
    let values = (Log<Int>(), Log<Int>())
    values.0.follow(tenfold.observe(\.x))
    values.1.follow(base.observe(\.x))
    let changes = (Log<[Int?]>(), Log<[Int?]>())
    changes.0.follow(tenfold.observeChanges(\.x).map { [$0.old, $0.new] })
    changes.1.follow(base.observeChanges(\.x).map { [$0.old, $0.new] })
    tenfold.x = 5
    base.x = 6
    #expect(tenfold.x == 60 && base.x == 60)
    #expect(values.0.take() == [40, 50, 60] && values.1.take() == [40, 50, 60])
    #expect(changes.0.take() == [[40, 50], [50, 60]])
    #expect(changes.1.take() == [[40, 50], [50, 60]])
    batchUpdates {
      tenfold.x = 8
      tenfold.x = 7
    }
    #expect(values.0.take() == [70] && values.1.take() == [70])
    #expect(changes.0.take() == [[60, 70]] && changes.1.take() == [[60, 70]])
  }

  @Test("Chains, paths and bindings of an overridden getter receive the value that reading returns")
  func anOverriddenGetterGivesChainsPathsAndBindingsWhatReadingGives() throws {
    let root = Plain()
    let (tenfold, plain) = (Tenfold(), Plain())
    tenfold.x = 5
    let (chain, path, named, tuple) = (Log<Int?>(), Log<Int?>(), Log<Int?>(), Log<Int?>())
    chain.follow(root.observeWeakly { $0.child.x })
    path.follow(root.observe(\.child?.x))
    named.follow(try root.observeWeakly(Int.self, "child.x"))
    tuple.follow(root.observe(\.child?.x, \.x).map { $0.0 })
    let (bound, boundByChain) = (Plain(), Plain())
    tenfold.bind(\.x, to: bound, \.x)
    root.bind({ $0.child.x }, to: boundByChain, \.x)
    root.child = tenfold
    tenfold.x = 6
    root.child = plain
    plain.x = 1
    root.child = tenfold
    for log in [chain, path, tuple] { #expect(log.take() == [nil, 50, 60, 0, 1, 60]) }
    // By name, a property that is not registered is read in its storage (`RegisteredProperty`).
    named.expect([nil, 5, 6, 0, 1, 6])
    #expect(bound.x == 60 && boundByChain.x == 60)
  }

  @Test("P4: Observers through a subclass's key path come after those of the stored property")
  func observersThroughASubclassComeLater() {
    class Base: ReactiveObject { @Observed var value = 0 }
    final class Sub: Base { @Observed var other = 0 }
    let sub = Sub()
    let order = Log<String>()
    _ = sub.observe(\Sub.value, options: .new).subscribe(onNext: { _ in order.append("subclass") })
    _ = (sub as Base).observe(\Base.value, options: .new)
      .subscribe(onNext: { _ in order.append("declaring class") })
    sub.value = 1
    order.expect(["declaring class", "subclass"])
  }
}
