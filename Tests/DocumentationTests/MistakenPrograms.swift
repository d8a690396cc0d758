/// Programs that do not compile, for a row of the table of mistakes or for a declaration that is unavailable,
/// and programs with the remedy.
struct MistakenProgram {
  /// How the compiler is called: what one file of a module imports, the others see, too.
  enum Module: CaseIterable { case withoutFoundation, withFoundation, ofTheMainActor }

  /// The first words of the row, or the message of the declaration.
  let key: String
  /// Each is a file.
  let programs: [String]
  let remedies: [String]
  private let isOfTheMainActor: Bool

  /// - Parameters:
  ///   - programs: statements.
  ///   - remedies: the statements that replace them.
  init(_ key: String, _ programs: String..., remedies: String...) {
    self.init(key, files: programs.map(Self.function), remedies: remedies.map(Self.function))
  }

  /// - Parameters:
  ///   - files: declarations.
  ///   - remedies: the declarations that replace them.
  init(_ key: String, files: [String], remedies: [String], isOfTheMainActor: Bool = false) {
    self.key = key
    programs = files
    self.remedies = remedies
    self.isOfTheMainActor = isOfTheMainActor
  }

  /// Where one of the files is compiled.
  func module(of file: String) -> Module {
    isOfTheMainActor
      ? .ofTheMainActor : file.hasPrefix("import Foundation") ? .withFoundation : .withoutFoundation
  }

  /// Statements, in a function that any thread may call.
  private static func function(_ body: String) -> String { "private func use() {\n\(body)\n}" }

  /// An invoice whose property `y` is declared as `property`.
  static func invoice(_ property: String) -> String {
    """
    private final class Invoice: ReactiveObject {
      @Observed var x = 0
      \(property)
    }
    """
  }

