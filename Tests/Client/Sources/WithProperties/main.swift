import Keyline

// The smallest program that observes a property: its size has a budget.

final class Greeting: ReactiveObject {
  @Observed var text = "Hello"
}

let greeting = Greeting()
let subscription = greeting.observe(\.text).subscribe(onNext: { print($0) })
greeting.text = "Hello, world"
subscription.dispose()
