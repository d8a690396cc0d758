import Keyline

#sourceLocation(file:"Form.swift",line:2)
// snippet
struct Mistake: Error, CustomStringConvertible {
  let description: String
}

extension BindingConverter where Source == Int, Target == String {
  /// Cents, and their text without the sign: `31.50`.
  static var amount: Self {
    Self(
      forward: { cents in String(euros(cents).dropLast(2)) },
      backward: { text in
        guard let number = Double(text), abs(number) < 1_000_000 else {
          throw Mistake(description: "\(text) is not an amount")
        }
        return Int((number * 100).rounded())
      })
  }
}

final class ExpenseForm: ReactiveObject {
  @Observed var title = ""
  @Observed var amount = ""
  @Observed var problem = ""
  private let bag = DisposeBag()

  init(_ expense: Expense) {
    super.init()
    expense.validate(\.title) { _, title in
      title.isEmpty ? .rejected(Mistake(description: "a title is missing")) : .valid
    }.disposed(by: bag)
    expense.validate(\.cents) { _, cents in cents < 0 ? .coerced(0) : .valid }.disposed(by: bag)

    Observable.merge(observe(\.title, options: .new), observe(\.amount, options: .new))
      .map { _ in "" }.bind(to: self, \.problem)
    let titles = expense.bind(\.title, to: self, \.title, mode: .twoWay)
    let amounts = expense.bind(\.cents, to: self, \.amount, mode: .twoWay, converter: .amount)
    Observable.merge(titles.errors, amounts.errors).map { "\($0)" }.bind(to: self, \.problem)
  }
}
// end
#sourceLocation()

enum TutorialForm: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialForm.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
    // snippet
    let taxi = Expense("Taxi", cents: 3_150)
    let form = ExpenseForm(taxi)
    print(form.title, form.amount)

    form.amount = "32.5"
    print(taxi.cents)
    form.amount = "a lot"
    print(taxi.cents, "-", form.problem)
    form.title = ""
    print(taxi.title, "-", form.problem)
    form.amount = "-4"
    print(taxi.cents, "-", form.amount)
    end()
  }
}
