/// The reactive extensions of `Base`: the value of `.rx`.
///
/// ```swift
/// title.drive(label.rx.text).disposed(by: bag)   // a `Binder` of the property, made on access
/// ```
/// ```swift
/// extension Reactive where Base: Player {
///   var finished: Signal<Void> { base.finishedRelay.asSignal() }
/// }
/// ```
@dynamicMemberLookup
public struct Reactive<Base> {
  /// The value extended.
  public let base: Base

  /// The extensions of `base`.
  public init(_ base: Base) { self.base = base }

  /// A binder that sets the property at `keyPath`, on the main thread.
  @MainActor
  public subscript<Property>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
  ) -> Binder<Property> where Base: AnyObject {
    Binder(base) { base, value in base[keyPath: keyPath] = value }
  }
}

/// A type with reactive extensions. Conforming requires nothing else.
public protocol ReactiveCompatible {
  /// The type extended.
  associatedtype ReactiveBase

  /// The reactive extensions of the value.
  var rx: Reactive<ReactiveBase> { get }
}

extension ReactiveCompatible {
  /// The reactive extensions of the value.
  public var rx: Reactive<Self> { Reactive(self) }
}
