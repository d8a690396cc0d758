/// A value that several closures share and change. Uses must not overlap; a comment at each use names
/// the lock or owner that orders them.
@usableFromInline final class Box<Value> {
  @usableFromInline var value: Value

  @usableFromInline init(_ value: Value) { self.value = value }
}