  /// The file that the others use.
  static let models = #"""
    final class Person: ReactiveObject {
      @Observed var name = ""
      @Observed var note: String?
      @Observed var age = 0
      @Observed var address: Address?
      var label: String { name }
    }
    final class Address: ReactiveObject { @Observed var city = "" }
    final class Order: ReactiveObject { @Observed var total = 0 }
    final class Item: ReactiveObject { @Observed var count = 0 }
    final class Form: ReactiveObject {
      @Observed var text = ""
      @Observed var note: String?
      @Observed var next: Form?
    }
    nonisolated(unsafe) let person = Person()
    nonisolated(unsafe) let row = Form()
    nonisolated(unsafe) let item = Item()
    nonisolated(unsafe) let orders = ObservableArray<Order>()
    nonisolated(unsafe) let people = ObservableArray<Person>()
    nonisolated(unsafe) let items = ObservableArray<Person>()
    nonisolated(unsafe) let new = [person]
    let subject = PublishSubject<Int>()
    let background = ConcurrentDispatchQueueScheduler(qos: .background)
    let failure = CancellationError()
    func parse(_ number: Int) throws -> Int { number }
    """#

  /// The table of the page, in its order.
  static let table = [
    MistakenProgram(
      #"`row.bind(\.text, to: person"#,
      files: [
        #"private func use() { row.bind(\.text, to: person, { $0.label }) }"#,
        #"""
        private final class Shut: ReactiveObject { @Observed private(set) var label = "" }
        private func use(_ person: Shut) { row.bind(\.text, to: person, { $0.label }) }
        """#,
      ],
      remedies: [
        #"""
        private final class Shut: ReactiveObject {
          @Observed private(set) var label = ""
          func follow() { row.observe(\.text).assign(to: \.label, of: self) }
        }
        private func use() { row.bind(\.text, to: person, { $0.name }) }
        """#
      ]),
    MistakenProgram(
      #"`row.bind(\.text, to: item"#,
      #"row.bind(\.text, to: item, \.count, converter: .decimal)"#,
      remedies: """
        row.bind(\\.text, to: item, \\.count, converter: BindingConverter<Int, String>.decimal.inverted)
        """),
    MistakenProgram(
      "`converter: .decimal` for a `Decimal`",
      files: [
        #"""
        import Foundation
        private final class Price: ReactiveObject { @Observed var amount = Decimal() }
        private func use(_ price: Price) {
          price.bind(\.amount, to: row, \.text, converter: .decimal)
        }
        """#,
        #"private func use() { item.bind(\.count, to: row, \.text, converter: .format(.number)) }"#,
      ],
      remedies: [
        #"""
        import Foundation
        import KeylineFoundation
        private final class Price: ReactiveObject { @Observed var amount = Decimal() }
        private func use(_ price: Price) {
          price.bind(\.amount, to: row, \.text, converter: .decimal)
          item.bind(\.count, to: row, \.text, converter: .format(.number))
        }
        """#
      ]),
    MistakenProgram(
      "`orders.sorted",
      files: [
        "private func use() { _ = orders.sorted { $0.totl < $1.totl } }",
        "import Foundation\nprivate func use() { _ = orders.sorted { $0.totl < $1.totl } }",
      ],
      remedies: [
        "private func use() { _ = orders.sorted { $0.total < $1.total } }",
        "import Foundation\nprivate func use() { _ = orders.sorted { $0.total < $1.total } }",
      ]),
    MistakenProgram(
      "`converter: .decimal.then(.wrapped)`",
      #"item.bind(\.count, to: row, \.note, converter: .decimal.then(.wrapped))"#,
      #"item.bind(\.count, to: row, { $0.next.note }, converter: .decimal.then(.wrapped))"#,
      remedies: """
        item.bind(\\.count, to: row, \\.note, converter: BindingConverter.decimal.then(.wrapped))
        item.bind(
          \\.count, to: row, { $0.next.note }, converter: BindingConverter.decimal.then(.wrapped))
        """),
    MistakenProgram(
      "`whenBroken", #"person.bind({ $0.address.city }, to: row, \.text, whenBroken: "")"#,
      remedies: #"person.bind({ $0.address.city }, to: row, \.text, whenBroken: .value(""))"#),
    MistakenProgram(
      #"`people.sorted(by: \.name"#, #"_ = people.sorted(by: \.name, >)"#,
      remedies: "_ = people.sorted { $0.name > $1.name }"),
    MistakenProgram(
      #"`people.sorted(by: \.note"#, #"_ = people.sorted(by: \.note)"#,
      remedies: #"_ = people.sorted { ($0.note ?? "") < ($1.note ?? "") }"#),
    MistakenProgram(
      "`items.replaceAll", "items.replaceAll(with: new)",
      remedies: "items.replaceSubrange(0..<items.count, with: new)"),
    MistakenProgram(
      "`subject.concat", "_ = subject.concat(.error(failure))",
      remedies: "_ = subject.concat(Observable.error(failure))"),
    MistakenProgram(
      "`@Observed` in a class that is not",
      files: [
        "private final class A { @Observed var x = 0 }", "private actor A { @Observed var x = 0 }",
      ],
      remedies: [
        #"""
        private final class A: PropertyObservable {
          let properties = PropertyRegistry()
          @Observed var x = 0
        }
        private final class B: ReactiveObject { @Observed var x = 0 }
        private actor Owner {
          let b = B()
          func follow() { b.observe(\.x) { print($0) } }
        }
        """#
      ]),
    MistakenProgram(
      "`@Observed @Trimmed var`",
      files: [
        """
        @propertyWrapper private struct Trimmed { var wrappedValue: String }
        private final class A: ReactiveObject { @Observed @Trimmed var x = "" }
        """,
        #"private final class A: ReactiveObject { @Observed static var x = "" }"#,
        #"@MainActor private final class A: ReactiveObject { @Observed static var x = "" }"#,
      ],
      remedies: [
        #"""
        private final class A: ReactiveObject {
          @Observed var x = ""
          func trim() { validate(\.x) { $1.hasPrefix(" ") ? .coerced(String($1.dropFirst())) : .valid } }
        }
        """#
      ]),
    MistakenProgram(
      "`@WeakObserved` or `@Derived` in a `Codable`",
      files: [
        "private final class A: ReactiveObject, Codable { @WeakObserved var parent: A? }",
        """
        private final class A: ReactiveObject, Codable {
          @Derived({ (self: A) in person.age }) var y: Int
        }
        """,
      ],
      remedies: [
        """
        private final class A: ReactiveObject, Codable {
          @Observed var x = 0
          @WeakObserved var parent: A?
          @Derived({ (self: A) in self.x }) var y: Int
          enum CodingKeys: CodingKey { case x }
        }
        """
      ]),
    MistakenProgram(
      "`@WeakObserved var x: (any P)?`",
      files: [
        """
        private protocol P: AnyObject {}
        private final class A: ReactiveObject { @WeakObserved var x: (any P)? }
        """
      ],
      remedies: ["private final class A: ReactiveObject { @WeakObserved var x: Person? }"]),
    MistakenProgram(
      "`@Derived({ $0.x })`",
      files: [invoice("@Derived({ $0.x }) var y: Int"), invoice(#"@Derived(\.x) var y: Int"#)],
      remedies: [invoice("@Derived({ (self: Invoice) in self.x }) var y: Int")]),
    MistakenProgram(
      "`@Derived({ … }) var total = 0`",
      files: [invoice("@Derived({ (self: Invoice) in self.x }) var total = 0")],
      remedies: [invoice("@Derived({ (self: Invoice) in self.x }) var total: Int")]),
    MistakenProgram(
      "`@Derived { (self: Invoice)",
      files: [invoice("@Derived { (self: Invoice) in self.x } var y: Int")],
      remedies: [invoice("@Derived({ (self: Invoice) in self.x }) var y: Int")]),
    MistakenProgram(
      "`@Derived({ (self: Invoice) in try",
      files: [invoice("@Derived({ (self: Invoice) in try parse(self.x) }) var y: Int")],
      remedies: [invoice("@Derived(or: 0, { (self: Invoice) in try parse(self.x) }) var y: Int")]),
    MistakenProgram(
      "`@Derived` whose rule calls a function",
      files: [local("func")],
      remedies: [
        local("nonisolated func"),
        "private func twice(_ x: Int) -> Int { x * 2 }\n" + local("// func"),
      ]),
    MistakenProgram(
      #"`person.observe(\.address).observe"#,
      #"_ = person.observe(\.address).observe(on: background)"#,
      #"_ = person.values(of: \.address)"#,
      remedies: """
        _ = person.observe(\\.address).map { $0?.city }.observe(on: background)
        _ = person.observe(\\.address).map { $0?.city }.values
        """),
    MistakenProgram(
      "`override init()",
      files: [
        """
        @MainActor private final class A: ReactiveObject {
          @Observed var title = ""
          override init() { super.init(); title = "new" }
        }
        """
      ],
      remedies: [
        """
        @MainActor private final class A: ReactiveObject {
          @Observed var title = ""
          override init() {
            super.init()
            MainActor.assumeIsolated { title = "new" }
          }
        }
        """
      ]),
    MistakenProgram(
      #"`model.observe(\.x)`"#,
      files: [
        #"""
        @MainActor private final class A: ReactiveObject { @Observed var x = 0 }
        private func use(_ model: A) { _ = model.observe(\.x) }
        """#
      ],
      remedies: [
        #"""
        @MainActor private final class A: ReactiveObject { @Observed var x = 0 }
        @MainActor private func use(_ model: A) { model.observe(\.x) { print($0) } }
        """#
      ]),
    MistakenProgram(
      "`@MainActor final class Window",
      files: [
        """
        @MainActor final class Window: PropertyObservable {
          let properties = PropertyRegistry()
          @Observed var title = ""
        }
        """
      ],
      remedies: [
        """
        @MainActor final class Window: @MainActor PropertyObservable {
          let properties = PropertyRegistry()
          @Observed var title = ""
        }
        """
      ]),
    MistakenProgram(
      "`@MainActor final class Row",
      files: ["@MainActor final class Row: ReactiveObject { @Observed var x = 0 }"],
      remedies: [
        """
        @MainActor final class Row: MainReactiveObject { @Observed var x = 0 }
        final class PlainRow: ReactiveObject { @Observed var x = 0 }
        nonisolated func use(_ row: PlainRow) { row.x = 1 }
        @MainActor final class RowWithInitialiser: ReactiveObject {
          @Observed var x = 0
          nonisolated override init() { super.init() }
        }
        """
      ], isOfTheMainActor: true),
  ]

  /// A rule that calls a function of the function that declares its class.
  private static func local(_ keyword: String) -> String {
    """
    @MainActor private func use() {
      \(keyword) twice(_ x: Int) -> Int { x * 2 }
      final class Invoice: ReactiveObject {
        @Observed var x = 0
        @Derived({ (self: Invoice) in twice(self.x) }) var y: Int
      }
    }
    """
  }
}
