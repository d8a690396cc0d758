import Keyline

extension Diagnostics {
  /// The observations, bindings and derived values of some objects at one moment, as plain values that
  /// retain nothing.
  ///
  /// ```swift
  /// Diagnostics.isRecording = true                     // before the observations are made
  /// model.bind(\.price, to: form, \.text, converter: .decimal)
  /// _ = model.observe(\.total).map { "\($0)" }.subscribe(onNext: { _ in })
  /// print(Diagnostics.graph(of: model, form))
  /// ```
  /// ```text
  /// Model#1
  ///   price = 12 → 1
  ///   total = 24, derived from Model#1.price → 2
  /// Form#1
  ///   text = "12" ← 1
  /// 1  Model#1.price → bind → Form#1.text  (converter decimal, Form.swift:2)
  /// 2  Model#1.total → observe → map → subscribe  (Form.swift:3)
  /// ```
  ///
  /// An object is `Class#number`, counted in the order in which objects are reached: the same
  /// program gives the same text each time.
  ///
  /// - SeeAlso: ``Diagnostics/graph(of:)``.
  public struct Graph: Sendable {
    /// The objects given, and those that take part in something that is reached from them, in the
    /// order in which they are reached.
    public let objects: [Object]
    /// In the order in which they are reached; their numbers count from 1.
    public let observations: [Observation]
  }
}

extension Diagnostics.Graph {
  /// An object with observable properties.
  public struct Object: Sendable, Identifiable {
    /// `Person#1`.
    public let id: String
    /// Identifies the object while it is alive.
    public let identity: ObjectIdentifier
    /// The name of the class.
    public let type: String
    /// The description of the object, cut to a length, if its class is `CustomStringConvertible`.
    public let name: String?
    /// Whether the graph is of this object.
    public let isRoot: Bool
    /// The stored properties of objects in the graph that refer to it strongly, in the order in which
    /// the objects are reached.
    public let holders: [Reference]
    /// All observable properties in the order of declaration, superclasses first, those that hold
    /// other objects among them; then state that is reported by `access(_:)`.
    public let properties: [Property]

    /// Whether it has no holder and is not given: it is retained by a closure, a variable, or an object
    /// of a class that is not ``/Keyline/PropertyObservable``.
    public var isHeldFromOutside: Bool { holders.isEmpty && !isRoot }
  }

  /// A property of one object.
  public struct Property: Sendable {
    /// The kinds of properties.
    public enum Kind: String, Sendable {
      /// `@Observed`.
      case stored
      /// `@WeakObserved`.
      case weak
      /// `@Derived`.
      case derived
      /// State that the library does not store.
      case state
      /// A stored property that is not observable, and holds objects of the graph.
      case plain
    }

    /// The object that has it, and its name in the class.
    public let reference: Reference
    /// The kind of the property.
    public let kind: Kind
    /// The value, cut to a length; of a derived property, the one computed last, or nil before the first.
    public let value: String?
    /// Whether a derived value is not up to date.
    public let isOutdated: Bool
    /// The properties that a derived value has been computed from, in the order of reading.
    public let dependencies: [Reference]
    /// The objects of the graph that the value refers to, by their ids.
    public let objects: [String]

    /// Its name in the class.
    public var name: String { reference.property }
  }

  /// A property of an object.
  public struct Reference: Sendable, Hashable, CustomStringConvertible {
    /// The object's id.
    public let object: String
    /// The property's name.
    public let property: String

    /// `Person#1.name`.
    public var description: String { "\(object).\(property)" }
  }

  /// Something that observes properties: a subscription, a binding, a rule.
  public struct Observation: Sendable, Identifiable {
    /// A property that is observed.
    public struct Source: Sendable {
      /// Which property.
      public let property: Reference
      /// Which hop of a chain it is, counted from 0; nil without a chain, and for the leaf of a chain that is
      /// bound.
      public let hop: Int?
      /// The operators between the property and the call: `["observe", "map"]`. Empty if the
      /// observation has not been recorded.
      public let stages: [String]
    }

    /// Its number in the text and in the drawing, from 1 on.
    public let id: Int
    /// The observed properties, in the order of reading.
    public let sources: [Source]
    /// The properties that a binding writes, including the hops of a chain that leads to one.
    public let targets: [Source]
    /// The operators next to the call, if the source is a stream and not a property: `["map"]`.
    public let stages: [String]
    /// Which end of a binding follows which; nil for anything but a binding.
    public let mode: BindingMode?
    /// The name of a binding's converter.
    public let converter: String?
    /// Whether a binding refuses other writers.
    public let isExclusive: Bool
    /// The hop of a chain that leads to nil.
    public let brokenHop: Int?
    /// The function that has made it: `subscribe`; nil if it has not been recorded.
    public let call: String?
    /// Where that was called: `Form.swift:12`.
    public let place: String?

    /// Whether it is a binding.
    public var isBinding: Bool { mode != nil }
  }

  /// The graph as the contents of a file, in the language that its name ends in: `.dot` or `.txt`; nil
  /// for any other.
  public func contents(ofFile name: String) -> String? {
    switch name.split(separator: ".").last {
    case "dot": dot
    case "txt": text
    default: nil
    }
  }

  /// The id of an object, which is alive; nil if it is not in the graph.
  public func id(of object: AnyObject) -> String? {
    objects.first { $0.identity == ObjectIdentifier(object) }?.id
  }

  /// The object with that id.
  public subscript(id: String) -> Object? { objects.first { $0.id == id } }
}
