import Foundation
import Keyline
import Synchronization

/// An object of the random test of threads, with every kind of property.
///
/// Each value that a program sets is a number that it sets once only, so that a received value shows
/// when and where it was set.
final class Part: ReactiveObject {
  let id: Int
  @Observed var number: Int
  /// Changed in place.
  @Observed var list: [Int] = []
  /// Has a rule: see ``Part/admits(_:)``.
  @Observed var limited = 0
  /// Written by one binding at most.
  @Observed var copy = 0 { didSet { noteWrite() } }
  /// Bound both ways to the twin of one other part at most.
  @Observed var twin = 0 { didSet { noteWrite() } }
  /// Written by a binding whose source is a chain.
  @Observed var followed = 0 { didSet { noteWrite() } }
  /// Written by bindings whose targets are chains.
  @Observed var reached = 0 { didSet { noteWrite() } }
  /// Set for no other reason than to be an operation on the object.
  @Observed var pulse = 0
  /// A part that was made earlier, so that strong references form no cycle.
  @Observed var next: Part?
  @WeakObserved var friend: Part?

  var sum: Int { number + (friend?.number ?? -1) }
  @Derived({ (self: Part) in self.number * 2 }) var doubled: Int
  @Derived({ (self: Part) in self.friend?.number ?? -1 }) var ofFriend: Int
  @Derived({ (self: Part) in self.ofFriend + (self.next?.doubled ?? -1) }) var total: Int
  @Derived({ (self: Part) in self.total + (self.next?.deep ?? 0) }) var deep: Int
  @Derived({ (self: Part) in self.friend }) var derivedFriend: Part?

  private let thread = ObjectIdentifier(Thread.current)
  /// How often a property was set on another thread than the domain's, in all parts.
  static let foreignWrites = Atomic<Int>(0)

  init(_ id: Int, _ number: Int) {
    self.id = id
    self.number = number
    super.init()
  }

  /// Called by the properties that bindings write.
  private func noteWrite() {
    if ObjectIdentifier(Thread.current) != thread {
      Self.foreignWrites.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// The rule for `limited`.
  static func admits(_ value: Int) -> Bool { !value.isMultiple(of: 3) }

  // The derived values, computed anew.

  var naiveOfFriend: Int { friend?.number ?? -1 }
  var naiveTotal: Int { naiveOfFriend + (next.map { $0.number * 2 } ?? -1) }
  var naiveDeep: Int { naiveTotal + (next?.naiveDeep ?? 0) }
}
