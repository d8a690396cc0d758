import CGtk
import Foundation
import KeylineGTK

// A list of many rows that is shown, filtered and sorted, on a live view or, to compare with, as a program
// without observation does it: it makes the list anew.
//
//     Rows live 100000
//     Rows rebuilt 100000

final class Item: ReactiveObject {
  let number: Int
  @Observed var title: String

  init(_ number: Int) {
    self.number = number
    title = "Row \((number &* 7919) % 1_000_003)"
  }
}

final class Store: ReactiveObject {
  let items: ObservableArray<Item>
  @Observed var filter = ""
  @Observed var isDescending = false
  private(set) lazy var visible = items.filtered { [unowned self] in
    filter.isEmpty || $0.title.contains(filter)
  }.sorted { [unowned self] in
    isDescending ? $0.title > $1.title : $0.title < $1.title
  }

  init(count: Int) { items = ObservableArray((0..<count).map { Item($0) }) }
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]) else {
  print("Usage: Rows live|rebuilt COUNT")
  exit(2)
}
try GTK.start()
let window = Window("Rows", width: 300, height: 600)

/// Times `body`, with all events that follow.
func measure(_ name: String, _ body: () -> Void) {
  let time = ContinuousClock().measure {
    body()
    GTK.runPending()
  }
  let milliseconds = time / .milliseconds(1)
  print("\(name): \((milliseconds * 10).rounded() / 10) ms")
}

if arguments[1] == "live" {
  var store: Store?
  measure("model") { store = Store(count: count) }
  guard let store else { exit(1) }
  measure("show") {
    let list = ListView(store.visible) { item in
      let label = Label()
      item.bind(\.title, to: label, \.text)
      return label
    }
    window.child = Scroller(list)
    window.present()
  }
  measure("filter, to a tenth") { store.filter = "77" }
  measure("filter, to all") { store.filter = "" }
  measure("sort") { store.isDescending = true }
  measure("set a visible title") { store.visible[0].title = "Row 99999999" }
  measure("insert") { store.items.insert(Item(count), at: count / 2) }
  print("shown: \(store.visible.count), \(store.visible.first?.title ?? "")")
} else {
  var items: [(number: Int, title: String)] = []
  var visible: [String] = []
  let strings = gtk_string_list_new(nil)
  let list = Widget(
    gtk_list_view_new(gtk_single_selection_new(strings), labels()))
  func rebuild(_ filter: String, _ isDescending: Bool) {
    visible = items.map(\.title).filter { filter.isEmpty || $0.contains(filter) }
      .sorted { isDescending ? $0 > $1 : $0 < $1 }
    var texts = visible.map { UnsafePointer(strdup($0)) } + [nil]
    gtk_string_list_splice(strings, 0, g_list_model_get_n_items(strings), &texts)
    for text in texts { free(UnsafeMutablePointer(mutating: text)) }
  }
  measure("model") {
    items = (0..<count).map { ($0, "Row \(($0 &* 7919) % 1_000_003)") }
  }
  measure("show") {
    rebuild("", false)
    window.child = Scroller(list)
    window.present()
  }
  measure("filter, to a tenth") { rebuild("77", false) }
  measure("filter, to all") { rebuild("", false) }
  measure("sort") { rebuild("", true) }
  measure("set a visible title") {
    if let index = items.firstIndex(where: { $0.title == visible[0] }) {
      items[index].title = "Row 99999999"
    }
    rebuild("", true)
  }
  measure("insert") {
    items.insert((count, "Row \((count &* 7919) % 1_000_003)"), at: count / 2)
    rebuild("", true)
  }
  print("shown: \(visible.count), \(visible.first ?? "")")
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
print(status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? "")

/// A factory of labels, as C programs write it.
func labels() -> OpaquePointer? {
  let factory = gtk_signal_list_item_factory_new()
  let setup: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
    gtk_list_item_set_child(item, gtk_label_new(nil))
  }
  let bind: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
    let label = gtk_list_item_get_child(item)
    let object = gtk_list_item_get_item(item).map { OpaquePointer($0) }
    gtk_label_set_text(OpaquePointer(label), gtk_string_object_get_string(object))
  }
  for (name, handler) in [
    ("setup", unsafeBitCast(setup, to: GCallback.self)),
    ("bind", unsafeBitCast(bind, to: GCallback.self)),
  ] {
    g_signal_connect_data(
      UnsafeMutableRawPointer(factory), name, handler, nil, nil, G_CONNECT_DEFAULT)
  }
  return factory
}
