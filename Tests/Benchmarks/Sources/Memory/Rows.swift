import Keyline
import OpenCombine

// The kinds of items, with the bars of the design; a bar that is not reached yet has the figure of
// today beside it.

extension Row {
  static func all(_ count: Int) -> [Row] {
    observers(count) + bindings(count) + chains(count) + others(count)
  }

  private static func observers(_ count: Int) -> [Row] {
    [
      Row(
        name: "model of 10, unobserved", bar: 224,
        columns: [
          .keyline: { each(count, {}) { Ten() } },
          .openCombine: { each(count, {}) { SubjectTen() } },
          .published: { each(count, {}) { PublishedTen() } },
          .observation: { each(count, {}) { TrackedTen() } },
        ]),
      Row(
        name: "first observer", bar: 480, rxSwift: 752,
        columns: [
          .keyline: { each(count, Ten.init) { observeCount($0) } },
          .openCombine: { each(count, SubjectTen.init) { $0.count.sink { consume($0) } } },
          .published: { each(count, PublishedTen.init) { $0.$count.sink { consume($0) } } },
          .observation: { each(count, TrackedTen.init) { model in track { model.count } } },
        ]),
      Row(
        name: "second property", bar: 420,
        columns: [
          .keyline: {
            each(count, { observed(Ten(), observeCount) }) { model in
              model.observe(\.total).subscribe(onNext: { consume($0) }) as AnyObject
            }
          },
          .openCombine: {
            each(count, { observed(SubjectTen()) { $0.count.sink { consume($0) } } }) {
              $0.total.sink { consume($0) }
            }
          },
          .published: {
            each(count, { observed(PublishedTen()) { $0.$count.sink { consume($0) } } }) {
              $0.$total.sink { consume($0) }
            }
          },
          .observation: {
            each(count, { observed(TrackedTen()) { model in track { model.count } } }) { model in
              track { model.total }
            }
          },
        ]),
      Row(
        name: "further observer", bar: 282,
        columns: [
          .keyline: { each(count, { observed(Ten(), observeCount) }) { observeCount($0) } },
          .openCombine: {
            each(count, { observed(SubjectTen()) { $0.count.sink { consume($0) } } }) {
              $0.count.sink { consume($0) }
            }
          },
          .published: {
            each(count, { observed(PublishedTen()) { $0.$count.sink { consume($0) } } }) {
              $0.$count.sink { consume($0) }
            }
          },
        ]),
    ]
  }

  private static func bindings(_ count: Int) -> [Row] {
    [
      Row(
        name: "one-way binding, fresh pair", bar: 1200, rxSwift: 608,
        columns: [
          .keyline: { each(count, { (Ten(), Ten()) }) { bindCount($0, to: $1) } },
          .openCombine: {
            each(count, { (SubjectTen(), SubjectTen()) }) { source, target in
              source.count.sink { [weak target] in target?.count.value = $0 }
            }
          },
          .published: {
            each(count, { (PublishedTen(), PublishedTen()) }) { source, target in
              source.$count.assign(to: &target.$count)
              return nil
            }
          },
        ]),
      Row(
        name: "one-way binding, second of the pair", bar: 800,
        columns: [
          .keyline: {
            each(count, { observed((Ten(), Ten())) { bindCount($0, to: $1) } }) { source, target in
              bind(source, to: target)
            }
          },
          .openCombine: {
            each(
              count,
              {
                observed((SubjectTen(), SubjectTen())) { source, target in
                  source.count.sink { [weak target] in target?.count.value = $0 }
                }
              },
              { source, target in source.total.sink { [weak target] in target?.total.value = $0 } })
          },
        ]),
      Row(
        name: "one-way binding, ends known", bar: 600,
        columns: [
          .keyline: {
            each(count, { (observed(Ten(), observeCount), observed(Ten(), observeCount)) }) {
              bindCount($0, to: $1)
            }
          }
        ]),
      Row(
        name: "two-way with converter, fresh pair", bar: 1600, rxSwift: 2032,
        columns: [
          .keyline: {
            each(count, { (Ten(), Ten()) }) { source, target in
              source.bind(\.count, to: target, \.title, mode: .twoWay, converter: .decimal)
              return nil
            }
          },
          .openCombine: {
            each(count, { (SubjectTen(), SubjectTen()) }) { source, target in
              let forward = source.count.sink { [weak target] in
                let text = $0.description
                if let target, target.title.value != text { target.title.value = text }
              }
              let backward = target.title.sink { [weak source] in
                guard let source, let value = Int($0) else { return }
                if source.count.value != value { source.count.value = value }
              }
              return [forward, backward] as AnyObject
            }
          },
        ]),
      Row(
        name: "one-way binding, kept by the program", bar: 1200,
        columns: [
          .keyline: {
            each(count, { (Ten(), Ten()) }) { source, target in
              source.bind(\.count, to: target, \.count)
            }
          }
        ]),
      Row(
        name: "stream bound to a property", bar: 1200,
        columns: [
          .keyline: {
            each(count, { (PublishSubject<Int>(), Ten()) }) { subject, target in
              subject.bind(to: target, \.count)
            }
          }
        ]),
    ]
  }

