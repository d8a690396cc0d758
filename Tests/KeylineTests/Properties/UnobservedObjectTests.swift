import TestSupport
import Testing

@testable import Keyline

/// An object that is never observed gets no registry and no weak reference, whatever other threads
/// evaluate meanwhile.
@Suite struct UnobservedObjectTests {
  private final class Model: ReactiveObject {
    @Observed var name = ""
    @Observed var list = [1]
    @WeakObserved var friend: Model?

    var state = 0 {
      willSet { willChange("state") }
      didSet { didChange("state") }
    }

    var reported: Int {
      access("state")
      return state
    }
  }

  private final class Conformer: PropertyObservable {
    let properties = PropertyRegistry()
    @Observed var name = ""
    @Observed var list = [1]

    func report() {
      properties.access("state", of: self)
      properties.willChange("state")
      properties.didChange("state")
    }
  }

  private final class Evaluator: ReactiveObject {
    let body: () -> Void
    @Derived({ (self: Evaluator) in self.body() }, equals: { _, _ in true }) var value: Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own, while this thread evaluates a rule.
  private func whileEvaluating(_ body: @escaping @Sendable () throws -> Void) {
    let evaluator = Evaluator {
      onAnotherThread {
        #expect(isTracking())
        #expect(throws: Never.self, performing: body)
      }
    }
    evaluator.value
  }

  @Test("A set while another thread evaluates makes no registry")
  func aSetWhileAnotherThreadEvaluatesMakesNoRegistry() {
    whileEvaluating {
      let (model, friend) = (Model(), Model())
      model.name = "a"
      model.name += "b"
      model.list.append(2)
      model.friend = friend
      model.state += 1
      try model.setValue("c", forKey: "name")
      batchUpdates { model.name = "d" }
      #expect(model.name == "d" && model.list == [1, 2] && model.friend === friend)
      #expect(model.reported == 1)
      #expect(try model.value(forKey: "name") as? String == "d")
      #expect(model.registration == nil && friend.registration == nil)
    }
  }

  @Test("A set of a conformer while another thread evaluates registers nothing")
  func aSetOfAConformerWhileAnotherThreadEvaluatesRegistersNothing() {
    whileEvaluating {
      let conformer = Conformer()
      conformer.name = "a"
      conformer.name += "b"
      conformer.list.append(2)
      conformer.report()
      try conformer.setValue("c", forKey: "name")
      #expect(conformer.name == "c" && conformer.list == [1, 2])
      #expect(conformer.properties.contents == nil)
    }
  }

  @Test("An edit while another thread evaluates makes no registry")
  func anEditWhileAnotherThreadEvaluatesMakesNoRegistry() {
    whileEvaluating {
      let array = ObservableArray([3, 1, 2])
      let dictionary: ObservableDictionary = ["a": 1]
      let set: ObservableSet = ["a"]
      array.append(4)
      array[0] += 1
      array.sort()
      array.removeAll { $0 == 4 }
      array.move(from: 0, to: 1)
      dictionary["b", default: 0] += 1
      dictionary["a"]? += 1
      dictionary["c"] = 3
      set.formUnion(["b", "c"])
      batchUpdates { array.removeAll() }
      #expect(array.isEmpty && dictionary["a"] == 2 && set.contains("c"))
      #expect(
        array.registration == nil && dictionary.registration == nil
          && set.registration == nil)
    }
  }

  @Test("Observers receive a set that another thread's evaluation slows down")
  func observersReceiveASetThatAnotherThreadsEvaluationSlowsDown() {
    whileEvaluating {
      let (model, conformer) = (Model(), Conformer())
      let names = Log<String>()
      names.follow(model.observe(\.name, options: .new))
      names.follow(conformer.observe(\.name, options: .new))
      model.list.append(2)
      model.name = "a"
      model.name += "b"
      conformer.name = "c"
      conformer.name += "d"
      names.expect(["a", "ab", "c", "cd"])
    }
  }
}
