/// A value that closures share and change. Its uses must not overlap: each names what orders them.
@usableFromInline final class Box<Value> {
  @usableFromInline var value: Value

  @usableFromInline init(_ value: Value) { self.value = value }
}
