import Keyline

/// How the sets of a step are made.
enum ChainScope: CaseIterable {
  /// One by one.
  case alone
  /// As one transaction: in a batch, or in an observer of a stored property or of a computed value.
  case batch, storedObserver, computedObserver

  static let transactions: [ChainScope] = [.batch, .storedObserver, .computedObserver]

  func perform(_ body: @escaping () -> Void) {
    switch self {
    case .alone: body()
    case .batch: batchUpdates(body)
    case .storedObserver, .computedObserver:
      let trigger = ChainItem()
      let value = trigger.observe(\.value, options: .new)
      let pair = trigger.observe(\.value, \.value, options: .new).map { $0.0 }
      let subscription = (self == .storedObserver ? value.asObservable() : pair)
        .subscribe(onNext: { _ in body() })
      trigger.value = 1
      subscription.dispose()
    }
  }
}

/// The items of a row: the chain starts at the first. Items die when they are set to nil.
final class ChainGraph {
  var items: [ChainItem?]
  /// Bindings and other observers.
  let bag = DisposeBag()

  init(values: [Int]) { items = values.map { ChainItem($0) } }

  subscript(index: Int) -> ChainItem { items[index]! }
}

/// A row of the table: a graph, paths in it that all emit the same, and steps with their emissions.
struct ChainRow: Sendable {
  typealias Path = @Sendable (inout ChainRoot<ChainItem>) -> KeyPathChain<ChainItem, Int>

  struct Step: Sendable {
    let sets: @Sendable (ChainGraph) -> Void
    /// What each path emits once all sets are made.
    let values: [Int?]
    /// The causes of the emissions; not compared if nil.
    var causes: [ChangeCause]?
    /// What else must be true after the step.
    var condition: @Sendable (ChainGraph) -> Bool = { _ in true }
  }

  /// A sentence, preceded by the law.
  let name: String
  var scopes: [ChainScope] = [.batch]
  /// The values of the items.
  let values: [Int]
  let setUp: @Sendable (ChainGraph) -> Void
  let paths: [Path]
  /// The same path by name and as a key path, where there is such a spelling.
  var spellings: [@Sendable (ChainItem) throws -> Observable<Int?>] = []
  let steps: [Step]
}

