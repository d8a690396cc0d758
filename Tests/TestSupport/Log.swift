import KeylineCore
import Testing

/// Collects what a sequence emits.
package final class Log<Element> {
  package var elements: [Element] = []
  package var isCompleted = false
  package var isDisposed = false

  package init() {}

  @discardableResult
  package func follow(_ source: Observable<Element>) -> any Disposable {
    source.subscribe(
      onNext: { self.elements.append($0) },
      onCompleted: { self.isCompleted = true },
      onDisposed: { self.isDisposed = true })
  }

  package func append(_ element: Element) { elements.append(element) }

  /// Returns the elements received since the last call.
  package func take() -> [Element] {
    defer { elements = [] }
    return elements
  }
}

extension Log where Element: Equatable {
  /// Takes the elements, and records an issue if they are not `expected`. It is the same as `#expect` of
  /// ``take()``, but the compiler takes a twentieth of the time for it: it expands no macro, which a
  /// parameter with `#_sourceLocation` would, too.
  package func expect(
    _ expected: [Element], fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let received = take()
    guard received != expected else { return }
    Issue.record(
      "received \(received), not \(expected)",
      sourceLocation: SourceLocation(
        fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
