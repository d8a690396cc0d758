import Keyline

enum ChainComments: SnippetFile {
  static let page = "Sources/Keyline/Chains"

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
    // block ChainObservation
    end("ChainObservation")
  }

  static func keypathchainSwift1() {
    discardOutput()
    let person = Person()
    // block KeyPathChain
    end("KeyPathChain")
  }

  static func observingchainsSwift1() {
    let person = Person()
    var title = ""
    // block ObservingChainsByClosure
    end("ObservingChainsByClosure")
    _ = title
  }

  static func targetchainSwift1() {
    let (source, root) = (Model(), Model())
    // block TargetChain
    end("TargetChain")
  }
}
