import KeylineCore
import Testing

/// An operator with its name, as the argument of a test.
struct NamedOperator: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let apply: @Sendable (Observable<Int>) -> Observable<Int>

  init(_ name: String, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Int>) {
    testDescription = name
    self.apply = apply
  }
}
