import Keyline

/// A model of another module, for the tests to inherit from.
open class Vehicle: ReactiveObject {
  @Observed public var wheels = 4
  @Observed public var owner: Vehicle?

  override public init() {}

  public var summary: String { "\(wheels) wheels" }
}
