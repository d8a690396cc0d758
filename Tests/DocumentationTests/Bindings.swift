import Keyline

// snippet
extension BindingConverter where Source == Int, Target == String {
  static var euroText: Self {
    Self(
      forward: { "\($0) €" },
      backward: { text in text.hasSuffix(" €") ? Int(text.dropLast(2)) : nil })
  }
}
// end

enum Bindings: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Bindings.md"
  static let file = #filePath

  static func run() async throws {
    oneWay()
    bothWays()
    converters()
    chainsAsEnds()
    anySequenceIntoAProperty()
    validation()
    messagesAndNormalisedFields()
  }

  // snippet
  final class Model: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var price = 12
    @Observed var nickname: String?
    @WeakObserved var owner: Model?
  }

  final class Form: ReactiveObject {
    @Observed var name = ""
    @Observed var price = ""
  }
  // end

  static func oneWay() {
    // snippet
    let (model, form) = (Model(), Form())
    let binding = model.bind(\.name, to: form, \.name)
    model.name = "Bea"
    print(form.name)
    print(binding.isActive, binding.mode)
    end()
  }

  static func bothWays() {
    // snippet
    let (model, form) = (Model(), Form())
    let binding = model.bind(\.price, to: form, \.price, mode: .twoWay, converter: .decimal)
    _ = binding.errors.subscribe(onNext: { print("refused:", $0) })
    form.price = "15"
    print(model.price)
    form.price = "a lot"
    print(model.price, form.price)
    end()
  }

  static func converters() {
    // snippet
    let (model, form) = (Model(), Form())
    model.bind(\.price, to: form, \.price, mode: .twoWay, converter: .euroText)
    form.price = "20 €"
    form.price = "20 Eu"
    print(model.price, form.price)
    end()
  }

  static func chainsAsEnds() {
    // snippet
    final class Library: ReactiveObject {
      let models = ObservableArray([Model(), Model()])
      @WeakObserved var selection: Model?
    }

    let (library, detail) = (Library(), Form())
    library.bind(
      { $0.selection.name }, to: detail, \.name, mode: .twoWay, whenBroken: .value("(none)"))
    library.selection = library.models[1]
    detail.name = "Grace"
    print(library.models[1].name)
    library.models.removeLast()  // nothing else retains the object
    print(detail.name)
    end()
  }

  static func anySequenceIntoAProperty() {
    do {
      // snippet
      final class Search: ReactiveObject {
        @Observed private(set) var results: [String] = []

        init(_ hits: Observable<[String]>) {
          super.init()
          hits.assign(to: \.results, of: self)
        }
      }

      let hits = PublishSubject<[String]>()
      let search = Search(hits)
      hits.onNext(["Kind of Blue"])
      print(search.results)
      end()
    }
    do {
      // snippet
      let (model, form) = (Model(), Form())
      model.bind(\.name, to: form, \.name, exclusive: true)
      form.name = "Eve"
      print(form.name)
      end()
    }
  }

  static func validation() {
    do {
      // snippet
      enum Mistake: Error { case empty }

      let (model, form) = (Model(), Form())
      model.validate(\.price) { _, price in price < 0 ? .coerced(0) : .valid }
      model.validate(\.name) { _, name in name.isEmpty ? .rejected(Mistake.empty) : .valid }
      let prices = model.bind(\.price, to: form, \.price, mode: .twoWay, converter: .decimal)
      let names = model.bind(\.name, to: form, \.name, mode: .twoWay)
      _ = names.errors.subscribe(onNext: { print($0) })
      form.price = "-3"
      form.name = ""
      print(model.price, form.price, model.name, prices.isActive)
      end()
    }
    do {
      // snippet
      let model = Model()
      let prices = model.validate(\.price) { _, price in price < 0 ? .coerced(0) : .valid }
      _ = prices.results.subscribe(onNext: { print($0) })
      model.price = -3
      end()
    }
  }

  static func messagesAndNormalisedFields() {
    // snippet
    final class PriceField: ReactiveObject {
      @Observed var text = ""
      let ended = PublishRelay<Void>()  // the user has left the field
    }

    let (model, field) = (Model(), PriceField())
    model.bind(\.price, to: field, \.text, converter: .decimal)
    _ = field.ended.subscribe(onNext: { [weak model, weak field] in
      guard let model, let field else { return }
      model.price = Int(field.text).map { min(max($0, 0), 99) } ?? model.price
    })
    field.text = "120 "
    field.ended.accept(())
    print(model.price, field.text)
    field.text = "120"
    field.ended.accept(())
    print(model.price, field.text)
    end()
  }
}
