import CGtk
import KeylineGTK

/// A model with a property for each kind of widget.
final class Settings: ReactiveObject {
  @Observed var name = "Ada"
  @Observed var size = 12
  @Observed var isBold = false
  @Observed var opacity = 50.0
  @Observed var choice: Int? = 1
}

/// Properties and signals of GObject.
nonisolated(unsafe) let propertyChecks = [
  Check(name: "Any property is observed by name") {
    let log = Log()
    let label = Label("a")
    let subscription = label.rx.observe(String.self, "label").subscribe(onNext: { log.append($0) })
    label.text = "b"
    gtk_label_set_text(OpaquePointer(label.native), "c")
    expect(log.all, ["a", "b", "c"])
    subscription.dispose()
    label.text = "d"
    expect(log.all.count, 3)
    let width = label.rx.observe(Int.self, "width-chars").subscribe(onNext: { log.append("\($0)") })
    let opacity = label.rx.observe(Double.self, "opacity").subscribe(onNext: { log.append("\($0)") }
    )
    let align = label.rx.observe(Int.self, "halign").subscribe(onNext: { log.append("\($0)") })
    expect(Array(log.all.suffix(3)), ["-1", "1.0", "0"])
    width.dispose()
    opacity.dispose()
    align.dispose()
  },
  Check(name: "Errors name class, property and type") {
    let label = Label("a")
    func error(_ body: () throws -> Void) -> NativeError? {
      do { try body() } catch { return error as? NativeError }
      return nil
    }
    func failure<Value>(_ source: Observable<Value>) -> NativeError? {
      var found: NativeError?
      _ = source.subscribe(onError: { found = $0 as? NativeError })
      return found
    }
    expect(
      failure(label.rx.observe(String.self, "lable")), .unknownProperty("lable", of: "GtkLabel"))
    let mismatch = NativeError.typeMismatch(
      "label", of: "GtkLabel", is: "gchararray", requested: "Int")
    expect(failure(label.rx.observe(Int.self, "label")), mismatch)
    expect(error { _ = try label.read("label", as: Int.self) }, mismatch)
    expect(error { try label.write("label", 1) }, mismatch)
    expect(
      error { _ = try label.rx.controlProperty(Bool.self, "has-focus") },
      .readOnly("has-focus", of: "GtkLabel"))
    expect(
      error { _ = try label.rx.controlEvent("clicked") }, .unknownSignal("clicked", of: "GtkLabel"))
    expect(error { _ = try label.connect("clicked") {} }, .unknownSignal("clicked", of: "GtkLabel"))
    expect(
      error { _ = try label.connect("notify::lable") {} },
      .unknownSignal("notify::lable", of: "GtkLabel"))
    expect("\(mismatch)", "the property 'label' of GtkLabel is a gchararray, not a Int")
  },
  Check(name: "Computed paths and chains lead through widgets") {
    let log = Log()
    let entry = Entry()
    let subscription = entry.observe(\.text.count).subscribe(onNext: { log.append("\($0)") })
    type("ab", into: entry)
    entry.text = "abc"
    expect(log.all, ["0", "1", "2", "3"])
    subscription.dispose()
    final class Screen: ReactiveObject { @Observed var entry: Entry? }
    let screen = Screen()
    let chain = screen.observeWeakly { $0.entry.text }.subscribe(onNext: { log.append($0 ?? "nil") }
    )
    screen.entry = entry
    type("d", into: entry)
    screen.entry = nil
    expect(Array(log.all.suffix(4)), ["nil", "abc", "dabc", "nil"])
    chain.dispose()
  },
  Check(name: "A control property emits what the user does") {
    let log = Log()
    let entry = Entry()
    let subscription = entry.rx.text.subscribe(onNext: { log.append($0) })
    type("a", into: entry)
    entry.text = "set by the program"
    type("b", into: entry)
    expect(log.all, ["", "a", "bset by the program"])
    Observable.just("bound").bind(to: entry.rx.text).dispose()
    expect(entry.text, "bound")
    expect(log.all.count, 3)
    subscription.dispose()
    let check = CheckButton("Bold")
    let other = check.rx.active.subscribe(onNext: { log.append("\($0)") })
    gtk_widget_activate(check.widget)
    expect(Array(log.all.suffix(2)), ["false", "true"])
    other.dispose()
  },
  Check(name: "A control property does not emit what its own observer sets") {
    let log = Log()
    let (entry, check, scale) = (Entry(), CheckButton("Bold"), Scale(0...10, step: 1))
    let texts = entry.rx.text.subscribe(onNext: { [weak entry] in
      log.append($0)
      if $0 == "user" { entry?.text = "program" }
    })
    type("user", into: entry)
    expect(entry.text, "program")
    type("!", into: entry)
    expect(log.all, ["", "u", "us", "use", "user", "prog!ram"])
    let checks = check.rx.active.subscribe(onNext: { [weak check] in
      log.append("\($0)")
      if $0 { check?.isActive = false }
    })
    gtk_widget_activate(check.widget)
    gtk_widget_activate(check.widget)
    expect(Array(log.all.suffix(3)), ["false", "true", "true"])
    let numbers = scale.rx.value.subscribe(onNext: { [weak scale] in
      log.append("\($0)")
      // Set to the value that it has: the next change is emitted all the same.
      scale?.value = $0
    })
    for value in [3.0, 4] {
      gtk_range_set_value(scale.native.assumingMemoryBound(to: GtkRange.self), value)
    }
    expect(Array(log.all.suffix(3)), ["0.0", "3.0", "4.0"])
    for subscription in [texts, checks, numbers] { subscription.dispose() }
  },
  Check(name: "A wrong name in a wrapper goes to the default error handler") {
    final class Odd: Widget {
      @Native("lable") var missing: String
      @Native("label") var number: Int
      @Native("has-focus") var fixed: Bool
      init() { super.init(gtk_label_new("a")) }
    }
    nonisolated(unsafe) var errors: [NativeError] = []
    Hooks.defaultErrorHandler = { _, error in
      if let error = error as? NativeError { errors.append(error) }
    }
    let odd = Odd()
    expect(odd.missing, "")
    expect(odd.number, 0)
    odd.number = 3
    odd.fixed = true
    expect(errors.count, 4)
    expect(errors[0], .unknownProperty("lable", of: "GtkLabel"))
    expect(errors[3], .readOnly("has-focus", of: "GtkLabel"))
    let model = Settings()
    model.bind(\.name, to: odd, \.missing)
    expect(errors.count > 4)
  },
  Check(name: "A widget moves from one container to another") {
    let (one, other) = (Window("1", width: 50, height: 50), Window("2", width: 50, height: 50))
    let label = Label("a")
    one.child = label
    other.child = label
    expect(one.child == nil && other.child === label)
    let (box, grid) = (Box(.row, [label]), Grid())
    expect(other.child == nil)
    grid.attach(label, column: 0, row: 0)
    let scroller = Scroller(label)
    box.append(scroller)
    label.removeFromParent()
    label.removeFromParent()
    one.child = label
    expect(one.child === label)
    one.destroy()
    other.destroy()
  },
  Check(name: "A range without extent is no trap") {
    let scale = Scale(5...5, step: 0)
    scale.value = 9
    expect(scale.value, 5)
  },
  Check(name: "A window may refuse to close") {
    let window = Window("Test", width: 50, height: 50)
    window.present()
    var isEdited = true
    try window.connect("close-request") { isEdited }
    window.close()
    GTK.runPending()
    expect(window.isVisible)
    isEdited = false
    weak var closed = window
    window.close()
    GTK.runPending()
    expect(closed?.isVisible, false)
  },
  Check(name: "A button is clicked") {
    let log = Log()
    let button = Button("OK")
    let window = Window("Test", width: 100, height: 100)
    window.child = button
    window.present()
    let subscription = button.rx.clicked.subscribe(onNext: { log.append("clicked") })
    gtk_widget_activate(button.widget)
    serve { log.all == ["clicked"] }
    subscription.dispose()
    window.destroy()
  },
  Check(name: "Five kinds of widget are bound both ways") {
    let settings = Settings()
    let (name, size) = (Entry(), Entry())
    let (bold, opacity) = (CheckButton("Bold"), Scale(0...100, step: 1))
    let choice = DropDown(["a", "b", "c"])
    settings.bind(\.name, to: name, \.text, mode: .twoWay)
    let binding = settings.bind(\.size, to: size, \.text, mode: .twoWay, converter: .decimal)
    settings.bind(\.isBold, to: bold, \.isActive, mode: .twoWay)
    settings.bind(\.opacity, to: opacity, \.value, mode: .twoWay)
    settings.bind(\.choice, to: choice, \.selected, mode: .twoWay)
    expect([name.text, size.text], ["Ada", "12"])
    expect(bold.isActive, false)
    expect(opacity.value, 50)
    expect(choice.selected, 1)
    type("Dr ", into: name)
    gtk_widget_activate(bold.widget)
    gtk_range_set_value(opacity.native.assumingMemoryBound(to: GtkRange.self), 75)
    gtk_drop_down_set_selected(OpaquePointer(choice.native), 2)
    expect(settings.name, "Dr Ada")
    expect(settings.isBold)
    expect(settings.opacity, 75)
    expect(settings.choice, 2)
    settings.choice = nil
    expect(choice.selected, nil)
    settings.opacity = 500
    // GTK clamps, and the model follows.
    expect(opacity.value, 100)
    expect(settings.opacity, 100)
    let log = Log()
    let errors = binding.errors.subscribe(onNext: { log.append("\($0)") })
    type("x", into: size)
    expect(settings.size, 12)
    expect(size.text, "x12")
    expect(log.all, [#"notConvertible(text: "x12", type: "Int")"#])
    settings.size = 13
    expect(size.text, "13")
    errors.dispose()
  },
  Check(name: "Typing leaves the cursor where it is") {
    let settings = Settings()
    let entry = Entry()
    settings.bind(\.name, to: entry, \.text, mode: .twoWay)
    let editable = OpaquePointer(entry.native)
    gtk_editable_set_position(editable, 1)
    type("xy", into: entry)
    expect(settings.name, "Axyda")
    expect(gtk_editable_get_position(editable), 3)
  },
]
