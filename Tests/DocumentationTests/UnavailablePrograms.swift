extension MistakenProgram {
  /// The declarations that are unavailable, by their messages.
  static let unavailable = [
    MistakenProgram(
      "the types differ: pass a converter, as .placeholder(…)",
      #"person.bind(\.note, to: row, \.text)"#,
      #"item.bind(\.count, to: row, \.text, mode: .twoWay)"#,
      remedies: """
        person.bind(\\.note, to: row, \\.text, converter: .placeholder(""))
        item.bind(\\.count, to: row, \\.text, mode: .twoWay, converter: .decimal)
        """),
    MistakenProgram(
      "a written end cannot be set here: get-only, or private(set)",
      #"row.bind(\.text, to: person, \.label)"#,
      remedies: #"row.bind(\.text, to: person, \.name)"#),
    MistakenProgram(
      "a mode needs a source that can be set; this one is get-only",
      #"person.bind(\.label, to: row, \.text, mode: .twoWay)"#,
      remedies: #"person.bind(\.name, to: row, \.text, mode: .twoWay)"#),
    MistakenProgram(
      "a closure is no converter: BindingConverter { … } is",
      #"item.bind(\.count, to: row, \.text) { "\($0)" }"#,
      remedies: #"item.bind(\.count, to: row, \.text, converter: BindingConverter { "\($0)" })"#),
    MistakenProgram(
      "this closure is no chain: bind Observable.tracking { … }",
      #"person.bind({ $0.name + "!" }, to: row, \.text)"#,
      remedies: #"Observable.tracking { person.name + "!" }.bind(to: row, \.text)"#),
    MistakenProgram(
      "two chains need a converter: pass converter: .identity",
      "person.bind({ $0.address.city }, to: row, { $0.next.text })",
      remedies: "person.bind({ $0.address.city }, to: row, { $0.next.text }, converter: .identity)"),
    MistakenProgram(
      "a chain is a closure without `?`: { $0.address.city }",
      #"_ = person.observeWeakly(\.address?.city)"#,
      remedies: "_ = person.observeWeakly { $0.address.city }"),
    MistakenProgram(
      "a chain is observed with observeWeakly { … }", "_ = person.observe { $0.address.city }",
      remedies: "_ = person.observeWeakly { $0.address.city }"),
    MistakenProgram(
      "observe a sequence with subscribe(onNext:)",
      #"person.observe(\.name).observe { print($0) }"#,
      remedies: #"_ = person.observe(\.name).subscribe(onNext: { print($0) })"#),
    MistakenProgram(
      "the types of the elements and of the target differ: use map",
      #"item.observe(\.count).bind(to: row, \.text)"#,
      remedies: #"item.observe(\.count).map { "\($0)" }.bind(to: row, \.text)"#),
    MistakenProgram(
      "the target cannot be set here: get-only, or private(set)",
      #"row.observe(\.text).bind(to: person, \.label)"#,
      remedies: #"row.observe(\.text).bind(to: person, \.name)"#),
    MistakenProgram(
      "a rule needs a stored property that can be set",
      #"person.validate(\.label) { _, _ in .valid }"#,
      remedies: #"person.validate(\.name) { _, _ in .valid }"#),
    MistakenProgram(
      "@Observed belongs in a class that is PropertyObservable",
      files: ["struct OfObserved { @Observed var x = 0 }"],
      remedies: ["private final class A: ReactiveObject { @Observed var x = 0 }"]),
    MistakenProgram(
      "@WeakObserved belongs in a class that is PropertyObservable",
      files: ["struct OfWeakObserved { @WeakObserved var x: Person? }"],
      remedies: ["private final class A: ReactiveObject { @WeakObserved var x: Person? }"]),
    MistakenProgram(
      "@Derived belongs in a class that is PropertyObservable",
      files: ["struct OfDerived { @Derived({ (self: Person) in self.age }) var x: Int }"],
      remedies: [invoice("@Derived({ (self: Invoice) in self.x }) var y: Int")]),
    MistakenProgram(
      "this wrapper needs PropertyObservable and Observable",
      files: [
        "struct OfBridged { @ObservationBridged var x = 0 }",
        "struct OfWeakBridged { @WeakObservationBridged var x: Person? }",
      ],
      remedies: [
        """
        import Observation
        private final class A: ReactiveObject, Observation.Observable {
          @ObservationBridged var x = 0
          @WeakObservationBridged var y: Person?
        }
        """
      ]),
  ]
}
