/// A value that a closure computes from properties, without a class of its own.
///
/// ```swift
/// let total = Computed { store.orders.sum(of: \.total) }
/// _ = total.observe(\.value).subscribe(onNext: { print($0) })
/// ```
/// ```text
/// 3
/// ```
///
/// `value` is a ``Derived`` property, and has its laws: it is cached, and emitted if it has changed. Values
/// that are neither objects nor `Equatable` count as different each time.
///
/// - Lifetime: retains what the closure captures.
/// - SeeAlso: `computed` of the signal libraries.
public final class Computed<Value>: ReactiveObject {
  private let compute: () -> Value

  /// The value for the current properties.
  @Derived({ (self: Computed) in self.compute() }, equals: { Equality<Value>.of($0, $1) == true })
  public var value: Value

  /// - Parameter compute: a rule, which must not set anything (D17).
  public init(_ compute: @escaping () -> Value) { self.compute = compute }
}
