/// The error that tests let sequences fail with.
package struct Failure: Error {
  package init() {}
}

/// An error of another type than ``Failure``.
package struct Other: Error {
  package init() {}
}
