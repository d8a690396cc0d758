import Keyline
import KeylineTest
import TestSupport
import Testing

/// Programs whose closures end, drop, observe, read or set something in the middle of what the library
/// does: each closure that the library calls, with each action, at each of several calls.
///
/// Afterwards, observers have received the current value last, views equal the arrays computed anew,
/// and everything is released.
@Suite struct ClosureProgramTests {
  typealias World = ClosureWorld
  typealias Model = ClosureWorld.Model

  /// Where the trigger is, and the value that must have been received last; nil if that is left open.
  struct Place: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let follow: @Sendable (World) -> Void
    var current: (@Sendable (World, Model) -> Int?)?
  }

  static let places = [
    Place(testDescription: "getter") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observe(\.double))
    } current: {
      $1.number * 2
    },
    Place(testDescription: "getter that reads a weak property") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observe(\.twiceFriend))
    } current: {
      ($1.friend?.number ?? 0) * 2
    },
    Place(testDescription: "computed hop") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observeWeakly { $0.nextRead.number }.map { $0 ?? -1 })
    } current: {
      $1.next?.number ?? -1
    },
    Place(testDescription: "computed hop after a stored one") { world in
      world.model?.next?.trigger = world.trigger
      world.receive(world.model?.observeWeakly { $0.next.nextRead.number }.map { $0 ?? -1 })
    } current: {
      $1.next?.next?.number ?? -1
    },
    Place(testDescription: "computed leaf") { world in
      world.model?.next?.trigger = world.trigger
      world.receive(world.model?.observeWeakly { $0.next.double }.map { $0 ?? -1 })
    } current: {
      $1.next.map { $0.number * 2 } ?? -1
    },
    Place(testDescription: "optional path") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observe(\.nextRead?.number).map { $0 ?? -1 })
    } current: {
      $1.next?.number ?? -1
    },
    Place(testDescription: "rule of a derived value") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observe(\.triple))
    } current: {
      $1.number * 3 + ($1.friend?.number ?? 0)
    },
    Place(testDescription: "== of a derived value") { world in
      world.model?.trigger = world.trigger
      world.receive(world.model?.observe(\.derivedTicking).map(\.number))
    } current: {
      $1.number
    },
    Place(testDescription: "== of a stored value") { world in
      world.model?.ticking = Ticking(number: 1, trigger: world.trigger)
      world.receive(world.model?.observe(\.ticking).map(\.number))
    } current: {
      $1.ticking.number
    },
    Place(testDescription: "tracked expression") { world in
      world.receive(
        Observable.tracking { [weak model = world.model, trigger = world.trigger] in
          let number = model?.number ?? -1
          trigger.tick()
          return number + (model?.friend?.number ?? 0)
        })
    } current: {
      $1.number + ($1.friend?.number ?? 0)
    },
    Place(testDescription: "observers") { world in
      let trigger = world.trigger
      for _ in 0..<3 {
        world.keep(world.model?.observe(\.number).subscribe { _ in trigger.tick() })
      }
      world.keep(world.model?.observe(\.double).subscribe { _ in trigger.tick() })
      world.keep(world.model?.observeWeakly { $0.next.number }.subscribe { _ in trigger.tick() })
      world.keep(
        world.model?.observeChanges(\.number, options: [.old, .new, .prior])
          .subscribe { _ in trigger.tick() })
      world.keep(world.model?.observeChangeSets().subscribe { _ in trigger.tick() })
      world.receive(world.model?.observe(\.number))
    } current: {
      $1.number
    },
    Place(testDescription: "observers of an array") { world in
      let trigger = world.trigger
      world.keep(world.array?.changes.subscribe { _ in trigger.tick() })
      world.keep(world.array?.observeElements(\.twiceFriend).subscribe { _ in trigger.tick() })
      world.receive(world.array?.observe(\.count))
    } current: { world, _ in
      world.array?.count
    },
    Place(testDescription: "completion") { world in
      let trigger = world.trigger
      world.keep(world.model?.observe(\.double).subscribe(onCompleted: { trigger.tick() }))
      world.keep(world.model?.deallocated.subscribe { _ in trigger.tick() })
    },
    Place(testDescription: "rule of a property") { world in
      world.keep(
        world.model?.validate(\.number) { [trigger = world.trigger] _, number in
          trigger.tick()
          return number == 13 ? .coerced(12) : .valid
        })
      world.receive(world.model?.observe(\.number))
    } current: {
      $1.number
    },
    Place(testDescription: "converter") { world in
      let trigger = world.trigger
      let converter = BindingConverter<Int, String>(
        forward: {
          trigger.tick()
          return "\($0)"
        },
        backward: {
          trigger.tick()
          return Int($0)
        })
      guard let target = world.target else { return }
      world.keep(
        world.model?.bind(\.number, to: target, \.text, mode: .twoWay, converter: converter))
      world.receive(target.observe(\.text).map { Int($0) ?? -1 })
    } current: { world, model in
      world.target == nil ? nil : model.number
    },
    Place(testDescription: "computed hop of a binding") { world in
      world.model?.trigger = world.trigger
      guard let target = world.target else { return }
      world.keep(
        world.model?.bind(
          { $0.nextRead.number }, to: target, \.number, whenBroken: .value(-5)))
      world.receive(target.observe(\.number))
    } current: { world, model in
      world.target == nil ? nil : model.next?.number ?? -5
    },
    Place(testDescription: "deinit") { world in
      world.model?.trigger = world.trigger
      world.model?.next?.trigger = world.trigger
      for friend in world.friends { friend?.trigger = world.trigger }
      world.receive(world.model?.observe(\.friendNumber))
    } current: {
      $1.friendNumber
    },
  ]

  struct Action: Sendable {
    let name: String
    let run: @Sendable (World) -> Void
  }

  static let actions = [
    Action(name: "nothing") { _ in },
    Action(name: "dispose") { $0.dispose() },
    Action(name: "drop the model") { World.drop(&$0.model) },
    Action(name: "drop the target") { World.drop(&$0.target) },
    Action(name: "drop a friend") { World.drop(&$0.friends[3]) },
    Action(name: "drop the friends") { world in
      for index in world.friends.indices { World.drop(&world.friends[index]) }
    },
    Action(name: "drop the array") { World.drop(&$0.array) },
    Action(name: "observe") { $0.observeMuch() },
    Action(name: "dispose and observe") {
      $0.dispose()
      $0.observeMuch()
    },
    Action(name: "read") { world in
      _ = (world.model?.double, world.model?.twiceFriend, world.view?.count)
    },
    Action(name: "set") { $0.model?.number += 1 },
    Action(name: "set in a batch") { world in
      batchUpdates {
        world.model?.number += 1
        world.model?.next = Model(9)
        world.model?.number -= 1
      }
    },
    Action(name: "set the value that is compared") { $0.model?.ticking = Ticking(number: 77) },
    Action(name: "break the chain") { $0.model?.next = nil },
    Action(name: "clear the array") { $0.array?.removeAll() },
    Action(name: "edit the array") { world in
      guard let array = world.array, array.count > 1 else { return }
      array.swapAt(0, array.count - 1)
      array.append(Model(3))
      array.remove(at: 0)
    },
  ]

  static let calls = [1, 2, 3, 4, 5, 7, 9, 12, 15, 20, 27, 35]

  /// Runs all actions at all calls, of which a debug build runs every fifth, and records what `failure`
  /// finds.
  private func runAll(
    _ follow: (World) -> Void, _ failure: (World) -> String?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    Reports.collect()
    for (number, action) in Self.actions.enumerated() {
      for (index, call) in Self.calls.enumerated()
      where (number + index).isMultiple(of: rounds(5, optimised: 1)) {
        let tracker = LifetimeTracker()
        var found: String?
        do {
          let world = World(Trigger(at: call))
          world.track(in: tracker)
          world.trigger.arm { [unowned world] in action.run(world) }
          follow(world)
          // Checked twice: later changes may hide a fault.
          found = failure(world)
          world.change()
          found = found ?? failure(world)
          world.end()
        }
        let program = "\(action.name), at call \(call)"
        if let found { Issue.record("\(program): \(found)", sourceLocation: sourceLocation) }
        #expect(tracker.alive == 0, "\(program)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("The last value received is the current one, whatever a closure does", arguments: places)
  func lastValues(place: Place) {
    runAll(place.follow) { world in
      guard let model = world.model, !world.subscriptions.isEmpty,
        let current = place.current?(world, model)
      else { return nil }
      return world.received.last == current ? nil : "\(world.received), not \(current)"
    }
  }

  @Test("A view equals the array computed anew, whatever its closures do", arguments: [0, 1, 2])
  func views(kind: Int) {
    let follow = { (world: World) in
      let trigger = world.trigger
      let isBefore = { (one: Model, other: Model) in
        trigger.tick()
        return one.friendNumber < other.friendNumber
      }
      let isIncluded = { (model: Model) in
        trigger.tick()
        return model.friendNumber % 2 != 0
      }
      world.view =
        switch kind {
        case 0: world.array?.sorted(by: isBefore)
        case 1: world.array?.filtered(isIncluded)
        default: world.array?.filtered(isIncluded).sorted(by: isBefore).mapped { $0 }
        }
      world.keep(world.view?.changes.subscribe { _ in trigger.tick() })
    }
    runAll(follow) { world in
      // The read may be what triggers the action.
      _ = world.view?.count
      guard let array = world.array, let view = world.view else { return nil }
      var expected = Array(array)
      if kind > 0 { expected = expected.filter { $0.friendNumber % 2 != 0 } }
      if kind != 1 {
        expected = expected.enumerated()
          .sorted { ($0.element.friendNumber, $0.offset) < ($1.element.friendNumber, $1.offset) }
          .map(\.element)
      }
      return view.elementsEqual(expected, by: ===)
        ? nil : "\(view.map(\.friendNumber)), not \(expected.map(\.friendNumber))"
    }
  }
}
