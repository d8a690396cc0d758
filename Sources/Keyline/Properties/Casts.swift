// Casts that the type system cannot express. Each caller states why the object is of the type; debug
// builds check it.

/// `object` as a `Result`: a dynamic cast would look up its class on the path of each delivery.
@inlinable @inline(__always)
func cast<Result: AnyObject>(_ object: AnyObject, to type: Result.Type) -> Result {
  unsafeDowncast(object, to: type)
}

/// `object` as a value of `type`, which is a class.
@inlinable @inline(__always)
func reference<Value>(_ object: AnyObject, as type: Value.Type) -> Value {
  unsafeBitCast(object, to: type)
}
