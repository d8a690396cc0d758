import Keyline

enum ChainComments: SnippetFile {
  static let page = "Sources/Keyline/Chains"

  static func run() async throws {
    chainobservationSwift1()
    keypathchainSwift1()
    observingchainsSwift1()
    targetchainSwift1()
    try namedChains1()
    try namedChains2()
    try namedChains3()
    try namedChains4()
  }

  final class Address: ReactiveObject { @Observed var city = "" }
  final class Row: ReactiveObject { @Observed var text = "Oslo" }
  final class Person: ReactiveObject {
    @Observed var name = "Ada"
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

  static func namedChains1() throws {
    let person = Person()
    // block NamedChains
    end("NamedChains")
  }

  static func namedChains2() throws {
    let person = Person()
    // block NamedChains 2
    end("NamedChains 2")
  }

  static func namedChains3() throws {
    let (person, row) = (Person(), Row())
    // block NamedChains 3
    end("NamedChains 3")
  }

  static func namedChains4() throws {
    final class Form: ReactiveObject { @Observed var text = "Oslo" }
    let (person, form) = (Person(), Form())
    // block NamedChains 4
    end("NamedChains 4")
  }
}
