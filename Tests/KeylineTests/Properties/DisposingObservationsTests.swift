import Keyline
import KeylineTest
import TestSupport
import Testing

/// Subscriptions, bindings and rules that are disposed together, of which the first one sets properties:
/// none of the others receives anything, and nothing is evaluated for them.
@Suite struct DisposingObservationsTests {
  final class Model: ReactiveObject {
    @Observed var name = "a"
    @Observed var number = 0
    @Observed var limit = 10
    @Observed var child: Model?
    @Derived({ (self: Model) in self.number * 2 }) var doubled: Int
    let items: ObservableArray<Model> = []

    var label: String { "\(name) \(number)" }

    func change() {
      name += "b"
      number += 1
      limit += 1
      child?.number += 1
      child = Model()
      items.append(Model())
      items[0].number += 1
    }
  }

  let model = Model()
  let form = Model()
  let log = Log<String>()

  init() {
    model.child = Model()
    model.items.append(Model())
  }

  /// Subscriptions of every kind, which record each call.
  private func subscriptions() -> [(name: String, subscription: any Disposable)] {
    let (model, form, log) = (model, form, log)
    func record<Value>(_ name: String) -> (Value) -> Void { { _ in log.append(name) } }
    let converter = BindingConverter<String, String>(
      forward: { text in
        log.append("forward")
        return text
      },
      backward: { text in
        log.append("backward")
        return text
      })
    let view = model.items.filtered {
      log.append("view")
      return $0.number >= 0
    }
    return [
      ("observe", model.observe(\.name, record("observe"))),
      ("computed", model.observe(\.label, record("computed"))),
      ("tuple", model.observe(\.name, \.number) { _, _ in log.append("tuple") }),
      ("derived", model.observe(\.doubled, record("derived"))),
      ("map", model.$name.map(record("map")).share().subscribe()),
      ("changes", model.observeChanges(\.name, options: [.prior, .new], record("changes"))),
      ("chain", model.observeWeakly({ $0.child.number }, onNext: record("chain"))),
      ("sets", model.observeChangeSets().subscribe(onNext: record("sets"))),
      (
        "tracking",
        Observable.tracking {
          log.append("tracking")
          return model.number
        }.subscribe()
      ),
      ("array", model.items.changes.subscribe(onNext: record("array"))),
      ("view", view.changes.subscribe(onNext: { [view] _ in log.append("\(view.count)") })),
      (
        "elements",
        model.items.observeElements(\.number).subscribe(onNext: record("elements"))
      ),
      ("binding", model.bind(\.name, to: form, \.name, converter: converter)),
      ("two ways", model.bind(\.name, to: form, \.name, mode: .twoWay, converter: converter)),
      (
        "rule",
        model.validate(\.number) { model, number in
          log.append("rule")
          return number > model.limit ? .coerced(model.limit) : .valid
        }
      ),
    ]
  }

  @Test("Nothing is received or evaluated for later members of a group")
  func nothingIsReceivedOrEvaluatedForLaterMembersOfAGroup() {
    for index in 0..<15 {
      let all = subscriptions()
      #expect(all.count == 15)
      let (name, later) = all[index]
      for (other, entry) in all.enumerated() where other != index { entry.subscription.dispose() }
      _ = log.take()
      model.change()
      #expect(log.take() != [], "\(name)")
      let first = Disposables.create { [model] in model.change() }
      Disposables.create(first, Disposables.create(), later).dispose()
      #expect(log.take() == [], "\(name)")
    }
  }

  @Test("Nothing is received or evaluated for the members of a bag that is released")
  func nothingIsReceivedOrEvaluatedForTheMembersOfABagThatIsReleased() {
    var bag: DisposeBag? = DisposeBag()
    bag?.insert(Disposables.create { [model] in model.change() })
    bag?.insert(subscriptions().map(\.subscription))
    _ = log.take()
    bag = nil
    log.expect([])
  }

  final class Owner: ReactiveObject {
    @Observed var number = 0
    let bag = DisposeBag()
    private var view: LiveArray<Model>?

    /// Sets the model when it is released.
    final class Setter {
      let model: Model
      init(_ model: Model) { self.model = model }
      deinit { model.change() }
    }

    init(_ model: Model) {
      super.init()
      let setter = Setter(model)
      Model().observe(\.name) { _ in _ = setter }.disposed(by: bag)
      model.observe(\.number) { [unowned self] in number = $0 }.disposed(by: bag)
      Observable.tracking { [unowned self] in model.number + number }.subscribe()
        .disposed(by: bag)
      let view = model.items.filtered { [unowned self] in $0.number >= number }
      self.view = view
      view.changes.subscribe().disposed(by: bag)
      model.validate(\.number) { [unowned self] _, new in new < number ? .coerced(0) : .valid }
        .disposed(by: bag)
    }
  }

  @Test("Closures with an unowned owner are not called while the owner dies")
  func closuresWithAnUnownedOwnerAreNotCalledWhileTheOwnerDies() async {
    await #expect(processExitsWith: .success) {
      let model = Model()
      model.items.append(Model())
      _ = Owner(model)
      model.change()
    }
  }
}
