import Keyline
import TestSupport
import Testing

@testable import Keyline

/// The types whose values are references to objects, and their layout.
@Suite struct CastTests {
  fileprivate class Base {}
  fileprivate protocol Marked: AnyObject {}
  fileprivate protocol Named: AnyObject {}
  fileprivate protocol Boxed<Content>: AnyObject {
    associatedtype Content
  }
  fileprivate protocol Loose {}
  fileprivate protocol LooselyBoxed<Content> {
    associatedtype Content
  }
  fileprivate final class Object: Base, Marked, Named, Boxed, Loose, LooselyBoxed {
    typealias Content = Int
  }

  /// One reference in an optional of an optional, for each kind of type.
  private static let nested: [Any.Type] = [
    Object??.self, AnyObject??.self, (any Marked)??.self, (any Marked & Named)??.self,
    (any Base & Marked)??.self, (any Boxed<Int>)??.self, (any Boxed<Int> & Marked)??.self,
    (any Base & Boxed<Int>)??.self, (any LooselyBoxed<Int> & AnyObject)??.self,
  ]

  @Test("A type is recognised as a reference, whatever its kind")
  func aTypeIsRecognisedAsAReferenceWhateverItsKind() {
    for nested in Self.nested {
      let optional = Optionals.wrapped(in: nested)
      for type in [nested, optional, Optionals.wrapped(in: optional)] {
        #expect(Optionals.isReference(type), "\(type)")
      }
    }
    let values: [Any.Type] = [
      Int.self, Int?.self, String??.self, Any.self, (any Loose)?.self, (any Loose & Sendable).self,
      (any LooselyBoxed<Int>)?.self, (() -> Void)?.self, [Object].self, (Object, Object).self,
      Object.Type.self, (any Boxed<Int>.Type)?.self, (any Marked.Type).self, AnyObject.Type.self,
    ]
    for type in values { #expect(!Optionals.isReference(type), "\(type)") }
  }

  @Test("A reference begins with the address of its object, and each nil with a number of its own")
  func aReferenceBeginsWithTheAddressOfItsObjectAndEachNilWithANumberOfItsOwn() {
    let object = Object()
    func check<Value>(_ type: Value.Type) {
      let (full, inner, outer): (Value??, Value??, Value??) = (object as? Value, .some(nil), nil)
      #expect(Optionals.reference(in: full) === object, "\(type)")
      #expect(Optionals.reference(in: inner) == nil && Optionals.reference(in: outer) == nil)
      #expect(Optionals.word(of: full) == address(of: object))
      #expect(Optionals.word(of: inner) == 0 && Optionals.word(of: outer) != 0)
      #expect(Optionals.word(of: Value???.some(outer)) == Optionals.word(of: outer))
      #expect(Optionals.reference(in: Value????.none) == nil)
      let made: Value?? = Optionals.value(referringTo: object)
      #expect(Optionals.word(of: made) == address(of: object))
    }
    for nested in Self.nested {
      let type = Optionals.innermost(in: nested)
      _openExistential(type, do: check)
    }
  }

  @Test("A remembered value is the same only at the same level of nil")
  func aRememberedValueIsTheSameOnlyAtTheSameLevelOfNil() {
    var object: (any Boxed<Int>)?? = Object()
    let values: [(any Boxed<Int>)??] = [object, .some(nil), nil]
    for (index, value) in values.enumerated() {
      let isSame = remembering(value)
      #expect(values.map(isSame) == values.indices.map { $0 == index })
    }
    object = Object()
    let isSame = remembering(object)
    object = .some(nil)
    #expect(!isSame(object) && !isSame(nil))
  }
}

extension CastTests {
  private func remembering<Value>(_ value: Value) -> (Value) -> Bool {
    var remembered = Remembered<Value>()
    remembered.store(value, isReference: Optionals.isReference(Value.self))
    return { other in remembered.load().map { Equality<Value>.of($0, other) == true } ?? false }
  }

  private final class Model: ReactiveObject {
    /// Retains the object that the rules return.
    let source: Source

    final class Source: ReactiveObject {
      @Observed var object: Object? = Object()
    }

    init(_ source: Source) { self.source = source }

    @Derived({ (self: Model) in self.source.object! }) var boxed: any Boxed<Int>
    @Derived({ (self: Model) in self.source.object }) var optional: (any Boxed<Int>)?
    @Derived({ (self: Model) in self.source.object }) var nested: (any Boxed<Int>)??
    @Derived({ (self: Model) in self.source.object! }) var composed: any Marked & Named
    @Derived({ (self: Model) in self.source.object! }) var both: any Boxed<Int> & Marked
    @Derived({ (self: Model) in self.source.object }) var derived: (any Base & Boxed<Int>)?
    @Derived({ (self: Model) in self.source.object! }) var inheriting: any Base & Marked
    @Derived({ (self: Model) in self.source.object }) var any: AnyObject?
    @Derived({ (self: Model) in self.source.object }) var list: Object??
    @Derived({ (self: Model) in self.source.object.map { [$0] } ?? [] })
    var all: [any Boxed<Int>]
  }

  /// D14. A value of any of these types is referenced weakly.
  @Test("D14: An object is cached weakly, whatever its static type")
  func d14AnObjectIsCachedWeaklyWhateverItsStaticType() {
    let reads: [(String, (Model) -> Void)] = [
      ("boxed", { _ = $0.boxed }), ("optional", { _ = $0.optional }),
      ("nested", { _ = $0.nested }), ("composed", { _ = $0.composed }),
      ("both", { _ = $0.both }), ("derived", { _ = $0.derived }),
      ("inheriting", { _ = $0.inheriting }), ("any", { _ = $0.any }), ("list", { _ = $0.list }),
      ("all", { _ = $0.all }),
    ]
    for (name, read) in reads {
      let model = Model(Model.Source())
      read(model)
      read(model)
      weak let object = model.source.object
      #expect(object != nil)
      model.source.object = nil
      #expect(object == nil, "\(name)")
      model.source.object = Object()
      read(model)
    }
  }

  @Test("D5: Objects of constrained existential types are compared by identity")
  func d5ObjectsOfConstrainedExistentialTypesAreComparedByIdentity() {
    let model = Model(Model.Source())
    let addresses = Log<UInt>()
    addresses.follow(model.observe(\.boxed).map { address(of: $0) })
    let objects = [model.source.object!, Object()]
    model.source.object = objects[0]
    model.source.object = objects[1]
    model.source.object = objects[1]
    addresses.expect(objects.map { address(of: $0) })
  }
}
