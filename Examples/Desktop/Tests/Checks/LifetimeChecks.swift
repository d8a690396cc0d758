import CGtk
import KeylineGTK

/// A widget and its Swift object live and die together.
nonisolated(unsafe) let lifetimeChecks = [
  Check(name: "GTK keeps the Swift object of a child alive") {
    let settings = Settings()
    let window = Window("Test", width: 100, height: 100)
    weak var label: Label?
    do {
      let child = Label()
      settings.bind(\.name, to: child, \.text)
      window.child = Box(.column, [child])
      label = child
    }
    settings.name = "Grace"
    expect(label?.text, "Grace")
    window.child = nil
    expect(label == nil)
    settings.name = "Ada"
    window.destroy()
  },
  Check(name: "Swift keeps the widget alive") {
    let log = Log()
    var label: Label? = Label("a")
    let box = Box(.column, [label].compactMap { $0 })
    let subscription = label?.rx.observe(String.self, "label")
      .subscribe(onNext: { log.append($0) }, onCompleted: { log.append("completed") })
    gtk_box_remove(
      box.native.assumingMemoryBound(to: GtkBox.self), label?.widget)
    label?.text = "b"
    expect(log.all, ["a", "b"])
    label = nil
    expect(log.all, ["a", "b", "completed"])
    subscription?.dispose()
  },
  Check(name: "Subscriptions end with the window that is closed") {
    let log = Log()
    weak var weakWindow: Window?
    weak var weakEntry: Entry?
    let settings = Settings()
    do {
      let window = Window("Test", width: 200, height: 100)
      let entry = Entry()
      window.child = entry
      weakWindow = window
      weakEntry = entry
      settings.bind(\.name, to: entry, \.text, mode: .twoWay)
      _ = entry.rx.text.subscribe(onNext: { log.append($0) }, onCompleted: { log.append("over") })
      _ = window.rx.observe(Bool.self, "visible").subscribe(onCompleted: { log.append("closed") })
      window.present()
    }
    GTK.runPending()
    expect(weakWindow != nil)
    weakWindow?.close()
    serve { weakWindow == nil }
    expect(weakEntry == nil)
    expect(log.all.sorted(), ["Ada", "closed", "over"])
    settings.name = "alone"
  },
  Check(name: "A signal handler is released with its object") {
    final class Token {}
    weak var token: Token?
    do {
      let made = Token()
      token = made
      let button = Button("OK")
      _ = try button.connect("clicked") { _ = made }
      expect(token != nil)
    }
    expect(token == nil)
    do {
      let made = Token()
      token = made
      let button = Button("OK")
      let handler = try button.connect("clicked") { _ = made }
      handler.dispose()
      handler.dispose()
    }
    expect(token == nil)
  },
  Check(name: "A native object may have two Swift objects") {
    let log = Log()
    var label: Label? = Label("a")
    weak var weakLabel = label
    var other: NativeObject? = label.map { NativeObject($0.native) }
    weak var weakOther = other
    let subscription = other?.rx.observe(String.self, "label")
      .subscribe(onNext: { log.append($0) }, onCompleted: { log.append("completed") })
    _ = other?.get("label") as String?
    label?.text = "b"
    label = nil
    // The native object lives as long as the other, and its first Swift object with it.
    expect(weakLabel != nil)
    other?.set("label", "c")
    expect(other?.get("label"), "c")
    other = nil
    expect(weakOther == nil && weakLabel == nil)
    expect(log.all, ["a", "b", "c", "completed"])
    subscription?.dispose()
  },
  Check(name: "A program runs until no window is visible") {
    let (shown, hidden) = (
      Window("Shown", width: 50, height: 50), Window("Hidden", width: 50, height: 50)
    )
    shown.present()
    let closing = Observable<Int>.timer(.milliseconds(50), scheduler: MainScheduler.instance)
      .subscribe(onNext: { _ in shown.close() })
    GTK.run()
    hidden.destroy()
    closing.dispose()
  },
  Check(name: "Ten thousand widgets come and go") {
    let settings = Settings()
    let box = Box(.column)
    weak var last: Label?
    for _ in 0..<10_000 {
      let label = Label()
      settings.bind(\.name, to: label, \.text)
      box.append(label)
      last = label
      gtk_box_remove(box.native.assumingMemoryBound(to: GtkBox.self), label.widget)
    }
    expect(last == nil)
    settings.name = "Grace"
  },
]
