import Keyline
import TestSupport
import Testing

/// P1: using a property during its own in-place mutation traps, however it is reached.
@Suite struct ExclusiveAccessTests {
  final class Model: ReactiveObject {
    @Observed var list = [3, 1, 2]
    @Observed var other = [2, 1]
    @Observed var me: Model?

    var changes: ChangeSet?
  }

  /// A use of the property `list`.
  enum Use: String, Codable, CaseIterable {
    case set, setByName, setByPath, offerToRule, undo, binding
    case read, readByName, readTyped, readByPath, observeByName, chainByName, mirror

    func callAsFunction(_ model: Model, _ source: Model) throws {
      switch self {
      case .set: model.list = []
      case .setByName, .offerToRule: try model.setValue([Int](), forKey: "list")
      case .setByPath: try source.setValue([Int](), forKeyPath: "me.list")
      case .undo: model.changes?.undo()
      case .binding: source.list = []
      case .read: _ = model.list
      case .readByName: _ = try model.value(forKey: "list")
      case .readTyped: _ = try model.value(forKey: "list", as: [Int].self)
      case .readByPath: _ = try source.value(forKeyPath: "me.list")
      case .observeByName: _ = try model.observe([Int].self, "list").subscribe()
      case .chainByName: _ = try source.observeWeakly([Int].self, "me.list").subscribe()
      case .mirror: _ = Mirror(reflecting: model)
      }
    }

    /// Uses `list` while it is sorted.
    func whileSorting() throws {
      let (model, source) = (Model(), Model())
      source.me = model
      switch self {
      case .offerToRule: model.validate(\.list) { _, _ in .valid }
      case .undo:
        _ = model.observeChangeSets().subscribe(onNext: { [unowned model] in model.changes = $0 })
        model.list = [3, 2, 1]
      case .binding:
        let list = try model.targetChain([Int].self, "list")
        source.list = [3, 2, 1]
        source.bind(\.list, to: model, { _ in list })
      default: break
      }
      try model.list.sort { left, right in
        try self(model, source)
        return left < right
      }
    }
  }

  @Test(
    "P1: A use of a property by name during its own in-place mutation traps",
    arguments: Use.allCases)
  func p1AUseOfAPropertyByNameDuringItsOwnInPlaceMutationTraps(use: Use) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [use] in
      try use.whileSorting()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("exclusive access"), "\(message)")
  }

  @Test("P1: Other properties are used by name during an in-place mutation")
  func p1OtherPropertiesAreUsedByNameDuringAnInPlaceMutation() throws {
    let model = Model()
    let (lists, others) = (Log<[Int]>(), Log<[Int]>())
    for isObserved in [false, true] {
      if isObserved {
        lists.follow(model.observe(\.list, options: .new))
        others.follow(try model.observe([Int].self, "other", options: .new))
      }
      model.list = [2, 1]
      try model.list.sort { left, right in
        let other = try model.value(forKey: "other", as: [Int].self)
        try model.setValue(other + [0], forKey: "other")
        return left < right
      }
      try model.setValue(model.list + [3], forKey: "list")
    }
    #expect(try model.value(forKey: "list", as: [Int].self) == [1, 2, 3])
    lists.expect([[2, 1], [1, 2], [1, 2, 3]])
    #expect(others.take() == [[2, 1, 0, 0]] && model.other == [2, 1, 0, 0])
  }
}
