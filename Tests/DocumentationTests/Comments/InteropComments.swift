import Keyline
import Observation

enum InteropComments: SnippetFile {
  static let page = "Sources/Keyline/Interop"
  static let file = #filePath

  static func run() async throws {
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

  static func observationinteropSwift1() {
    // snippet
    final class Note: ReactiveObject, Observation.Observable {
      typealias Observed = ObservationBridged
      @Observed var title = ""
    }
    end()
  }

  static func observationinteropSwift2() {
    let (account, cart) = (Account(), Cart())
    // snippet
    let text = Keyline.Observable.tracking { "\(account.name): \(cart.items.count)" }
    // end
    _ = text
    end()
  }

  static func reactivepropertiesSwift1() {
    let person = Person()
    // snippet
    _ = person.rx.observe(\.name).subscribe(onNext: { print($0) })
    end()
  }

  static func reactivepropertiesSwift2() {
    let person = Person()
    // snippet
    _ = person.rx.observe(String.self, "name")  // Observable<String?>
    _ = person.rx.observe(String.self, "address.city")  // nil while there is no address
    end()
  }
}
