import Testing

@testable import Keyline
@testable import KeylineCore

/// With the function of the runtime, where there is one, and without.
@Suite struct WeakReferenceTests {
  static let ways = [0, 1]
  private static func retain(_ way: Int) -> Runtime.RetainUnlessDying? {
    way == 0 ? Runtime.retainUnlessDying : nil
  }

  private final class Object {
    let answer = 42
    var dying: () -> Void = {}
    deinit { dying() }
  }

  @Test(arguments: ways) func anObjectIsHeldWhileItIsUsedAndNotOtherwise(way: Int) {
    var isDead = false
    var object: Object? = Object()
    object?.dying = { isDead = true }
    let reference = WeakReference(object!, retain: Self.retain(way))
    var uses = 0
    reference.withObject {
      object = nil
      uses += $0.answer
      #expect(!isDead)
    }
    #expect(isDead)
    reference.withObject { uses += $0.answer }
    #expect(uses == 42)
  }

  @Test(arguments: ways) func anObjectThatIsDyingIsLeftAlone(way: Int) {
    var uses = 0
    var deaths = 0
    do {
      let object = Object()
      let reference = WeakReference(object, retain: Self.retain(way))
      object.dying = {
        deaths += 1
        reference.withObject { _ in uses += 1 }
      }
    }
    #expect(deaths == 1)
    #expect(uses == 0)
  }

  @Test(arguments: ways) func anObjectMayHaveOtherWeakReferences(way: Int) {
    var object: Object? = Object()
    weak let other = object
    let reference = WeakReference(object!, retain: Self.retain(way))
    var uses = 0
    reference.withObject { if $0 === other { uses += 1 } }
    object = nil
    reference.withObject { _ in uses += 1 }
    #expect(other == nil)
    #expect(uses == 1)
  }

  #if os(Linux)
    @Test func theRuntimeHasTheFunction() { #expect(Runtime.retainUnlessDying != nil) }
  #endif
}

@Suite struct WeakReferenceConcurrencyTests {
  private final class Object: Sendable {
    let deaths: Guarded<Int>
    init(_ deaths: Guarded<Int>) { self.deaths = deaths }
    deinit { deaths.withLock { $0 += 1 } }
  }

  @Test func anObjectThatDiesOnAnotherThreadIsSeenWholeOrNotAtAll() {
    let deaths = Guarded(0)
    for _ in 0..<2_000 {
      let kept = Guarded<Object?>(Object(deaths))
      // Proof of Unchecked: immutable, and made for threads.
      let reference = Unchecked(WeakReference(kept.withLock { $0! }))
      let before = deaths.withLock { $0 }
      onThreads(2) { thread in
        if thread == 0 {
          let last = kept.withLock { kept in
            defer { kept = nil }
            return kept
          }
          withExtendedLifetime(last) {}
        } else {
          for _ in 0..<20 {
            reference.value.withObject { #expect($0.deaths.withLock { $0 } == before) }
          }
        }
      }
      #expect(deaths.withLock { $0 } == before + 1)
      reference.value.withObject { _ in Issue.record("used after its death") }
    }
  }
}
