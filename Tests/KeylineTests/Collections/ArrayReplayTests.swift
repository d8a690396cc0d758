import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

/// Show 9: the edits, or the changes, replayed onto the former contents give the contents.
@Suite struct ArrayReplayTests {
  private final class Shelf: ReactiveObject {
    @Observed var items: ObservableArray<Int>

    init(_ items: some Sequence<Int>) { self.items = ObservableArray(items) }
  }

  @Test("Thousands of random scripts") func thousandsOfRandomScripts() {
    let seed = UInt64.random(in: 0 ... .max)
    for script in 0..<rounds(100, optimised: 2_000) {
      var random = SplitMix(seed: seed &+ UInt64(script))
      let shelf = Shelf(0..<random.number(0...8))
      var model = shelf.items.elements
      var copy = Copy(shelf.items)
      let changes = ChangeCopy(shelf.observeChanges(\.items, options: [.initial, .old, .new]))
      for _ in 0..<random.number(1...8) {
        switch random.number(0..<12) {
        case 0..<3:
          shelf.items.update { items in
            for _ in 0..<3 { Self.edit(items, &model, &random) }
          }
        case 3:
          guard copy.elements == model, copy.isExact else { break }
          let former = shelf.items
          model.reverse()
          shelf.items = ObservableArray(model)
          copy = Copy(shelf.items)
          former.append(-7)
        default: Self.edit(shelf.items, &model, &random)
        }
      }
      let contents = [shelf.items.elements, copy.elements, changes.elements]
      guard contents == [model, model, model], copy.isExact, changes.isExact else {
        Issue.record("\(contents) instead of \(model): seed \(seed), script \(script)")
        return
      }
    }
    print("ArrayReplayTests: 10,000 scripts from seed \(seed)")
  }

  @Test("Another array follows by applying the edits, and inverses lead back") func inverses() {
    let seed = UInt64.random(in: 0 ... .max)
    for script in 0..<500 {
      var random = SplitMix(seed: seed &+ UInt64(script))
      let items = ObservableArray(0..<random.number(0...8))
      let start = items.elements
      let other = ObservableArray(start)
      var (model, done) = (start, [ArrayEdit<Int>]())
      let journal = items.changes.subscribe(onNext: { edits in
        done += edits
        edits.forEach(other.apply)
      })
      for _ in 0..<random.number(1...8) { Self.edit(items, &model, &random) }
      journal.dispose()
      for edit in done.reversed() { edit.inverse.map(items.apply) }
      guard other.elements == model, items.elements == start else {
        Issue.record("\(other) and \(items), not \(model) and \(start): seed \(seed), \(script)")
        return
      }
    }
  }

  @Test("An edit that does not fit is reported, and a reset is applied and has no inverse")
  func unfitting() {
    struct Part: Equatable {
      let number: Int
    }
    Reports.collect()
    let items: ObservableArray = [Part(number: 1), Part(number: 2)]
    items.apply(.removal(items.elements, at: 1))
    items.apply(.move(items[0], from: 0, to: 2))
    items.apply(.insertion([Part(number: 3)], at: -1))
    #expect(items.map(\.number) == [1, 2] && Reports.about("ArrayEdit<Part>").count == 3)
    items.apply(.reset([Part(number: 4)]))
    #expect(items.map(\.number) == [4] && ArrayEdit.reset(items.elements).inverse == nil)
  }

  /// Makes one edit of the array and of the model.
  private static func edit(
    _ items: ObservableArray<Int>, _ model: inout [Int], _ random: inout SplitMix
  ) {
    let start = random.number(0...model.count)
    let range = start..<random.number(start...model.count)
    let new = (0..<random.number(0...3)).map { $0 + 100 }
    switch (random.number(0..<12), model.indices.randomElement(using: &random)) {
    case (0, let index?):
      items[index] = -1
      model[index] = -1
    case (1, let index?):
      items[index] *= 2
      model[index] *= 2
    case (2, let index?):
      #expect(items.remove(at: index) == model.remove(at: index))
    case (3, let index?):
      let destination = random.number(model.indices)
      items.move(from: index, to: destination)
      model.insert(model.remove(at: index), at: destination)
    case (4, let index?):
      let other = random.number(model.indices)
      items.swapAt(index, other)
      model.swapAt(index, other)
    case (5, _):
      items.removeAll { $0 % 3 == 0 }
      model.removeAll { $0 % 3 == 0 }
    case (6, _):
      items.append(7)
      model.append(7)
    case (7, _):
      items.insert(contentsOf: new, at: start)
      model.insert(contentsOf: new, at: start)
    case (8, _):
      items.removeSubrange(range)
      model.removeSubrange(range)
    case (9, _): reorder(items, &model, &random)
    case (10, _): shorten(items, &model, start, &random)
    default:
      items.replaceSubrange(range, with: new)
      model.replaceSubrange(range, with: new)
    }
  }

  private static func reorder(
    _ items: ObservableArray<Int>, _ model: inout [Int], _ random: inout SplitMix
  ) {
    switch random.number(0..<4) {
    case 0:
      items.sort()
      model.sort()
    case 1:
      items.sort(by: >)
      model.sort(by: >)
    case 2:
      items.reverse()
      model.reverse()
    default:
      model.shuffle(using: &random)
      items.replaceSubrange(0..., with: model)
    }
  }

  private static func shorten(
    _ items: ObservableArray<Int>, _ model: inout [Int], _ count: Int, _ random: inout SplitMix
  ) {
    switch random.number(0..<5) {
    case 0:
      items.removeAll(keepingCapacity: true)
      model.removeAll(keepingCapacity: true)
    case 1, 2:
      items.removeFirst(count)
      model.removeFirst(count)
    default:
      items.removeLast(count)
      model.removeLast(count)
    }
  }
}
