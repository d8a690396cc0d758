import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// State that Keyline does not store, announced by hand.
@Suite struct ManualNotificationTests {
  class File: ReactiveObject {
    var bytes: [UInt8] = []
    @Observed var name = "f"
    var announced: [String] = []

    var size: Int {
      access("size")
      return bytes.count
    }
    var label: String { "\(name): \(size)" }

    func append(_ byte: UInt8) {
      willChange("size")
      bytes.append(byte)
      didChange("size")
    }

    override func didChange(_ key: String) {
      announced.append(key)
      super.didChange(key)
    }

    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("size", \File.size)]
    }
  }

  final class Folder: ReactiveObject { @Observed var file: File? }

  let file = File()

  @Test("Each notification is one emission") func eachNotificationIsOneEmission() {
    let sizes = Log<Int>()
    let labels = Log<String>()
    let subscription = sizes.follow(file.observe(\.size))
    labels.follow(file.observe(\.label))
    file.append(1)
    file.name = "g"
    file.didChange("size")
    file.didChange("other")
    sizes.expect([0, 1, 1])
    labels.expect(["f: 0", "f: 1", "g: 1", "g: 1"])
    #expect(file.announced == ["size", "size", "other"])
    subscription.dispose()
    file.append(2)
    sizes.expect([])
    labels.expect(["g: 2"])
  }

  @Test("Through chains and by name") func throughChainsAndByName() throws {
    let folder = Folder()
    let chain = Log<Int?>()
    let named = Log<Int?>()
    chain.follow(folder.observeWeakly { $0.file.size })
    named.follow(try folder.observeWeakly(Int.self, "file.size"))
    folder.file = file
    file.append(1)
    folder.file = nil
    file.append(2)
    chain.expect([nil, 0, 1, nil])
    named.expect([nil, 0, 1, nil])
    #expect(try file.value(forKey: "size") as? Int == 2)
  }

  @Test("Prior comes before the change") func priorComesBeforeTheChange() {
    var seen: [String] = []
    _ = file.observeChanges(\.size, options: [.new, .prior]).subscribe(onNext: { [file] change in
      seen.append(change.isPrior ? "prior \(file.bytes.count)" : "new \(change.new ?? -1)")
    })
    file.append(1)
    #expect(seen == ["prior 0", "new 1"])
  }

  @Test("Nothing is made before the first observation")
  func nothingIsMadeBeforeTheFirstObservation() {
    final class Quiet: ReactiveObject { var made: Bool { access("made"); return true } }
    let quiet = Quiet()
    #expect(quiet.made)
    quiet.willChange("made")
    quiet.didChange("made")
    #expect(
      Mirror(reflecting: quiet).superclassMirror?.children.first?.value as? PropertyRegistry == nil)
  }

  @Test("A stored property is reported once more with its current value")
  func aStoredPropertyIsReportedOnceMoreWithItsCurrentValue() throws {
    let (names, labels, chain) = (Log<String>(), Log<String>(), Log<String?>())
    let (named, changes) = (Log<String>(), Log<[String?]>())
    let folder = Folder()
    folder.file = file
    names.follow(file.observe(\.name))
    labels.follow(file.observe(\.label))
    named.follow(try file.observe(String.self, "name"))
    chain.follow(folder.observeWeakly { $0.file.name })
    changes.follow(
      file.observeChanges(\.name, options: [.old, .new, .prior])
        .map { [$0.isPrior ? "prior" : nil, $0.old, $0.new] })
    file.willChange("name")
    file.didChange("name")
    names.expect(["f", "f"])
    labels.expect(["f: 0", "f: 0"])
    named.expect(["f", "f"])
    chain.expect(["f", "f"])
    changes.expect([["prior", "f", nil], [nil, "f", "f"]])
    batchUpdates {
      file.didChange("name")
      file.name = "g"
      file.didChange("name")
    }
    names.expect(["g"])
    file.didChange("bytes")
    names.expect([])
  }

  @Test("A weak property and a conforming class report by hand as well")
  func aWeakPropertyAndAConformingClassReportByHandAsWell() {
    final class Window: Taken, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var title = "w"
      @WeakObserved var file: File?
    }
    let window = Window()
    window.file = file
    let (titles, files) = (Log<String>(), Log<Bool>())
    titles.follow(window.observe(\.title))
    files.follow(window.observe(\.file).map { $0 == nil })
    for key in ["title", "file"] {
      window.properties.willChange(key)
      window.properties.didChange(key)
    }
    titles.expect(["w", "w"])
    files.expect([false, false])
  }

  @Test("A stored property is reported alike in every form, whatever its class inherits from")
  func aStoredPropertyIsReportedAlikeInEveryForm() throws {
    final class Tab: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var title = "t"
      @Observed var items = ObservableArray([1])
      @Observed var next: Tab?
      @WeakObserved var weakNext: Tab?
      var label: String { title + "!" }
    }
    final class Archive: File { @Observed var items = ObservableSet([1]) }
    let (root, tab, copy, log) = (Tab(), Tab(), Tab(), Log<String>())
    (root.next, root.weakNext) = (tab, tab)
    tab.bind(\.title, to: copy, \.title, mode: .twoWay)
    copy.observe(\.title, options: .new) { log.append("bound \($0)") }
    tab.observe(\.title, options: .new) { log.append("value \($0)") }
    tab.observe(\.label, \.title, options: .new) { log.append("both \($0) \($1)") }
    root.observeWeakly(options: .new) {
      $0.next.title
    } onNext: {
      log.append("chain \($0 ?? "")")
    }
    root.observeChanges {
      $0.weakNext.title
    } onNext: {
      log.append("change \($0.cause)")
    }
    _ = try tab.observe(String.self, "title", options: .new)
      .subscribe(onNext: { log.append("name \($0)") })
    _ = try root.observeWeakly(String.self, "next.title", options: .new)
      .subscribe(onNext: { log.append("names \($0 ?? "")") })
    tab.properties.willChange("title")
    log.expect([])
    tab.properties.didChange("title")
    #expect(
      log.take().sorted() == [
        "both t! t", "bound t", "chain t", "change set", "name t", "names t", "value t",
      ])
    // Inherited, and of other types: the same collection is not another one.
    let archive = Archive()
    archive.observe(\.name, options: .new) { log.append($0) }
    archive.observe(\.items.count, options: .new) { log.append("\($0)") }
    archive.observeChanges(\.items) { log.append("\($0.kind)") }
    tab.observe(\.items, options: .new) { log.append("\($0)") }
    for key in ["name", "items"] {
      archive.willChange(key)
      archive.didChange(key)
    }
    tab.properties.didChange("items")
    log.expect(["f", "1", "[1]"])
  }

  @Test("State is announced again after a batch in which it changed")
  func stateIsAnnouncedAgainAfterABatchInWhichItChanged() {
    let sizes = Log<Bool>()
    sizes.follow(file.observeChanges(\.size, options: [.new, .prior]).map(\.isPrior))
    batchUpdates {
      file.append(1)
      file.append(2)
    }
    sizes.expect([true, false])
    file.append(3)
    sizes.expect([true, false])
  }

  @Test("The object dies") func theObjectDies() {
    var mortal: File? = File()
    weak let object = mortal
    let sizes = Log<Int>()
    sizes.follow(mortal!.observe(\.size))
    mortal = nil
    #expect(object == nil)
    #expect(sizes.isCompleted)
  }

  @Test("A class with another superclass conforms with one line")
  func aClassWithASuperclassOfItsOwn() {
    final class Gauge: Taken, PropertyObservable {
      let properties = PropertyRegistry()
      var stored = 0
      var level: Int {
        get {
          properties.access("level", of: self)
          return stored
        }
        set {
          properties.willChange("level")
          stored = newValue
          properties.didChange("level")
        }
      }
    }
    let gauge = Gauge()
    let levels = Log<Int>()
    levels.follow(gauge.observe(\.level))
    gauge.level = 1
    gauge.level = 1
    levels.expect([0, 1, 1])
  }

  @Test("A feedback loop is reported by its key") func aFeedbackLoopIsReportedByItsKey() {
    final class Echo: ReactiveObject {
      var count = 0
      var value: Int {
        access("value")
        return count
      }
      func bump() {
        count += 1
        didChange("value")
      }
    }
    Reports.collect()
    let echo = Echo()
    _ = echo.observe(\.value, options: .new).subscribe(onNext: { [unowned echo] _ in echo.bump() })
    echo.bump()
    #expect(echo.count == Diagnostics.feedbackLimit + 3)
    #expect(Reports.about("Echo").map(\.category) == [.feedbackLoop])
    #expect(Reports.about("Echo").map(\.property) == ["value"])
  }
}
