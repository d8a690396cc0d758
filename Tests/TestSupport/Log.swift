import KeylineCore

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
