import Keyline
import TestSupport
import Testing

/// Two one-way bindings that lead back to each other: they come to rest, and the value of a new
/// object on the chain arrives.
@Suite struct OppositeBindingTests {
  final class Nested: ReactiveObject {
    @Observed var text: String
    init(_ text: String) {
      _text = Observed(wrappedValue: text)
      super.init()
    }
  }

  final class Model: ReactiveObject { @Observed var nested: Nested? = Nested("first") }

  final class OppositeView: ReactiveObject { @Observed var text = "" }

  @Test(
    "A stream into a chain, and the chain back: a new object keeps its value",
    arguments: [true, false])
  func aStreamIntoAChainAndTheChainBack(isStreamFirst: Bool) {
    Reports.collect()
    let (model, view) = (Model(), OppositeView())
    let stream = { view.observe(\.text, options: .new).bind(to: model) { $0.nested.text } }
    if isStreamFirst { _ = stream() }
    model.bind({ $0.nested.text }, to: view, \.text)
    if !isStreamFirst { _ = stream() }
    view.text = "typed"
    #expect(model.nested?.text == "typed")
    model.nested = Nested("second")
    #expect(view.text == "second" && model.nested?.text == "second")
    view.text = "typed again"
    #expect(model.nested?.text == "typed again")
    #expect(Reports.about("Nested").isEmpty && Reports.about("OppositeView").isEmpty)
  }

  final class Part: PropertyObservable {
    let properties = PropertyRegistry()
    @Observed var text = ""
    @Observed var next: Part?
    @WeakObserved var weakNext: Part?
    init(_ text: String) { self.text = text }
  }

  /// Each way in, with each way back, in both orders.
  @Test(
    "Whatever leads into a chain and back, a new object keeps its value", arguments: [true, false])
  func whateverLeadsIntoAChainAndBack(isInFirst: Bool) throws {
    Reports.collect()
    typealias Way = (Part, Part) throws -> Void
    let ways: [Way] = [
      { $0.observe(\.text).bind(to: $1) { $0.next.text } },
      { $0.observe(\.text, options: .new).bind(to: $1) { $0.weakNext.text } },
      { part, model in
        let relay = PublishRelay<String>()
        _ = part.observe(\.text, options: .new).bind(to: relay)
        relay.bind(to: model) { $0.next.text }
      },
      { part, model in
        let end = try model.targetChain(String.self, "next.text")
        part.observe(\.text, options: .new).bind(to: model) { _ in end }
      },
    ]
    let waysBack: [Way] = [
      { $1.bind({ $0.next.text }, to: $0, \.text) },
      { $1.bind({ $0.weakNext.text }, to: $0, \.text) },
      { part, model in
        let end = try model.chain(String.self, "next.text")
        model.bind({ _ in end }, to: part, \.text)
      },
    ]
    for (way, wayBack) in ways.flatMap({ way in waysBack.map { (way, $0) } }) {
      let (view, model) = (Part(""), Part("model"))
      func lead(to part: Part?) {
        batchUpdates { (model.next, model.weakNext) = (part, part) }
      }
      let (first, second) = (Part("first"), Part("second"))
      lead(to: first)
      if isInFirst { try way(view, model) }
      try wayBack(view, model)
      if !isInFirst { try way(view, model) }
      view.text = "typed"
      #expect(first.text == "typed")
      lead(to: second)
      #expect(view.text == "second" && second.text == "second")
      lead(to: nil)
      lead(to: first)
      #expect(view.text == "typed" && first.text == "typed")
      view.text = "again"
      #expect(first.text == "again")
    }
    #expect(Reports.about("Part").isEmpty)
  }

  @Test("A property into a chain, and the chain back, come to rest without a report")
  func aPropertyIntoAChainAndTheChainBackComeToRest() {
    Reports.collect()
    let (model, view) = (Model(), OppositeView())
    var count = 0
    model.bind({ $0.nested.text }, to: view, \.text)
    view.bind(\.text, to: model) { $0.nested.text }
    view.observe(\.text, options: .new) { _ in count += 1 }
    view.text = "typed"
    #expect(model.nested?.text == "typed" && count == 2)
    model.nested?.text = "of the model"
    #expect(view.text == "of the model" && count <= 4)
    #expect(Reports.about("Nested").isEmpty && Reports.about("OppositeView").isEmpty)
  }
}
