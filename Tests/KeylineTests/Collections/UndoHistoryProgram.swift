import Keyline
import TestSupport
import Testing

/// Random edits of a document of three classes, with undo, redo and groups among them; each state that
/// the history restores is compared with a copy that was written down before.
struct UndoHistoryProgram: SteppedProgram {
  final class Leaf: ReactiveObject, Equatable {
    let id: Int
    @Observed var title = 0
    @WeakObserved var friend: Leaf?

    init(_ id: Int) {
      self.id = id
      super.init()
    }

    // Not identity: an equal leaf may be another one.
    static func == (one: Leaf, other: Leaf) -> Bool { one.title == other.title }
  }

  final class Section: ReactiveObject {
    let id: Int
    let leaves: ObservableArray<Leaf> = []
    let tags: ObservableSet<Int> = []
    @Observed var byName = ObservableDictionary<Int, Leaf>()

    init(_ id: Int) {
      self.id = id
      super.init()
    }
  }

  final class Book: ReactiveObject {
    @Observed var pages = 0
    @Observed var cover: Leaf?
    @Observed var drawer: [Leaf] = []
    @WeakObserved var favorite: Leaf?
    let sections: ObservableArray<Section> = []
  }

  /// What a step of the program does; the numbers choose the place.
  enum Step {
    case edits([Edit])
    case undo, redo
  }

  struct Edit {
    let kind: Int
    let choice: Int
    let other: Int
  }

