import Keyline
import TestSupport
import Testing

/// The spellings that users of KVO, Combine, SwiftUI and RxSwift type first, each beside its longer form.
@Suite struct SpellingTests {
  private final class Line: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var price = 1.0
    @Observed var nick: String?
    @Observed var tags: [String] = []
    @WeakObserved var manager: Line?
    @Observed private(set) var status = ""
    let items = ObservableArray([7, 7])
    var label: String { "\(name) \(price)" }
    @Derived({ (self: Line) in self.price * 2 }) var total: Double

    func follow(_ stream: Observable<String>) { stream.assign(to: \.status, of: self) }
  }

  private final class Form: ReactiveObject {
    @Observed var text = ""
    @Observed var title: String?
    @Observed var amount = ""
    @Observed var isOpen = false
  }

  @Test("Twenty lines as they are typed") func twentyLinesAsTheyAreTyped() async {
    let (line, form, log) = (Line(), Form(), Log<String>())
    let chief = Line()
    let bag = DisposeBag()
    func show(_ text: some Any) { log.elements.append("\(text)") }

    // observe(\.name).subscribe(onNext:)
    line.observe(\.name) { show($0) }
    // observe(\.name, \.price).subscribe(onNext:)
    line.observe(\.name, \.price) { show("\($0) \($1)") }
    // observe(\.label).subscribe(onNext:)
    line.observe(\.label, options: .new) { show("label \($0)") }
    // observeChanges(\.name).subscribe(onNext:)
    line.observeChanges(\.name) { show("from \($0.old ?? "") to \($0.new ?? "")") }
    // observeWeakly { … }.subscribe(onNext:)
    line.observeWeakly({ $0.manager.name }, onNext: { show($0 ?? "nobody") })
    // observeChanges { … }.subscribe(onNext:)
    line.observeChanges({ $0.manager.name }, onNext: { show($0.cause) })
    // observe(\.name).map(\.count).distinctUntilChanged()
    line.$name.map(\.count).distinctUntilChanged().subscribe(onNext: { show($0) })
      .disposed(by: bag)
    // observe(\.manager).distinctUntilChanged(===)
    line.$manager.distinctUntilChanged().subscribe(onNext: { show($0 === chief) })
      .disposed(by: bag)
    // observe(\.price).scan(…)
    line.$price.withPrevious().subscribe(onNext: { show($0.current - $0.previous) })
      .disposed(by: bag)
    // bind(\.name, to: form, \.text, mode: .oneWay)
    line.bind(\.name, to: form, \.text)
    // bind(\.name, to: form, \.title, converter: .wrapped)
    line.bind(\.name, to: form, \.title)
    // two subscriptions, and a flag against echoes
    line.bind(\.price, to: form, \.amount, mode: .twoWay, converter: .decimal)
    // observeWeakly { … }.compactMap { $0 }.bind(to:)
    line.bind({ $0.manager.name }, to: form, \.title, converter: .wrapped, whenBroken: .value(nil))
    // observe(\.label).subscribe(onNext: { form.text = $0 })
    line.observe(\.label).bind(to: form, \.title)
    // a class of its own with an observer for each property
    Observable.tracking { line.price > 1 }.bind(to: form, \.isOpen)
    // subscribe(onNext: { self.status = $0 })
    line.follow(.just("saved"))
    // two sets, and two deliveries
    batchUpdates {
      line.name = "Grace"
      line.price = 2
    }
    line.manager = chief
    // insert(contentsOf:at:)
    line.items += [1, 2]
    form.amount = "3"
    #expect(line.price == 3 && line.total == 6 && line.status == "saved")
    #expect(form.text == "Grace" && form.title == "Grace 3.0" && form.isOpen)
    #expect(line.items == [7, 7, 1, 2])
    let typed = log.take()
    for text in ["Ada", "Ada 1.0", "from Ada to Grace", "label Grace 2.0", "nobody", "5", "true"] {
      #expect(typed.contains(text), "\(text)")
    }
    // for await value in observe(\.name).values
    for await name in line.values(of: \.name) {
      #expect(name == "Grace")
      break
    }
  }
}
