import Keyline
import KeylineDiagnostics
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// `Diagnostics.graph(of:)`, to the letter.
@Suite struct GraphTests {
  private final class Place: ReactiveObject { @Observed var name = "Rome" }

  private final class Person: ReactiveObject {
    @Observed var name: String
    @Observed var home: Place?
    @WeakObserved var friend: Person?
    @Derived({ (self: Person) in self.name.count }) var length: Int
    @Derived({ (self: Person) in self.name.uppercased() }) var heading: String
    @Derived({ (self: Person) in "\(self.heading) (\(self.length))" }) var label: String
    let spare = Place()

    init(_ name: String) { self.name = name }
  }

  private final class Form: ReactiveObject, CustomStringConvertible {
    @Observed var text = ""
    @Observed var city: String?
    let description: String

    init(_ description: String = "form") { self.description = description }
  }

  /// The text, without the numbers of lines.
  private func text(_ objects: any PropertyObservable...) -> String {
    Diagnostics.graph(of: objects).text.replacing(/GraphTests\.swift:\d+/, with: "here")
  }

  @Test("A diamond a two way binding a broken chain and an outdated value")
  func aDiamondATwoWayBindingABrokenChainAndAnOutdatedValue() {
    whileRecording {
      let (ada, bob, form) = (Person("Ada"), Person("Bob"), Form())
      ada.friend = bob
      let bag = DisposeBag()
      ada.observe(\.label).map { $0 + "!" }.subscribe(onNext: { _ in }).disposed(by: bag)
      ada.bind(\.name, to: form, \.text, mode: .twoWay)
      ada.bind({ $0.friend.home.name }, to: form, \.city, converter: .wrapped, exclusive: true)
      ada.observeWeakly { $0.friend.home.name }.subscribe(onNext: { _ in }).disposed(by: bag)
      var outdated = ""
      batchUpdates {
        ada.name = "Adele"
        outdated = text(ada)
      }
      #expect(
        outdated == """
          Person#1
            name = "Adele" → 1 ← 1
            home = nil
            friend = Person#2, weak → 2, 3
            length = 3, derived from Person#1.name, outdated
            heading = "ADA", derived from Person#1.name, outdated
            label = "ADA (3)", derived from Person#1.heading, Person#1.length, outdated → 4
          Person#2 (held from outside)
            name = "Bob"
            home = nil → 2, 3
            friend = nil, weak
            length = not computed, derived
            heading = not computed, derived
            label = not computed, derived
          Form#1 "form" (held from outside)
            text = "Ada" → 1 ← 1
            city = nil ← 2
          1  Person#1.name ⇄ Form#1.text  (two-way, here)
          2  hop 0 Person#1.friend, hop 1 Person#2.home → bind → Form#1.city  \
          (converter wrapped, exclusive, broken at hop 1, here)
          3  hop 0 Person#1.friend, hop 1 Person#2.home → observeWeakly → subscribe  \
          (broken at hop 1, here)
          4  Person#1.label → observe → map → subscribe  (here)

          """)
      #expect(ada.label == "ADELE (5)")
      bob.home = Place()
      #expect(
        text(form) == """
          Form#1 "form"
            text = "Adele" → 1 ← 1
            city = "Rome" ← 2
          Person#1 (held from outside)
            name = "Adele" → 1 ← 1
            home = nil
            friend = Person#2, weak → 2, 3
            length = 5, derived from Person#1.name
            heading = "ADELE", derived from Person#1.name
            label = "ADELE (5)", derived from Person#1.heading, Person#1.length → 4
          Person#2 (held from outside)
            name = "Bob"
            home = Place#1 → 2, 3
            friend = nil, weak
            length = not computed, derived
            heading = not computed, derived
            label = not computed, derived
          Place#1
            name = "Rome" → 2, 3
          1  Person#1.name ⇄ Form#1.text  (two-way, here)
          2  hop 0 Person#1.friend, hop 1 Person#2.home, Place#1.name → bind → Form#1.city  \
          (converter wrapped, exclusive, here)
          3  hop 0 Person#1.friend, hop 1 Person#2.home, hop 2 Place#1.name → observeWeakly \
          → subscribe  (here)
          4  Person#1.label → observe → map → subscribe  (here)

          """)
    }
  }

  /// A binding made while nothing was recorded is still one observation.
  @Test("Bindings that are not recorded have both ends")
  func bindingsThatAreNotRecordedHaveBothEnds() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let (purse, other, worker) = (Purse(), Purse(), Worker("Ada"))
      worker.desk = Desk()
      purse.bind(\.balance, to: other, \.balance, mode: .twoWay)
      purse.bind(\.limit, to: worker, { $0.desk.room }, mode: .twoWay)
      print("[\(Diagnostics.graph(of: purse).text)]")
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let graph = output.split(separator: "[").last?.split(separator: "]").first.map(String.init)
    #expect(
      graph == """
        Purse#1
          balance = 10 → 1 ← 1
          limit = 100 → 2 ← 2
        Purse#2 (held from outside)
          balance = 10 → 1 ← 1
          limit = 100
        Worker#1 (held from outside)
          name = "Ada"
          desk = Desk#1 → 2
          chief = nil, weak
        Desk#1
          room = 100 → 2 ← 2
        1  Purse#1.balance ⇄ Purse#2.balance  (two-way)
        2  Purse#1.limit ⇄ hop 0 Worker#1.desk, Desk#1.room  (two-way)

        """)
  }

  @Test("A ring of bindings shows in the arrows") func aRingOfBindingsShowsInTheArrows() {
    whileRecording {
      let forms = (0..<5).map { Form("\($0)") }
      forms[0].bind(\.text, to: forms[1], \.text)
      forms[1].bind(\.text, to: forms[2], \.text, mode: .oneTime)
      forms[1].bind(\.text, to: forms[2], \.text, converter: .identity)
      forms[2].bind(\.text, to: forms[0], \.text, mode: .twoWay)
      forms[2].bind(\.text, to: forms[3], \.text)
      forms[2].bind(\.text, to: forms[4], \.text, mode: .twoWay)
      let graph = Diagnostics.graph(of: forms)
      #expect(
        graph.observations.map { $0.mode.map { "\($0)" } } == [
          "oneWay", "twoWay", "oneWay", "oneWay", "twoWay",
        ])
      #expect(
        graph.text.replacing(/GraphTests\.swift:\d+/, with: "here") == """
          Form#1 "0"
            text = "" → 1, 2 ← 2
            city = nil
          Form#2 "1"
            text = "" → 3 ← 1
            city = nil
          Form#3 "2"
            text = "" → 2, 4, 5 ← 2, 3, 5
            city = nil
          Form#4 "3"
            text = "" ← 4
            city = nil
          Form#5 "4"
            text = "" → 5 ← 5
            city = nil
          1  Form#1.text → bind → Form#2.text  (here)
          2  Form#3.text ⇄ Form#1.text  (two-way, here)
          3  Form#2.text → bind → Form#3.text  (here)
          4  Form#3.text → bind → Form#4.text  (here)
          5  Form#3.text ⇄ Form#5.text  (two-way, here)

          """)
    }
  }

  @Test("An object that only a closure retains is held from outside")
  func whatOnlyAClosureRetainsIsHeldFromOutside() {
    whileRecording {
      let ada = Person("Ada")
      let bag = DisposeBag()
      do {
        let row = Form("row")
        ada.observe(\.name).subscribe(onNext: { row.text = $0 }).disposed(by: bag)
        ada.bind(\.name, to: row, \.city)
        ada.home = Place()
        ada.home?.observe(\.name).subscribe(onNext: { _ in }).disposed(by: bag)
      }
      let graph = Diagnostics.graph(of: ada)
      #expect(graph.objects.filter(\.isHeldFromOutside).map(\.id) == ["Form#1"])
      #expect(graph["Place#1"]?.isHeldFromOutside == false)
      #expect(graph["Person#1"]?.isRoot == true)
    }
  }

  @Test("Observations that were not recorded have no names") func whatIsNotRecordedHasNoNames()
    async
  {
    await #expect(processExitsWith: .success) {
      let (ada, form) = (Person("Ada"), Form())
      ada.friend = Person("Bob")
      let bag = DisposeBag()
      ada.observe(\.name).map(\.count).subscribe(onNext: { _ in }).disposed(by: bag)
      ada.bind(\.name, to: form, \.text)
      ada.observeWeakly { $0.friend.home.name }.subscribe(onNext: { _ in }).disposed(by: bag)
      let text = Diagnostics.graph(of: ada).text
      #expect(
        text == """
          Person#1
            name = "Ada" → 1, 2
            home = nil
            friend = nil, weak → 3
            length = not computed, derived
            heading = not computed, derived
            label = not computed, derived
          Form#1 "form" (held from outside)
            text = "Ada" ← 2
            city = nil
          1  Person#1.name → observer
          2  Person#1.name → binding → Form#1.text
          3  hop 0 Person#1.friend → observer  (broken at hop 0)

          """, "\(text)")
      let whole = Diagnostics.graph(of: ada, form).text
      #expect(
        whole.hasSuffix(
          "2  Person#1.name → binding → Form#1.text\n3  hop 0 Person#1.friend → observer  (broken at hop 0)\n"
        ))
    }
  }

  @Test("A binding of a stream leads to its target") func aBindingOfAStreamLeadsToItsTarget() {
    whileRecording {
      let form = Form()
      let texts = PublishRelay<String>()
      texts.asObservable().map { $0 + "!" }.bind(to: form, \.text)
      texts.accept("a")
      #expect(text(form).hasSuffix("1  subject → map → bind → Form#1.text  (here)\n"))
    }
  }

  @Test("Values are read in their storage") func valuesAreReadInTheirStorage() {
    final class Wide: ReactiveObject {
      @Observed var text = String(repeating: "a", count: 60)
      @Observed var lines = "one\ntwo"
      @Observed var numbers = Array(0..<100_000)
      @Observed var nested: Int?? = .some(nil)
      @Observed var people: [Form] = [Form("a"), Form("b")]
      let array = ObservableArray([Form("c")])
      private(set) var reads = 0
      var count: Int {
        reads += 1
        return numbers.count
      }
      @Derived({ (self: Wide) in self.count }) var derived: Int
    }
    whileRecording {
      let wide = Wide()
      let bag = DisposeBag()
      wide.people[1].observe(\.text).subscribe(onNext: { _ in }).disposed(by: bag)
      wide.array[0].observe(\.text).subscribe(onNext: { _ in }).disposed(by: bag)
      wide.observe(\.count).subscribe(onNext: { _ in }).disposed(by: bag)
      let reads = wide.reads
      #expect(
        text(wide) == """
          Wide#1
            text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
            lines = "one\\ntwo"
            numbers = [0, 1, 2, … 99997 more] → 1
            nested = nil
            people = [Form, Form#1]
            array = ObservableArray<Form>#1
            derived = not computed, derived
          Form#1 "b"
            text = "" → 2
            city = nil
          ObservableArray<Form>#1
            elements = [Form#2]
          Form#2 "c"
            text = "" → 3
            city = nil
          1  Wide#1.numbers → observe → subscribe  (here)
          2  Form#1.text → observe → subscribe  (here)
          3  Form#2.text → observe → subscribe  (here)

          """)
      #expect(wide.reads == reads)
      // Nothing that the graph shows counts as read by an evaluation under way.
      let (other, graphs) = (Form("other"), Log<Int>())
      graphs.follow(
        .tracking {
          _ = other.text
          return Diagnostics.graph(of: wide).objects.count
        })
      wide.lines = "three"
      #expect(graphs.take().count == 1)
      other.text = "c"
      #expect(graphs.take().count == 1)
    }
  }

  @Test("Many observations are a linear number of steps")
  func manyObservationsAreALinearNumberOfSteps() {
    func duration(_ count: Int) -> Duration {
      let forms = (0..<count).map { Form("\($0)") }
      let bag = DisposeBag()
      return ContinuousClock().measure {
        for (form, next) in zip(forms, forms.dropFirst()) {
          form.observe(\.text).map { $0 }.subscribe(onNext: { _ in }).disposed(by: bag)
          form.bind(\.text, to: next, \.text)
        }
        let graph = Diagnostics.graph(of: forms[0])
        #expect(graph.objects.count == count)
        #expect(graph.observations.count == 2 * (count - 1))
        #expect(graph.dot.count > count)
      }
    }
    whileRecording {
      _ = duration(100)
      // Quadratic would be a factor of 100.
      #expect(duration(2_500) < duration(250) * 50)
    }
  }
}
