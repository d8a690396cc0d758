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
