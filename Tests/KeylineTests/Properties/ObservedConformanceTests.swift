import Foundation
import Keyline
import TestSupport
import Testing

@testable import KeylineCore

private final class Track: ReactiveObject, Codable {
  @Observed var title = ""
  @Observed var length: Int?
  @Observed var released: Date?
  @Observed var ratings: [String: Int] = [:]
  @Observed var takes = ObservableArray<Int>()
  @WeakObserved var album: Person?

  enum CodingKeys: CodingKey { case title, length, released, ratings, takes }
}

private class Thermostat: ReactiveObject {
  @Observed var target = 20.0 {
    willSet { log.append("will \(newValue)") }
    didSet {
      log.append("did \(oldValue)")
      if target > 30 { target = 30 }
    }
  }
  @Observed private(set) var isOn = false
  @Observed var schedule = Thermostat.makeSchedule()
  var log: [String] = []
  nonisolated(unsafe) static var schedulesMade = 0

  func turnOn() { isOn = true }

  static func makeSchedule() -> [Int] {
    // Proof of nonisolated(unsafe): one test alone makes thermostats.
    schedulesMade += 1
    return [7, 22]
  }
}

private final class LoudThermostat: Thermostat {
  override var target: Double {
    get { super.target }
    set { super.target = newValue.rounded() }
  }
}

private class Box<Content>: ReactiveObject {
  @Observed var content: Content

  init(_ content: Content) { self.content = content }
}

private final class NamedBox<Content>: Box<Content> {
  @Observed var name = ""
}

/// Conformances of `@Observed`: coded, reflected; and how it goes with the rest of the
/// language.
@Suite struct ObservedConformanceTests {
  @Test("It takes part in synthesised codable") func itTakesPartInSynthesisedCodable() throws {
    let track = Track()
    track.title = "So What"
    track.released = Date(timeIntervalSince1970: 0)
    track.ratings = ["Ada": 5]
    track.takes.append(1)
    track.album = Person()
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(track)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"ratings":{"Ada":5},"released":0,"takes":[1],"title":"So What"}"#)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let copy = try decoder.decode(Track.self, from: data)
    #expect(copy.title == "So What")
    #expect(copy.length == nil)
    #expect(copy.released == track.released)
    #expect(copy.ratings == track.ratings)
    #expect(copy.takes == track.takes)
    #expect(copy.album == nil)
    let log = Log<String>()
    log.follow(copy.observe(\.title))
    copy.title = "Blue in Green"
    log.expect(["So What", "Blue in Green"])
  }

  @Test("Reflection shows the value") func reflectionShowsTheValue() throws {
    let address = Address(city: nil)
    address.location.street = "Main Street"
    let children = Mirror(reflecting: address).children
    let location = try #require(children.first { $0.label == "location" }).value
    #expect(
      Mirror(reflecting: location).children.map { "\($0.label ?? "") \($0.value)" }
        == ["street Main Street", "number nil"])
    var text = ""
    dump(Person("Ada"), to: &text)
    #expect(text.split(separator: "\n")[1...2] == ["  - name: \"Ada\"", "  - age: 0"])
  }

  @Test("Property observers run around the store and before observers")
  func propertyObserversRunAroundTheStoreAndBeforeObservers() {
    let thermostat = Thermostat()
    #expect(Thermostat.schedulesMade == 1)
    let log = Log<Double>()
    log.follow(thermostat.observe(\.target))
    thermostat.target = 21
    thermostat.target = 40
    #expect(
      thermostat.log == ["will 21.0", "did 20.0", "will 40.0", "did 21.0", "will 30.0", "did 40.0"])
    log.expect([20, 21, 40, 30])
    let loud = LoudThermostat()
    log.follow(loud.observe(\.target, options: .new))
    loud.target = 20.6
    log.expect([21])
    let states = Log<Bool>()
    states.follow(thermostat.observe(\.isOn))
    thermostat.turnOn()
    states.expect([false, true])
  }

  @Test("Generic classes and their subclasses are observed")
  func genericClassesAndTheirSubclassesAreObserved() {
    let box = NamedBox(["a"])
    let log = Log<[String]>()
    log.follow(box.observe(\.content))
    let names = Log<String>()
    names.follow(box.observe(\.name))
    box.content.append("b")
    box.name = "c"
    log.expect([["a"], ["a", "b"]])
    names.expect(["", "c"])
  }
}
