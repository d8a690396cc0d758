import Keyline
import KeylineTest
import TestSupport
import Testing

/// B7: many exclusive bindings of one property.
@Suite struct ExclusiveBindingTests {
  class Source: ReactiveObject { @Observed var text = "source" }

  class Target: ReactiveObject {
    @Observed var text = ""
    @Observed var list: [Int] = []
  }

  final class Holder: ReactiveObject { @Observed var target: Target? }

  enum End: CaseIterable { case property, chain }

  /// - Returns: the duration of making, setting and dropping exclusive bindings of one property.
  private func durations(of count: Int, _ end: End, isReversed: Bool) -> [Duration] {
    let (target, holder) = (Target(), Holder())
    holder.target = target
    let sources = (0..<count).map { _ in Source() }
    let clock = ContinuousClock()
    var bindings: [PropertyBinding] = []
    let making = clock.measure {
      for source in sources {
        let binding =
          end == .property
          ? source.bind(\.text, to: target, \.text, exclusive: true)
          : source.bind(\.text, to: holder, { $0.target.text }, exclusive: true)
        _ = binding.errors.subscribe()
        bindings.append(binding)
      }
    }
    let setting = clock.measure {
      for number in 0..<count {
        sources[number].text = "\(number)"
        if number % 100 == 0 { sources[0].text = "owner" }
      }
    }
    #expect(target.text == "owner")
    let replacing = clock.measure {
      guard end == .chain else { return }
      let other = Target()
      holder.target = other
      #expect(other.text == "owner")
      holder.target = target
      sources[0].text = "again"
      #expect(target.text == "again")
    }
    if isReversed { bindings.reverse() }
    var kept = bindings
    bindings = []
    let dropping = clock.measure {
      while !kept.isEmpty {
        kept.removeLast().dispose()
        sources[0].text = "x"
      }
    }
    target.text = "free"
    #expect(target.text == "free")
    return [making, setting, replacing, dropping]
  }

  @Test(
    "B7: Exclusive bindings of one property are made, set and dropped in linear time",
    arguments: End.allCases, [false, true])
  func b7ExclusiveBindingsOfOnePropertyAreMadeSetAndDroppedInLinearTime(
    end: End, isReversed: Bool
  ) {
    let factor = 16
    let few = rounds(30, optimised: 60)
    func all(_ count: Int) -> [Duration] { durations(of: count, end, isReversed: isReversed) }
    var (small, large) = (all(few), all(few * factor))
    // Linear work takes `factor` times as long, quadratic work its square.
    func isLinear() -> Bool {
      zip(small, large).allSatisfy { $1 < $0 * (4 * factor) + .milliseconds(1) }
    }
    for _ in 0..<10 where !isLinear() {
      small = zip(small, all(few)).map(max)
      large = zip(large, all(few * factor)).map(min)
    }
    #expect(isLinear(), "\(small) and \(large)")
  }

  final class Crowded: Target {}

  @Test("B7: A refused write of a binding is reported once, or arrives on its errors")
  func b7ARefusedWriteOfABindingIsReportedOnceOrArrivesOnItsErrors() {
    Reports.collect()
    let (first, second, third, target) = (Source(), Source(), Source(), Crowded())
    first.bind(\.text, to: target, \.text, exclusive: true)
    second.bind(\.text, to: target, \.text, exclusive: true)
    func reports() -> [Diagnostics.Category] {
      (Reports.about("Crowded")
        + Reports.of(.refusedWrite).filter { $0.message.contains("Crowded.text") })
        .map(\.category)
    }
    #expect(reports() == [.bindingError])
    second.text = "refused"
    #expect(reports() == [.bindingError, .bindingError])
    let errors = Log<String>()
    let both = third.bind(\.text, to: target, \.text, mode: .twoWay, exclusive: true)
    #expect(reports() == [.bindingError, .bindingError, .bindingError])
    errors.follow(both.errors.map { "\($0)" })
    third.text = "refused as well"
    errors.expect(["exclusive(property: \"Crowded.text\")"])
    #expect(throws: BindingError.exclusive(property: "Crowded.text")) {
      try target.setValue("by name", forKey: "text")
    }
    #expect(reports().count == 3)
    target.text = "by the program"
    target.text += "!"
    #expect(
      reports() == [.bindingError, .bindingError, .bindingError, .refusedWrite, .refusedWrite])
    #expect(target.text == "source")
  }

  @Test("B7: Of many exclusive bindings the first that has not ended owns the property")
  func b7OfManyExclusiveBindingsTheFirstThatHasNotEndedOwnsTheProperty() {
    var random = SplitMix(seed: 7)
    for _ in 0..<rounds(5, optimised: 50) {
      let target = Target()
      var all: [(source: Source, binding: PropertyBinding)] = []
      for step in 0..<60 {
        switch random.number(0...3) {
        case 0, 1:
          let source = Source()
          let binding = source.bind(\.text, to: target, \.text, exclusive: true)
          _ = binding.errors.subscribe()
          all.append((source, binding))
        case 2 where !all.isEmpty:
          all.remove(at: random.number(all.indices)).binding.dispose()
        default: break
        }
        for (index, entry) in all.enumerated() {
          entry.source.text = "\(step) \(index)"
          #expect(target.text == "\(step) 0")
        }
        let before = target.text
        target.text = "foreign"
        #expect(target.text == (all.isEmpty ? "foreign" : before))
      }
    }
  }

  @Test("B7: A property without an exclusive binding is mutated in place without a copy")
  func b7APropertyWithoutAnExclusiveBindingIsMutatedInPlaceWithoutACopy() {
    final class Lists: ReactiveObject { @Observed var list: [Int] = [1] }
    let (source, target) = (Lists(), Target())
    let binding = source.bind(\.list, to: target, \.list, exclusive: true)
    target.list.append(2)
    #expect(target.list == [1])
    binding.dispose()
    target.list.append(2)
    #expect(target.list == [1, 2])
    target.list.reserveCapacity(100)
    let address = target.list.withUnsafeBufferPointer(\.baseAddress)
    target.list.append(3)
    #expect(target.list.withUnsafeBufferPointer(\.baseAddress) == address)
  }

  @Test("B7: A binding that has ended owns nothing while another one is disposed")
  func b7ABindingThatHasEndedOwnsNothingWhileAnotherOneIsDisposed() {
    let (source, target) = (Source(), Target())
    let binding = source.bind(\.text, to: target, \.text, exclusive: true)
    let first = Disposables.create { target.text = "free" }
    Disposables.create(first, binding).dispose()
    #expect(target.text == "free")
  }

  private final class Owner: ReactiveObject {
    @Observed private(set) var text = ""

    init(_ texts: Observable<String>) {
      super.init()
      texts.assign(to: \.text, of: self)
    }
  }

  @Test("Nothing is left of an exclusive binding whose target has died") func leftovers() async {
    await #expect(processExitsWith: .success) {
      LeakTests.expectNoGrowth(rounds: 2_000) { round in
        let (source, target, texts) = (Source(), Target(), PublishSubject<String>())
        let binding = source.bind(\.text, to: target, \.text, exclusive: true)
        source.text = "a"
        withExtendedLifetime(Owner(texts)) { texts.onNext("b") }
        if round.isMultiple(of: 2) { binding.dispose() }
        withExtendedLifetime(target) {}
      }
    }
  }
}
