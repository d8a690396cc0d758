@testable import Keyline

/// The contents of an array, kept up to date by replaying its edits.
final class Copy<Element: Equatable> {
  private(set) var elements: [Element]
  /// Whether each edit has had the elements that it removed.
  private(set) var isExact = true
  private(set) var resets = 0

  init(_ items: ObservableArray<Element>) {
    elements = items.elements
    _ = items.changes.subscribe(onNext: { edits in
      for edit in edits {
        if edit.isReset { self.resets += 1 }
        self.isExact = self.isExact && Array(self.elements[edit.removedRange]) == edit.removed
        edit.apply(to: &self.elements)
      }
    })
  }
}

/// The contents of an array property, kept up to date by replaying its changes.
final class ChangeCopy<Element: Equatable> {
  private(set) var elements: [Element] = []
  /// Whether each change has had the elements that it removed.
  private(set) var isExact = true

  init(_ changes: Observable<PropertyChange<[Element]>>) {
    _ = changes.subscribe(onNext: { change in
      self.isExact = self.isExact && (change.cause == .initial || change.old == self.old(change))
      change.apply(to: &self.elements)
    })
  }

  /// The elements that the change is to remove.
  private func old(_ change: PropertyChange<[Element]>) -> [Element]? {
    switch change.kind {
    case .setting: elements
    case .insertion: nil
    case .removal, .replacement: change.indexes?.ranges.first.map { Array(elements[$0]) }
    case .movement(let source, _): [elements[source]]
    }
  }
}

extension PropertyChange {
  /// Replays a change that `observeChanges` of an array has emitted, with `.new`.
  func apply<Element>(to elements: inout [Element]) where Value == [Element] {
    let range = indexes?.ranges.first ?? 0..<0
    switch kind {
    case .setting: elements = new ?? []
    case .movement(let source, let destination):
      elements.insert(elements.remove(at: source), at: destination)
    case .insertion: elements.insert(contentsOf: new ?? [], at: range.lowerBound)
    default: elements.replaceSubrange(range, with: new ?? [])
    }
  }
}