  var steps: [Step]
  /// Whether the edits of a step are a batch, or sets in one group.
  let isBatched: Bool

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    isBatched = random.chance(1, of: 2)
    steps = (0..<random.number(4...40)).map { _ in
      switch random.number(0..<10) {
      case 0...1: .undo
      case 2: .redo
      default:
        .edits(
          (0..<random.number(1...5)).map { _ in
            Edit(
              kind: random.number(0..<16), choice: random.number(0..<8), other: random.number(0..<8)
            )
          })
      }
    }
  }

  var description: String {
    "\(isBatched ? "batched" : "grouped")\n" + steps.map { "\($0)" }.joined(separator: "\n")
  }

  var failures: [LawFailure] {
    let run = Run()
    for (index, step) in steps.enumerated() { run.perform(step, index, isBatched) }
    run.undoAndRedoEverything(steps.count)
    return run.failures
  }

  /// Edits a book, and compares what the history restores.
  final class Run {
    let book = Book()
    let history: UndoHistory
    /// All leaves, so that one may leave the book and come back.
    var leaves: [Leaf] = []
    var sections: [Section] = []
    /// The states before the steps that can be undone, and after the ones that can be redone.
    var past: [String] = []
    var future: [String] = []
    var failures: [LawFailure] = []

    init() { history = UndoHistory(book) }

    func perform(_ step: Step, _ index: Int, _ isBatched: Bool) {
      switch step {
      case .undo: undo(index)
      case .redo: redo(index)
      case .edits(let edits):
        let before = state
        history.group("\(index)") {
          if isBatched {
            batchUpdates { for edit in edits { make(edit) } }
          } else {
            for edit in edits { make(edit) }
          }
        }
        if history.undoName == "\(index)" {
          past.append(before)
          future = []
        } else {
          expect("a state without a step", before, index)
        }
      }
    }

    func undo(_ index: Int) {
      move("undo", index, history.canUndo, history.undo, from: &past, to: &future)
    }

    func redo(_ index: Int) {
      move("redo", index, history.canRedo, history.redo, from: &future, to: &past)
    }

    private func move(
      _ law: String, _ index: Int, _ isPossible: Bool, _ step: () -> Void,
      from states: inout [String], to others: inout [String]
    ) {
      if isPossible == states.isEmpty { failures.append(failure("can\(law)", index, "")) }
      let now = state
      step()
      guard let expected = states.popLast() else { return expect("nothing to \(law)", now, index) }
      others.append(now)
      expect(law, expected, index)
    }

    func undoAndRedoEverything(_ index: Int) {
      while !past.isEmpty, failures.isEmpty { undo(index) }
      while !future.isEmpty, failures.isEmpty { redo(index) }
      while !past.isEmpty, failures.isEmpty { undo(index) }
      if history.canUndo { failures.append(failure("canUndo at the end", index, "")) }
    }

    private func expect(_ law: String, _ expected: String, _ index: Int) {
      let state = state
      if state != expected {
        failures.append(failure(law, index, "\(state) instead of \(expected)"))
      }
    }

    private func failure(_ law: String, _ index: Int, _ detail: String) -> LawFailure {
      LawFailure(law: law, step: index, message: detail)
    }

    // MARK: State

    /// The whole state of the book, by identity.
    var state: String {
      func text(_ leaf: Leaf?) -> String {
        leaf.map { "\($0.id):\($0.title)→\($0.friend?.id ?? -1)" } ?? "–"
      }
      let sections = book.sections.elements.map { section in
        let names = section.byName.contents.sorted { $0.key < $1.key }
        return "\(section.id)\(section.leaves.elements.map(text))\(section.tags.contents.sorted())"
          + "\(names.map { "\($0.key)=\(text($0.value))" })"
      }
      return "\(book.pages) \(text(book.cover)) \(book.drawer.map(text)) "
        + "\(book.favorite?.id ?? -1) \(sections)"
    }

    // MARK: Edits

    private func leaf(_ choice: Int) -> Leaf {
      if choice >= leaves.count || choice == 0 { leaves.append(Leaf(leaves.count)) }
      return leaves[min(choice, leaves.count - 1)]
    }

    /// A leaf that is part of the book.
    private func member(_ choice: Int) -> Leaf? {
      let all =
        book.drawer + (book.cover.map { [$0] } ?? [])
        + book.sections.elements.flatMap {
          $0.leaves.elements + $0.byName.contents.values.sorted { $0.id < $1.id }
        }
      return all.isEmpty ? nil : all[choice % all.count]
    }

    private func section(_ choice: Int) -> Section? {
      book.sections.isEmpty ? nil : book.sections[choice % book.sections.count]
    }

    private func make(_ edit: Edit) {
      let (choice, other) = (edit.choice, edit.other)
      switch edit.kind {
      case 0: book.pages = choice
      case 1: book.cover = choice < 2 ? nil : leaf(choice)
      case 2: book.drawer.append(leaf(choice))
      case 3: if !book.drawer.isEmpty { book.drawer.remove(at: choice % book.drawer.count) }
      case 4: book.favorite = member(choice)
      case 5: member(choice)?.title = other
      case 6: member(choice)?.friend = member(other)
      case 7:
        // A section that has left may come back.
        let free = sections.filter { section in !book.sections.contains { $0 === section } }
        let section = choice < free.count ? free[choice] : Section(sections.count)
        if section.id == sections.count { sections.append(section) }
        book.sections.insert(section, at: other % (book.sections.count + 1))
      case 8: if !book.sections.isEmpty { book.sections.remove(at: choice % book.sections.count) }
      case 9:
        if let leaves = section(choice)?.leaves {
          leaves.insert(leaf(other), at: choice % (leaves.count + 1))
        }
      case 10:
        if let leaves = section(choice)?.leaves, !leaves.isEmpty {
          leaves.remove(at: other % leaves.count)
        }
      case 11:
        if let leaves = section(choice)?.leaves, leaves.count > 1 {
          leaves.move(from: 0, to: other % leaves.count)
        }
      case 12: section(choice)?.tags.formSymmetricDifference([other, 1])
      case 13: section(choice)?.byName[other] = choice == 0 ? nil : leaf(choice)
      case 14: section(choice)?.byName = [other: leaf(choice)]
      default:
        section(choice)?.leaves.removeAll { $0.title == other % 3 }
        member(other)?.title = choice
      }
    }
  }
}

@Suite struct UndoHistoryProgramTests {
  @Test("Undo and redo lead through all states of a document") func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_HISTORIES") ?? rounds(60, optimised: 2_000)
    RandomPrograms.expectLaws("UndoHistoryProgram", seeds: RandomPrograms.seeds(count)) {
      UndoHistoryProgram(seed: $0)
    }
  }
}
