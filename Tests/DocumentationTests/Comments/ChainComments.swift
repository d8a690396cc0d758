import Keyline

enum ChainComments: SnippetFile {
  static let page = "Sources/Keyline/Chains"
  static let file = #filePath

  static func run() async throws {
    chainobservationSwift1()
    keypathchainSwift1()
    observingchainsSwift1()
    targetchainSwift1()
  }

  final class Address: ReactiveObject { @Observed var city = "" }
  final class Person: ReactiveObject {
    @Observed var address: Address?
    @WeakObserved var manager: Person?
  }
  final class Player: ReactiveObject { @Observed var output: Output? }
  final class Output: ReactiveObject { @Observed var gain = 1 }
  final class Model: ReactiveObject {
    @Observed var volume = 3
    @Observed var player: Player?
  }

  static func chainobservationSwift1() {
    let (person, chief) = (Person(), Person())
    chief.address = Address()
    person.manager = chief
    // snippet
    _ = person.observeChanges { $0.manager.address.city }.subscribe(onNext: { print($0.cause) })
    person.manager = nil
    person.manager = chief
    chief.address?.city = "Rome"
    end()
  }

  static func keypathchainSwift1() {
    discardOutput()
    let person = Person()
    // snippet
    _ = person.observeWeakly { $0.manager.address.city }  // Observable<String?>
    end()
  }

  static func observingchainsSwift1() {
    let person = Person()
    var title = ""
    // snippet
    person.observeWeakly {
      $0.manager.address.city
    } onNext: {
      title = $0 ?? "—"
    }
    end()
    _ = title
  }

  static func targetchainSwift1() {
    let (source, root) = (Model(), Model())
    // snippet
    source.bind(\.volume, to: root, { $0.player.output.gain })
    end()
  }
}