  private static func chains(_ count: Int) -> [Row] {
    [
      Row(
        name: "chain of 3, observed", bar: 1570, tolerated: 1950,
        columns: [
          .keyline: { each(count, Root.init) { observeChain($0) } },
          .openCombine: { each(count, SubjectRoot.init) { $0.observeChain() } },
          .observation: {
            each(count, TrackedRoot.init) { root in track { root.middle?.leaf?.count ?? 0 } }
          },
        ]),
      Row(
        name: "chain of 3, second observer", bar: 900, tolerated: 1020,
        columns: [
          .keyline: { each(count, { observed(Root(), observeChain) }) { observeChain($0) } },
          .openCombine: {
            each(count, { observed(SubjectRoot()) { $0.observeChain() } }) { $0.observeChain() }
          },
        ]),
      Row(
        name: "chain of 3, bound", bar: 2400, tolerated: 2980,
        columns: [
          .keyline: {
            each(count, { (Root(), Ten()) }) { root, target in
              root.bind({ $0.middle.leaf.count }, to: target, \.count)
              return nil
            }
          }
        ]),
      Row(
        name: "chain of 3 as a target", bar: 2400, tolerated: 3030,
        columns: [
          .keyline: {
            each(count, { (Ten(), Root()) }) { source, root in
              source.bind(\.count, to: root, { $0.middle.leaf.count })
              return nil
            }
          }
        ]),
    ]
  }

  private static func others(_ count: Int) -> [Row] {
    [
      Row(
        name: "derived value, observed", bar: 1100,
        columns: [
          .keyline: {
            each(count, DerivedPair.init) { pair in
              pair.observe(\.sum).subscribe(onNext: { consume($0) }) as AnyObject
            }
          },
          .observation: { each(count, TrackedTen.init) { model in track { model.sum } } },
        ]),
      Row(
        name: "derived value, read once", bar: 900,
        columns: [
          .keyline: {
            each(count, DerivedPair.init) { pair in
              consume(pair.sum)
              return nil
            }
          }
        ]),
      Row(
        name: "change sets of a model of 10", bar: 2400, tolerated: 3650,
        columns: [
          .keyline: {
            each(count, Ten.init) { model in
              model.observeChangeSets().subscribe(onNext: { consume($0.count) }) as AnyObject
            }
          },
          .published: {
            each(count, PublishedTen.init) { model in
              model.objectWillChange.sink { consume(1) }
            }
          },
        ]),
      Row(
        name: "rule", bar: 800, tolerated: 1550,
        columns: [
          .keyline: {
            each(count, Ten.init) { model in
              model.validate(\.count) { _, value in value < 0 ? .coerced(0) : .valid }
            }
          }
        ]),
      Row(
        name: "element of a filtered view", bar: 480, tolerated: 650,
        columns: [
          .keyline: { view(count) { $0.filtered { $0.isOn } } }
        ]),
      Row(
        name: "element of a sorted view", bar: 560, tolerated: 780,
        columns: [
          .keyline: { view(count) { $0.sorted { $0.count < $1.count } } }
        ]),
      Row(
        name: "subject with one subscriber", bar: 435, rxSwift: 657,
        columns: [
          .keyline: {
            each(count, {}) {
              let subject = PublishSubject<Int>()
              _ = subject.subscribe(onNext: { consume($0) })
              return subject
            }
          },
          .openCombine: {
            each(count, {}) {
              let subject = PassthroughSubject<Int, Never>()
              return subject.sink { [subject] in
                consume($0)
                withExtendedLifetime(subject) {}
              }
            }
          },
        ]),
      Row(
        name: "relay with one subscriber", bar: 513, rxSwift: 673,
        columns: [
          .keyline: {
            each(count, {}) {
              let relay = BehaviorRelay(value: 0)
              _ = relay.subscribe(onNext: { consume($0) })
              return relay
            }
          },
          .openCombine: {
            each(count, {}) {
              let subject = CurrentValueSubject<Int, Never>(0)
              return subject.sink { [subject] in
                consume($0)
                withExtendedLifetime(subject) {}
              }
            }
          },
        ]),
    ]
  }

  private static func view(
    _ count: Int, _ make: (ObservableArray<Ten>) -> LiveArray<Ten>
  ) -> Figures {
    let array = ObservableArray((0..<count).map { _ in Ten() })
    var kept: (view: LiveArray<Ten>, observer: any Disposable)?
    let figures = together(count) {
      let view = make(array)
      kept = (view, view.changes.subscribe(onNext: { consume($0.count) }))
    }
    withExtendedLifetime((array, kept)) {}
    return figures
  }
}

/// `item`, observed; the observer lives as long as the program.
private func observed<Item>(_ item: Item, _ observe: (Item) -> AnyObject?) -> Item {
  if let observer = observe(item) { _ = Unmanaged.passRetained(observer) }
  return item
}

@inline(never) private func observeCount(_ model: Ten) -> AnyObject? {
  model.observe(\.count).subscribe(onNext: { consume($0) }) as AnyObject
}

@inline(never) private func observeChain(_ root: Root) -> AnyObject? {
  root.observeWeakly { $0.middle.leaf.count }.subscribe(onNext: { consume($0 ?? 0) }) as AnyObject
}

@inline(never) private func bindCount(_ source: Ten, to target: Ten) -> AnyObject? {
  source.bind(\.count, to: target, \.count)
  return nil
}

@inline(never) private func bind(_ source: Ten, to target: Ten) -> AnyObject? {
  source.bind(\.total, to: target, \.total)
  return nil
}
