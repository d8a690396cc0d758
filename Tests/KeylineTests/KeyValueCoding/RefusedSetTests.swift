import Keyline
import TestSupport
import Testing

/// Values set by name that a rule rejects, or an exclusive binding refuses.
@Suite struct RefusedSetTests {
  struct Negative: Error, Equatable {}

  final class Model: ReactiveObject {
    @Observed var value = 0
    @Observed var limit = 0
    @Observed var other = 0
    @Observed var child: Model?

    var doubled: Int {
      get { value * 2 }
      set { value = newValue / 2 }
    }

    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("doubled", \Model.doubled)]
    }
  }

  let model = Model()

  @Test("The error of a rule that rejects a value is thrown") func whatARuleRejectsIsThrown() throws
  {
    model.validate(\.value) { $1 < 0 ? .rejected(Negative()) : .valid }
    #expect(throws: Negative()) { try model.setValue(-1, forKey: "value") }
    #expect(model.value == 0)
    try model.setValue(1, forKey: "value")
    #expect(model.value == 1)
    let parent = Model()
    parent.child = model
    #expect(throws: Negative()) { try parent.setValue(-1, forKeyPath: "child.value") }
    #expect(model.value == 1)
  }

  @Test("A property that is computed from it throws") func aPropertyThatIsComputedFromItThrows()
    throws
  {
    model.validate(\.value) { $1 < 0 ? .rejected(Negative()) : .valid }
    #expect(throws: Negative()) { try model.setValue(-2, forKey: "doubled") }
    try model.setValue(4, forKey: "doubled")
    #expect(model.value == 2)
  }

  @Test("A coerced value is set") func whatIsCoercedIsSet() throws {
    model.validate(\.value) { _, value in value < 0 ? .coerced(0) : .valid }
    model.value = 5
    try model.setValue(-1, forKey: "value")
    #expect(model.value == 0)
  }

  @Test("An exclusive binding refuses") func anExclusiveBindingRefuses() {
    Reports.collect()
    let source = Model()
    source.bind(\.value, to: model, \.value, exclusive: true)
    source.value = 3
    #expect {
      try model.setValue(9, forKey: "value")
    } throws: {
      if case BindingError.exclusive(let property) = $0 {
        property.contains("value")
      } else {
        false
      }
    }
    #expect(model.value == 3)
    source.value = 4
    #expect(model.value == 4)
  }

  /// The refusal of a value that an observer sets meanwhile is the observer's.
  @Test("Sets by observers do not count") func whatObserversSetIsNotMeant() throws {
    model.validate(\.limit) { _, _ in .rejected(Negative()) }
    var isRefused: [Bool] = []
    _ = model.observe(\.value, options: .new).subscribe(
      onNext: { [model] value in
        model.limit = value
        isRefused.append((try? model.setValue(value, forKey: "limit")) == nil)
      })
    try model.setValue(1, forKey: "value")
    #expect(model.value == 1 && model.limit == 0 && isRefused == [true])
    // Nor a wrong value of another kind.
    #expect(throws: PropertyError.typeMismatch(key: "value", expected: "Int", actual: "String")) {
      try model.setValue("1", forKey: "value")
    }
  }

  /// A binding by names writes as itself, also where it owns the property.
  @Test("A binding by names owns its target") func aBindingByNamesOwnsItsTarget() throws {
    let source = Model()
    let target = try model.targetChain(Int.self, "value")
    source.bind(\.value, to: model, { _ in target }, exclusive: true)
    source.value = 7
    #expect(model.value == 7)
    #expect(throws: BindingError.self) { try model.setValue(1, forKey: "value") }
    #expect(model.value == 7)
  }
}
