import Foundation
import Keyline

/// Keeps a book in a file: reads it at the start, and writes it when nothing has changed for a while.
final class BookFile: ReactiveObject {
  /// `Saved`, or why not; empty before the first time.
  @Observed private(set) var status = ""

  private let url: URL?
  private let book: Book
  private let bag = DisposeBag()

  /// - Parameter url: nil for a book that is not kept.
  init(_ book: Book, at url: URL?) {
    self.book = book
    self.url = url
    super.init()
    if let url { read(url) }
  }

  /// Writes the book when nothing has changed for half a second.
  func write(after changes: Observable<some Any>, on scheduler: any SchedulerType) {
    changes.map { _ in }.debounce(.milliseconds(500), scheduler: scheduler.unsafelyConfined)
      .subscribe(with: self, onNext: { file, _ in file.write() })
      .disposed(by: bag)
  }

  private func read(_ url: URL) {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      let values = try JSONDecoder().decode([Expense.Values].self, from: Data(contentsOf: url))
      book.expenses.append(contentsOf: values.map(Expense.init))
    } catch {
      status = "Not read: \(error)"
    }
  }

  func write() {
    guard let url else { return }
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(book.expenses.map(\.values)).write(to: url, options: .atomic)
      status = "Saved \(url.lastPathComponent)"
    } catch {
      status = "Not saved: \(error.localizedDescription)"
    }
  }
}
