import ExampleSupport
import Keyline

// The model. Only the company owns its people: every other reference is weak. A person removed from
// `people` dies at once, and every chain through that person is broken.
//
//     Company ──▶ people ──▶ Person ─ ─ manager ─ ─▶ Person ─ ─ manager ─ ─▶ …
//        └ ─ ─ ─ selected ─ ─ ─ ─ ▲

/// An employee of a company.
final class Person: ReactiveObject, CustomStringConvertible {
  @Observed var name: String
  /// Nil for a person without a manager, or whose manager has left.
  @WeakObserved var manager: Person?

  /// The names of all managers, the nearest first: derived from a chain of any length, each of whose
  /// links may be replaced or die.
  @Derived({ (self: Person) in self.manager.map { [$0.name] + $0.managers } ?? [] })
  var managers: [String]

  var description: String { name }

  init(_ name: String, under manager: Person? = nil) {
    self.name = name
    super.init()
    self.manager = manager
  }

  /// Whether `other` is this person, or a manager on the way up.
  func reports(to other: Person) -> Bool {
    self === other || manager?.reports(to: other) == true
  }
}

/// The people, in the order in which they came.
final class Company: ReactiveObject {
  let people = ObservableArray<Person>()
  /// The person whose badge is shown, until that person leaves.
  @WeakObserved var selected: Person?

  /// How many work here.
  @Derived({ (self: Company) in self.people.count }) var size: Int

  /// The people without a manager.
  private(set) lazy var heads = people.filtered { $0.manager == nil }
  @Derived({ (self: Company) in self.heads.map(\.name) }) var headNames: [String]

  /// The reports of the selected person.
  private(set) lazy var reports = people.filtered { [unowned self] person in
    selected != nil && person.manager === selected
  }
  @Derived({ (self: Company) in self.reports.map(\.name) }) var reportNames: [String]

  func person(_ name: some StringProtocol) -> Person? { people.first { $0.name == name } }

  @discardableResult
  func hire(_ name: String, under manager: Person? = nil) -> Person {
    let person = Person(name, under: manager)
    people.append(person)
    return person
  }

  /// Removes the only strong reference to the person. In a batch, the death of the person is one change
  /// for each observer, however many chains lead through the person.
  func dismiss(_ name: String) { batchUpdates { people.removeAll { $0.name == name } } }

  /// Puts a new person in the place of `person`: one batch, so that no person is without a
  /// manager for a moment, and each observer is called once.
  func replace(_ person: Person, by name: String) {
    batchUpdates {
      let successor = Person(name, under: person.manager)
      for report in people where report.manager === person { report.manager = successor }
      if let index = people.firstIndex(where: { $0 === person }) { people[index] = successor }
    }
  }
}

// MARK: - As text

/// A line that is no part of a chart.
struct ChartError: Error, Equatable, CustomStringConvertible {
  let line: Int
  let reason: String

  var description: String { "line \(line): \(reason)" }
}

extension Company {
  /// Reads a chart: a name on each line, two blanks further in than the one of the manager.
  convenience init(chart lines: [Substring]) throws(ChartError) {
    self.init()
    // The latest person at each depth.
    var path: [Person] = []
    var names: Set<String> = []
    for (index, line) in lines.enumerated() {
      let name = Format.oneLine(line)
      guard !name.isEmpty else { continue }
      let margin = line.prefix(while: \.isWhitespace)
      guard margin.allSatisfy({ $0 == " " }) else {
        throw ChartError(line: index + 1, reason: "'\(name)' is not indented by blanks")
      }
      let indent = margin.count
      guard indent.isMultiple(of: 2), indent / 2 <= path.count else {
        throw ChartError(line: index + 1, reason: "'\(name)' is indented under nobody")
      }
      guard names.insert(name).inserted else {
        throw ChartError(line: index + 1, reason: "there are two of the name '\(name)'")
      }
      path.removeSubrange((indent / 2)...)
      path.append(hire(name, under: path.last))
    }
  }

  /// The chart, as it is read.
  var chart: [String] {
    let reports = Dictionary(grouping: people) { $0.manager.map(ObjectIdentifier.init) }
    var lines: [String] = []
    func add(_ people: [Person]?, indent: String) {
      for person in people ?? [] {
        lines.append(indent + person.name)
        add(reports[ObjectIdentifier(person)], indent: indent + "  ")
      }
    }
    add(reports[nil], indent: "")
    return lines
  }
}
