import Keyline
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// What `print`, `dump` and a failed expectation show of the library's types.
@Suite struct DescriptionTests {
  private class Animal: ReactiveObject {
    @Observed var name = "Rex"
    @WeakObserved var friend: Animal?
  }

  private final class Dog: Animal {
    let legs = 4
    @Derived({ (self: Dog) in self.name.count }) var length: Int
    private(set) var reads = 0
    var both: String {
      reads += 1
      return "\(name) \(length)"
    }
  }

  private func text(_ value: Any) -> String { String(reflecting: value) }

  @Test("Subjects and relays show their value and their observers")
  func subjectsAndRelaysShowTheirValueAndTheirObservers() {
    let relay = BehaviorRelay(value: 3)
    let bag = DisposeBag()
    relay.subscribe(onNext: { _ in }).disposed(by: bag)
    #expect(text(relay) == "BehaviorRelay(3, 1 observer)")
    relay.subscribe(onNext: { _ in }).disposed(by: bag)
    #expect(text(relay) == "BehaviorRelay(3, 2 observers)")
    #expect(text(BehaviorSubject(value: "a")) == "BehaviorSubject(\"a\", 0 observers)")
    let subject = PublishSubject<Int>()
    subject.dispose()
    #expect(text(subject) == "PublishSubject(0 observers, disposed)")
    #expect(text(ReplaySubject<Int>.create(bufferSize: 1)) == "ReplaySubject(0 observers)")
  }

  @Test("Observables show their class") func observablesShowTheirClass() {
    let subject = PublishSubject<Int>()
    #expect(text(subject.map { $0 }.filter { $0 > 1 }) == "Observable")
    #expect(text(Dog().observe(\.name)) == "observe")
  }

  @Test("Registries and chains show their state") func registriesAndChainsShowTheirState() {
    let dog = Dog()
    let subscription = dog.observe(\.both).subscribe(onNext: { _ in })
    defer { subscription.dispose() }
    #expect(
      text(dog.properties)
        == "PropertyRegistry(name: 2 readers, length: 1 reader)")
    var described: [String] = []
    _ = dog.observeWeakly { root in
      let chain = root.friend.name
      described.append(text(chain))
      return chain
    }
    #expect(described == ["KeyPathChain(Dog to String, 2 hops)"])
  }

  @Test("Bindings show their ends and their state") func bindingsShowTheirEndsAndTheirState() {
    whileRecording {
      let (dog, cat) = (Dog(), Animal())
      let line: UInt = #line + 1
      let binding = dog.bind(\.name, to: cat, \.name, mode: .twoWay)
      #expect(
        text(binding)
          == "PropertyBinding(twoWay, Dog.name ⇄ Animal.name, active, DescriptionTests.swift:\(line))"
      )
      binding.dispose()
      #expect(text(binding) == "PropertyBinding(twoWay, to Animal, disposed)")
      let other = dog.observe(\.name).map { $0 + "!" }.bind(to: cat, \.name)
      #expect(
        text(other)
          == "PropertyBinding(oneWay, Dog.name → Animal.name, active, DescriptionTests.swift:\(line + 7))"
      )
    }
  }

  @Test("Derived values show whether they are up to date")
  func derivedValuesShowWhetherTheyAreUpToDate() {
    let dog = Dog()
    #expect(text(dog.$length) == "Derived(Dog.length, not computed)")
    _ = dog.length
    #expect(text(dog.$length) == "Derived(Dog.length, 3, from Dog.name)")
    dog.name = "Lassie"
    #expect(text(dog.$length) == "Derived(Dog.length, 3, outdated, from Dog.name)")
    #expect(dog.length == 6)
  }

  @Test("Objects show their properties and evaluate nothing")
  func objectsShowTheirPropertiesAndEvaluateNothing() {
    let dog = Dog()
    _ = dog.properties
    func children() -> [String] {
      Mirror(reflecting: dog).children.map { "\($0.label ?? ""): \($0.value)" }
    }
    #expect(children() == ["name: Rex", "friend: nil", "legs: 4", "length: nil", "reads: 0"])
    _ = dog.both
    #expect(children() == ["name: Rex", "friend: nil", "legs: 4", "length: 3", "reads: 1"])
    var dumped = ""
    dump(dog, to: &dumped)
    #expect(dumped.firstMatch(of: /Dog #\d+\n  - name: "Rex"\n/) != nil, "\(dumped)")
    // Nor does it count as read by an evaluation under way.
    let (other, counts) = (Dog(), Log<Int>())
    counts.follow(
      .tracking {
        _ = other.name
        return children().count
      })
    dog.name = "Lassie"
    counts.expect([5])
    #expect(
      Mirror(reflecting: ObservableArray([1, 2])).children.map { "\($0.value)" } == ["1", "2"])
  }
}
