import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// What a trace calls the ends of subscriptions and the deaths of objects.
@Suite struct TraceNamesTests {
  private class Person: ReactiveObject {
    @Observed var age = 0
    @Observed var size = 1
    @WeakObserved var friend: Person?
    var sum: Int { age + size }
  }

  let recording = RecordingSession()
  let bag = DisposeBag()

  private func watch<Element>(_ source: Observable<Element>) {
    source.subscribe(onNext: { _ in }).disposed(by: bag)
  }

  /// The text of `trace`, without the places in this file.
  private func text(of trace: Trace) -> String {
    trace.description.replacing(/\ \(TraceNamesTests.swift:[0-9]+\)/, with: "")
  }

  // MARK: Disposals

  /// A disposal uses the object numbers of the trace in which it happens.
  @Test("A disposal has the names of its trace") func aDisposalHasTheNamesOfItsTrace() async {
    await #expect(processExitsWith: .success) {
      let (ada, bob) = (Person(), Person())
      let other = ada.observe(\.age).subscribe()
      var subscriptions: [any Disposable] = []
      let made = Diagnostics.trace {
        ada.age = 1
        subscriptions = [bob.observe(\.age).subscribe(), bob.observe(\.sum).subscribe()]
      }
      #expect(
        made.description == """
          set Person#1.age: 0 → 1
            deliver 1 to observer 1 of Person#1.age
          subscribe to Person#2.age: 0
          subscribe to Int of Person#2: 1
          """)
      let trace = Diagnostics.trace {
        bob.size = 2
        for subscription in subscriptions { subscription.dispose() }
        other.dispose()
      }
      #expect(
        trace.description == """
          set Person#1.size: 1 → 2
            mark Int of Person#1
            settle
              evaluate Int of Person#1, because Person#1.size changed: 2
              deliver 2 to the observer of Int of Person#1
          dispose of Person#1.age
          dispose of Int of Person#1
          dispose of Person#2.age
          """)
    }
  }

  /// The subscription need not have been made in a trace.
  @Test("The disposal of a recorded subscription is recorded")
  func theDisposalOfARecordedSubscriptionIsRecorded() {
    let person = Person()
    let subscriptions = [
      person.observe(\.age).subscribe(), person.observe(\.age, \.size).subscribe(),
      person.observeWeakly { $0.friend.age }.subscribe(),
    ]
    let trace = Diagnostics.trace { for subscription in subscriptions { subscription.dispose() } }
    #expect(
      trace.description == """
        dispose of Person#1.age
        dispose of (Int, Int) of Person#1
        dispose of chain to Int of Person#1
        """)
  }

  @Test("A hop that is replaced is followed") func aHopThatIsReplacedIsFollowed() {
    let (root, first, second) = (Person(), Person(), Person())
    watch(root.observeWeakly { $0.friend.age })
    let made = Diagnostics.trace { root.friend = first }
    #expect(
      text(of: made) == """
        set Person#2.friend: nil → Person#1
          mark chain to Int of Person#2
          settle
            follow chain to Int of Person#2, because Person#2.friend changed: 0
            deliver 0 to observeWeakly → subscribe
        """)
    let trace = Diagnostics.trace {
      second.age = 2
      first.age = 1
      root.friend = second
    }
    #expect(
      text(of: trace) == """
        set Person#1.age: 0 → 1
          mark chain to Int of Person#2
          settle
            evaluate chain to Int of Person#2, because Person#1.age changed: 1
            deliver 1 to observeWeakly → subscribe
        set Person#2.friend: Person#1 → Person#3
          mark chain to Int of Person#2
          settle
            follow chain to Int of Person#2, because Person#2.friend changed: 2
            deliver 2 to observeWeakly → subscribe
        """)
  }

  // MARK: Deaths

  /// What `observe` makes of a person, traced when that dies, and while the friend lives on.
  private func traceOfDeath(
    withFriend hasFriend: Bool = true, _ observe: (Person) -> Void
  ) -> String {
    let friend = Person()
    var person: Person? = Person()
    person?.friend = hasFriend ? friend : nil
    _ = Diagnostics.trace { observe(person!) }
    return withExtendedLifetime(friend) { text(of: Diagnostics.trace { person = nil }) }
  }

  @Test("A death is named for any class of referent")
  func aDeathIsNamedWhateverAWeakPropertyRefersTo() {
    for hasFriend in [false, true] {
      #expect(
        traceOfDeath(withFriend: hasFriend) { watch($0.observe(\.friend)) } == """
          death of Person#1
            complete Person#1.friend
          """)
    }
    let trace = traceOfDeath {
      watch($0.observe(\.age))
      watch($0.observe(\.friend))
    }
    #expect(
      trace == """
        death of Person#1
          complete Person#1.age
          complete Person#1.friend
        """)
  }

  @Test("The death of the root completes a chain") func theDeathOfTheRootCompletesAChain() {
    #expect(
      traceOfDeath { watch($0.observeWeakly { $0.friend.age }) } == """
        death of Person#1
          deliver nil to observeWeakly → subscribe
          complete chain to Int of Person#1
        """)
  }

  @Test("Completions of computed paths are recorded") func completionsOfComputedPathsAreRecorded() {
    let trace = traceOfDeath {
      watch($0.observe(\.friend?.age))
      watch($0.observe(\.sum))
      watch($0.observe(\.age, \.size))
    }
    #expect(
      trace == """
        death of Person#1
          complete Optional<Int> of Person#1
          complete Int of Person#1
          complete (Int, Int) of Person#1
        """)
  }

  /// Nothing of an object that is not known to be alive is read on another thread.
  @Test("A disposal on another thread is named") func aDisposalOnAnotherThreadIsNamed() {
    let person = Person()
    let subscription = person.observe(\.age).subscribe()
    onAnotherThread {
      #expect(Diagnostics.trace { subscription.dispose() }.description == "dispose of Person#1.age")
    }
    var dead: Person? = Person()
    let late = dead!.observe(\.age).subscribe()
    dead = nil
    onAnotherThread { #expect(Diagnostics.trace { late.dispose() }.entries.isEmpty) }
  }
}
