import Keyline
import Observation
import TestSupport
import Testing

/// What derived values, rules of validation and paths release, and when.
@Suite struct ReleaseTests {
  private final class Point: ReactiveObject {
    @Observed var x = 0
    @Observed var y = 0
  }

  @Test("D14: A derived collection of an Observation.Observable owner keeps no former value")
  func aDerivedCollectionKeepsNoFormerValue() {
    final class Shelf: ReactiveObject, Observation.Observable {
      @Observed var seed = 1
      @Derived({ (self: Shelf) in [Point()] + (0..<self.seed).map { _ in Point() } })
      var points: [Point]
    }
    let shelf = Shelf()
    weak let first = shelf.points.first
    #expect(first != nil)
    shelf.seed = 2
    weak let second = shelf.points.first
    #expect(first == nil && second != nil)
    for _ in 0..<3 { shelf.observe(\.points).subscribe().dispose() }
    shelf.seed = 3
    _ = shelf.points
    #expect(second == nil)
  }

  @Test("P5: The rule of a validation is released when the validation is disposed")
  func theRuleOfAValidationIsReleased() {
    final class Token {}
    let point = Point()
    weak var released: Token?
    weak var kept: Token?
    do {
      let (token, other) = (Token(), Token())
      (released, kept) = (token, other)
      let validation = point.validate(\.x) { _, _ in
        withExtendedLifetime(token) { .valid }
      }
      point.validate(\.x) { _, _ in withExtendedLifetime(other) { .valid } }
      validation.dispose()
    }
    #expect(released == nil && kept != nil)
  }

  @Test("P5: A path is released when its last observer leaves, in a delivery and in a batch")
  func aPathIsReleased() {
    final class Token {}
    let point = Point()
    weak var token: Token?
    func subscribe() -> any Disposable {
      let made = Token()
      token = made
      return point.observe(\.x, \.y).map { ($0, made) }.subscribe()
    }
    subscribe().dispose()
    #expect(token == nil)
    let inBatch = subscribe()
    batchUpdates {
      point.x = 1
      inBatch.dispose()
    }
    #expect(token == nil)
    let inDelivery = subscribe()
    let other = point.observe(\.x, options: .new).subscribe(onNext: { _ in inDelivery.dispose() })
    point.x = 2
    #expect(token == nil)
    other.dispose()
  }
}
