import Keyline
import Observation

enum InteropComments: SnippetFile {
  static let page = "Sources/Keyline/Interop"

  static func run() async throws {
    try changesByName()
    observationinteropSwift1()
    observationinteropSwift2()
    reactivepropertiesSwift1()
    reactivepropertiesSwift2()
  }

  final class Address: ReactiveObject { @Observed var city = "Rome" }
  final class Person: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var address: Address?
  }
  @Observation.Observable final class Account { var name = "Ada" }
  final class Cart: ReactiveObject { let items: ObservableArray = [1, 2] }

  static func changesByName() throws {
    final class Team: ReactiveObject { @Observed var members = ObservableArray<String>() }
    let team = Team()
    // block ChangesByName
    end("ChangesByName")
  }

  static func observationinteropSwift1() {
    // block ObservationInterop
    end("ObservationInterop")
  }

  static func observationinteropSwift2() {
    let (account, cart) = (Account(), Cart())
    // block ObservationInterop 2
    _ = text
    end("ObservationInterop 2")
  }

  static func reactivepropertiesSwift1() {
    let person = Person()
    // block ReactiveProperties
    end("ReactiveProperties")
  }

  static func reactivepropertiesSwift2() {
    let person = Person()
    // block ReactiveProperties 2
    end("ReactiveProperties 2")
  }
}
