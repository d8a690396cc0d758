import ExampleSupport
import Keyline
import KeylineDiagnostics

/// Carries out commands on a company, and shows the resulting changes.
final class Session: ExampleSession {
  private(set) var isOpen = true

  private let company: Company
  private let badge: Badge
  private let write: (String) -> Void
  private let bag = DisposeBag()

  /// - Parameter write: shows output, one or more lines at a time.
  init(_ company: Company, write: @escaping (String) -> Void) {
    self.company = company
    self.write = write
    badge = Badge(of: company)
    // Derived values: one line for all that a command changes of them, and none if that is nothing.
    badge.observe(\.text, options: .new)
      .subscribe(with: self, onNext: { $0.show("badge: \($1)") })
      .disposed(by: bag)
    badge.observe(\.way, options: .new).distinctUntilChanged()
      .subscribe(with: self, onNext: { $0.show("way up: \($1)") })
      .disposed(by: bag)
    company.observe(\.size, options: .new)
      .subscribe(with: self, onNext: { $0.show("people: \($1)") })
      .disposed(by: bag)
    list(company.observe(\.headNames, options: .new), as: "without a manager")
    list(company.observe(\.reportNames, options: .new), as: "reports")
  }

  /// The observers and bindings of the company, its people and the badge.
  var graph: Diagnostics.Graph { Diagnostics.graph(of: company, badge) }

  func perform(_ command: Command) throws(CommandError) {
    switch command {
    case .show: write(Format.printable(lines: company.chart))
    case .hire(let name, let manager):
      company.hire(try unused(name), under: try manager.map(person))
    case .move(let name, let manager):
      try move(try person(name), under: try manager.map(person))
    case .rename(let name, let new): try person(name).name = try unused(new)
    case .replace(let name, let new): company.replace(try person(name), by: try unused(new))
    case .leave(let name): company.dismiss(try person(name).name)
    case .select(let name): company.selected = try person(name)
    case .follow(let name): follow(try person(name))
    case .graph: write(graph.text + "\n")
    case .help: write(Command.helpText + "\n")
    case .quit: isOpen = false
    }
  }

  private func move(_ person: Person, under manager: Person?) throws(CommandError) {
    if let manager, manager.reports(to: person) {
      throw CommandError("\(manager) reports to \(person)")
    }
    person.manager = manager
  }

  /// The cause of a change is the place on the chain: the leaf, or a hop that was replaced or has died.
  /// The chain ends with the person it begins at.
  private func follow(_ person: Person) {
    let name = person.name
    person.observeChanges(options: [.initial, .old, .new]) { $0.manager.manager.name }
      .subscribe(
        with: self,
        onNext: { session, change in
          let text =
            change.cause == .initial
            ? Format.some(change.new) : Format.change(change.old, change.new)
          session.show("manager's manager of \(name): \(text) (\(change.cause.words))")
        },
        onCompleted: { $0.show("manager's manager of \(name): not followed any more") }
      )
      .disposed(by: bag)
  }

  private func person(_ name: String) throws(CommandError) -> Person {
    guard let person = company.person(name) else { throw CommandError("there is no '\(name)'") }
    return person
  }

  private func unused(_ name: String) throws(CommandError) -> String {
    guard company.person(name) == nil else { throw CommandError("there is a '\(name)' already") }
    return name
  }

  private func list(_ names: Observable<[String]>, as heading: String) {
    names
      .subscribe(
        with: self,
        onNext: { $0.show("\(heading): \($1.isEmpty ? "nobody" : $1.joined(separator: ", "))") }
      )
      .disposed(by: bag)
  }

  func show(_ line: String) { write(Format.printable(lines: [line])) }
}

extension ChangeCause {
  /// Why the name at the end of `manager.manager.name` is another one, in words.
  fileprivate var words: String {
    switch self {
    case .initial: "now"
    case .set: "another name"
    case .hopReplaced(0): "another manager"
    case .hopReplaced: "the manager has another manager"
    case .hopBecameNil(0): "no manager"
    case .hopBecameNil: "the manager has no manager"
    case .hopDied(0): "the manager has left"
    case .hopDied: "the manager's manager has left"
    case .rootDied: "has left"
    }
  }
}
