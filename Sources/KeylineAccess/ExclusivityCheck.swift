import Builtin

/// Traps if the memory at `address` is being modified, as an access in the source does: during an
/// in-place mutation of a class's stored field.
///
/// A module of its own: a module that contains such a check keeps the checks of all fields of its
/// classes, which the optimiser removes elsewhere.
///
/// - Parameter address: the address of a stored field; its type does not matter.
package func checkExclusiveAccess(at address: UnsafeRawPointer) {
  Builtin.performInstantaneousReadAccess(address._rawValue, UInt8.self)
}
