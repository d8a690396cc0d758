import Keyline
import TestSupport
import Testing

/// The emissions of chains that are settled, row by row.
@Suite("Chains: the table of settled emissions")
struct ChainTableTests {
  /// A row, one of its paths, and a scope.
  struct Case: Sendable, CustomTestStringConvertible {
    let row: ChainRow
    let path: Int
    let scope: ChainScope

    var testDescription: String { "\(row.name): path \(path), \(scope)" }

    static let all = ChainRow.all.flatMap { row in
      row.paths.indices.flatMap { path in
        row.scopes.map { Case(row: row, path: path, scope: $0) }
      }
    }
  }

  @Test(
    "A chain emits what its row lists, and its changes hold the value before", arguments: Case.all)
  func emissions(of tested: Case) throws {
    let row = tested.row
    let graph = ChainGraph(values: row.values)
    row.setUp(graph)
    let (root, path) = (graph[0], row.paths[tested.path])
    let (values, changes) = (Log<Int?>(), Log<PropertyChange<Int>>())
    let spelt = row.spellings.map { _ in Log<Int?>() }
    values.follow(root.observeWeakly(options: .new, path)).disposed(by: graph.bag)
    changes.follow(root.observeChanges(path)).disposed(by: graph.bag)
    for (log, observe) in zip(spelt, row.spellings) {
      log.follow(try observe(root)).disposed(by: graph.bag)
    }
    let initial = Log<Int?>()
    initial.follow(root.observeWeakly(options: .initial, path)).dispose()
    var last = try #require(initial.elements.last)
    for (index, step) in row.steps.enumerated() {
      tested.scope.perform {
        step.sets(graph)
        if tested.scope != .alone { #expect(values.elements == [], "step \(index)") }
      }
      #expect(values.take() == step.values, "step \(index)")
      for log in spelt { #expect(log.take() == step.values, "step \(index)") }
      let seen = changes.take()
      #expect(seen.map(\.new) == step.values, "step \(index)")
      #expect(seen.map(\.old) == ([last] + step.values).dropLast(), "step \(index)")
      if let causes = step.causes { #expect(seen.map(\.cause) == causes, "step \(index)") }
      #expect(step.condition(graph), "step \(index)")
      last = step.values.last ?? last
    }
  }
}
