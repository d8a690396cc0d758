import Keyline

enum BindingProperties: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/BindingProperties.md"
  static let file = #filePath

  static func run() async throws {
    overview()
    bothWays()
    converters()
    chainsAsEnds()
    chainsAsEnds2()
    anySequenceIntoAProperty()
    anySequenceIntoAProperty2()
    exclusiveBindings()
    validation()
    validationResults()
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

  static func overview() {
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
    model.bind(\.price, to: form, \.name, converter: BindingConverter { price in "\(price) €" })
    print(form.name)

    let euros = BindingConverter<Int, String>(
      forward: { "\($0) €" },
      backward: { text in text.hasSuffix(" €") ? Int(text.dropLast(2)) : nil })
    model.bind(\.price, to: form, \.price, mode: .twoWay, converter: euros)
    form.price = "20 €"
    form.price = "20 Eu"
    print(model.price, form.price)
    end()
  }

  static func chainsAsEnds() {
    // snippet
    let (model, form) = (Model(), Form())
    model.bind({ $0.owner.name }, to: form, \.name, whenBroken: .value("nobody"))
    print(form.name)
    var owner: Model? = Model()
    model.owner = owner
    print(form.name)
    owner = nil
    print(form.name)
    end()
  }

  static func chainsAsEnds2() {
    // snippet
    final class Output: ReactiveObject { @Observed var gain = 0 }
    final class Player: ReactiveObject { @Observed var output: Output? }

    let (model, player) = (Model(), Player())
    model.bind(\.price, to: player, { $0.output.gain }, resetOnUnbind: .value(0))
    let first = Output()
    player.output = first
    player.output = Output()
    print(first.gain, player.output?.gain ?? 0)
    end()
  }

  static func anySequenceIntoAProperty() {
    // snippet
    let (model, form) = (Model(), Form())
    model.observe(\.name).map { $0.uppercased() }.bind(to: form, \.name)
    print(form.name)
    end()
  }

  static func anySequenceIntoAProperty2() {
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

  static func exclusiveBindings() {
    // snippet
    let (model, form) = (Model(), Form())
    model.bind(\.name, to: form, \.name, exclusive: true)
    form.name = "Eve"
    print(form.name)
    end()
  }

  static func validation() {
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

  static func validationResults() {
    // snippet
    let model = Model()
    let prices = model.validate(\.price) { _, price in price < 0 ? .coerced(0) : .valid }
    _ = prices.results.subscribe(onNext: { print($0) })
    model.price = -3
    end()
  }
}