extension ChainRow {
  static let all: [ChainRow] = [
    ChainRow(
      name: "P4: several sets of the leaf are one emission of the final value, in every spelling",
      scopes: ChainScope.transactions, values: [0, 1, 1],
      setUp: {
        $0[0].next = $0[1]
        $0[1].next = $0[2]
      },
      paths: [{ $0.next.next.value }],
      spellings: [
        { try $0.observeWeakly(Int.self, "next.next.value", options: .new).asObservable() },
        { $0.observe(\.next?.next?.value, options: .new).asObservable() },
      ],
      steps: [
        Step(sets: { graph in for value in 2...4 { graph[2].value = value } }, values: [4])
      ]),
    ChainRow(
      name: "D37: a replaced hop and a set leaf are one emission, with the outermost cause",
      scopes: ChainScope.transactions, values: [0, 1, 1],
      setUp: {
        $0[0].next = $0[1]
        $0[1].next = $0[2]
      },
      paths: [{ $0.next.next.value }],
      steps: [
        Step(
          sets: {
            $0[1].next?.value = 2
            $0[1].next = ChainItem(3)
            $0[0].next = ChainItem(4, next: ChainItem(4))
            $0[0].next?.next?.value = 5
            $0[0].next?.next = ChainItem(6)
          }, values: [6], causes: [.hopReplaced(0)]),
        Step(
          sets: {
            $0[0].next?.next?.value = 7
            $0[0].next?.next = ChainItem(8)
          }, values: [8], causes: [.hopReplaced(1)]),
        Step(
          sets: { for value in 9...10 { $0[0].next?.next?.value = value } }, values: [10],
          causes: [.set]),
        Step(
          sets: {
            $0[0].next?.next?.value = 11
            $0[0].next = nil
          }, values: [nil], causes: [.hopBecameNil(0)]),
        Step(
          sets: {
            $0[0].next = ChainItem(12, next: ChainItem(12))
            $0[0].next = nil
          }, values: [], causes: []),
      ]),
    ChainRow(
      name: "D37: a hop that is restored emits an equal value at most, and a broken path one nil",
      values: [0, 1],
      setUp: { $0[0].next = $0[1] },
      paths: [{ $0.next.value }],
      steps: [
        Step(
          sets: {
            $0[0].next = nil
            $0[0].next = ChainItem(2)
            $0[0].next = $0[1]
          }, values: [1]),
        Step(
          sets: {
            $0[0].next = nil
            $0[0].next = $0[1]
            $0[1].value = 2
          }, values: [2]),
        Step(
          sets: {
            $0[1].value = 3
            $0[0].next = ChainItem(2)
            $0[0].next = nil
          }, values: [nil]),
        Step(sets: { $0[0].next = $0[1] }, values: [3]),
      ]),
    ChainRow(
      name: "D37: an object that dies on the way is not seen, behind a weak hop",
      values: [0, 1, 2, 3],
      setUp: { $0[0].peer = $0[1] },
      paths: [{ $0.peer.value }],
      steps: [
        Step(
          sets: {
            $0.items[1] = nil
            $0[0].peer = $0[2]
          }, values: [2]),
        Step(sets: { $0[0].peer = $0[3] }, values: [3], causes: [.hopReplaced(0)]),
        Step(sets: { $0.items[3] = nil }, values: [nil], causes: [.hopDied(0)]),
      ]),
    ChainRow(
      name: "D37: an object that dies on the way is not seen, behind a strong hop",
      values: [0],
      setUp: { $0[0].next = ChainItem(5) },
      paths: [{ $0.next.value }],
      steps: [
        Step(
          sets: {
            $0[0].next = ChainItem(6)
            $0[0].next = ChainItem(7)
          }, values: [7])
      ]),
    ChainRow(
      name: "D13: a death that no property announces does not count",
      values: [0, 0, 1],
      setUp: {
        $0[0].plain = $0[1]
        $0[1].next = $0[2]
      },
      paths: [{ $0.unannounced.next.value }],
      steps: [
        Step(
          sets: {
            $0[2].value = 2
            $0.items[1] = nil
            $0[2].value = 3
          }, values: [3]),
        Step(sets: { $0[2].value = 4 }, values: [4]),
      ]),
    ChainRow(
      name: "D37: an evaluation in a delivery does not follow an object that died in the batch",
      scopes: [.alone, .batch], values: [0, 0],
      setUp: { $0[0].next = ChainItem() },
      paths: [{ $0.next.derivedDouble }, { $0.next.double }],
      steps: [
        Step(sets: { $0[0].next = $0[1] }, values: [0]),
        Step(sets: { $0[1].value = 2 }, values: [4]),
      ]),
    ChainRow(
      name: "A derived leaf of an object that takes the place of another is followed",
      scopes: [.alone], values: [0, 0],
      setUp: { $0[0].next = ChainItem() },
      paths: [{ $0.next.derivedDouble }],
      steps: (1...4).map { round in
        Step(
          sets: {
            $0[0].next = ChainItem()
            $0[0].next = $0[1]
            $0[1].value = round
          }, values: [0, 2 * round - 2, 2 * round])
      }),
    ChainRow(
      name: "D37: a computed hop and a stored leaf are one emission",
      values: [0, 1, 2],
      setUp: { ($0[0].next, $0[0].other) = ($0[1], $0[2]) },
      paths: [{ $0.computed.value }, { $0.derived.value }],
      steps: computedHop(factor: 1)),
    ChainRow(
      name: "D37: a computed hop and a computed leaf are one emission",
      values: [0, 1, 2],
      setUp: { ($0[0].next, $0[0].other) = ($0[1], $0[2]) },
      paths: [{ $0.computed.double }, { $0.computed.derivedDouble }, { $0.derived.double }],
      steps: computedHop(factor: 2)),
    ChainRow(
      name: "D37: the leaf behind a hop that an observer flips back is emitted, and bound",
      values: [0, 1, 9, 0],
      setUp: { graph in
        (graph[0].next, graph[0].other) = (graph[1], graph[2])
        graph[0].bind({ $0.derived.value }, to: graph[3], \.value).disposed(by: graph.bag)
        graph[1].observe(\.value, options: .new)
          .subscribe(onNext: { [unowned root = graph[0]] _ in root.flag = false })
          .disposed(by: graph.bag)
      },
      paths: [{ $0.derived.value }],
      steps: [
        Step(
          sets: {
            $0[0].flag = true
            $0[1].value = 2
          }, values: [2], condition: { $0[3].value == 2 })
      ]),
    ChainRow(
      name: "The leaf behind a hop that is flipped back while a set settles is emitted",
      scopes: [.alone], values: [0, 1, 9],
      setUp: { graph in
        (graph[0].next, graph[0].other) = (graph[1], graph[2])
        graph[0].observe(\.sum, options: .new).subscribe(onNext: { [unowned graph] _ in
          guard !graph[0].flag else { return }
          batchUpdates {
            graph[0].flag = true
            graph[1].value = 50
          }
          graph[0].flag = false
        }).disposed(by: graph.bag)
      },
      paths: [{ $0.derived.value }],
      steps: [Step(sets: { $0[2].value = 10 }, values: [50])]),
    ChainRow(
      name: "The death of an object that is replaced is not emitted, whatever the kind of the hop",
      values: [0],
      setUp: {
        $0[0].next = ChainItem(1)
        $0[0].box.item = ChainItem(1)
      },
      paths: [
        { $0.next.value }, { $0.computed.value }, { $0.derived.value }, { $0.box.item.value },
      ],
      steps: [
        Step(
          sets: {
            $0[0].next = ChainItem(2)
            $0[0].box = ChainItem.Box(item: ChainItem(2))
          }, values: [2], causes: [.hopReplaced(0)])
      ]),
    ChainRow(
      name: "A member of a struct is a hop, replaced in place",
      scopes: [.alone, .batch], values: [0],
      setUp: { $0[0].box.item = ChainItem(1) },
      paths: [{ $0.box.item.value }],
      steps: [
        Step(sets: { $0[0].box.item = ChainItem(3) }, values: [3], causes: [.hopReplaced(0)])
      ]),
    ChainRow(
      name: "A leaf that moves its own hop is not emitted from the branch that is left",
      scopes: [.alone, .batch], values: [0, 10, 5],
      setUp: { ($0[0].next, $0[0].other) = ($0[1], $0[2]) },
      paths: [{ $0.larger.value }],
      steps: [
        Step(sets: { $0[1].value = 1 }, values: [5]),
        Step(sets: { $0[2].value = 7 }, values: [7]),
      ]),
    ChainRow(
      name: "D37: a later hop that others observe is not followed before an earlier one",
      values: [0, 1, 2, 10, 20, 30],
      setUp: laterHop,
      paths: [{ $0.computed.derived.value }],
      steps: [Step(sets: flipBoth, values: [30])]),
    ChainRow(
      name: "D37: a derived leaf that others observe is not followed before an earlier hop",
      values: [0, 1, 2, 10, 20, 30],
      setUp: laterHop,
      paths: [{ $0.computed.derivedDouble }],
      steps: [Step(sets: flipBoth, values: [4])]),
    ChainRow(
      name: "A branch that is left is not emitted while observers of the hop are called",
      scopes: [.alone, .batch], values: [0, 1, 100],
      setUp: { graph in
        graph[0].next = graph[1]
        for path in [\ChainItem.next, \.nearest, \.derived, \.computed] {
          graph[0].observe(path).subscribe(onNext: { [unowned graph] in
            if $0 === graph[2] { graph[1].value = 8 }
          }).disposed(by: graph.bag)
        }
      },
      paths: [
        { $0.next.value }, { $0.nearest.value }, { $0.derived.value }, { $0.computed.value },
      ],
      steps: [Step(sets: { $0[0].next = $0[2] }, values: [100])]),
  ]

  private static func computedHop(factor: Int) -> [Step] {
    [
      Step(
        sets: {
          $0[1].value = 5
          $0[0].flag = true
          $0[2].value = 6
        }, values: [6 * factor]),
      Step(
        sets: {
          $0[2].value = 7
          $0[0].flag = false
          $0[0].flag = true
        }, values: [7 * factor]),
      Step(
        sets: {
          ($0[0].next, $0[0].other) = (nil, nil)
          $0[0].flag = false
        }, values: [nil]),
    ]
  }

  private static let laterHop: @Sendable (ChainGraph) -> Void = { graph in
    (graph[0].next, graph[0].other) = (graph[1], graph[2])
    (graph[1].next, graph[1].other) = (graph[3], graph[4])
    graph[2].next = graph[5]
    graph[1].observe(\.derived).subscribe().disposed(by: graph.bag)
    graph[1].observe(\.derivedDouble).subscribe().disposed(by: graph.bag)
  }

  private static let flipBoth: @Sendable (ChainGraph) -> Void = {
    $0[1].flag = true
    $0[1].value = 100
    $0[0].flag = true
  }
}
