import CGtk
import CKeylineGTK
import KeylineGTK

/// An element of a list.
final class Item: ReactiveObject {
  let number: Int
  @Observed var title: String
  @Observed var rank: Int

  init(_ number: Int, rank: Int? = nil) {
    self.number = number
    title = "\(number)"
    self.rank = rank ?? number
  }
}

/// A copy of a list, to which each change that GTK receives is applied.
final class Mirror {
  private let model: OpaquePointer
  private(set) var objects: [UnsafeMutableRawPointer] = []

  init<Element>(of list: ListView<Element>) {
    model = gtk_list_view_get_model(OpaquePointer(list.native))
    replace(0, 0, Int(g_list_model_get_n_items(model)))
    let changed: @convention(c) (OpaquePointer?, guint, guint, guint, gpointer?) -> Void = {
      _, position, removed, added, data in
      guard let data else { return }
      Unmanaged<Mirror>.fromOpaque(data).takeUnretainedValue()
        .replace(Int(position), Int(removed), Int(added))
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(model), "items-changed", unsafeBitCast(changed, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, G_CONNECT_DEFAULT)
  }

  private func replace(_ position: Int, _ removed: Int, _ added: Int) {
    for object in objects[position..<position + removed] { g_object_unref(object) }
    let new = (position..<position + added).compactMap { g_list_model_get_item(model, guint($0)) }
    objects.replaceSubrange(position..<position + removed, with: new)
    expect(Int(g_list_model_get_n_items(model)), objects.count)
  }

  deinit { for object in objects { g_object_unref(object) } }
}

/// Lists of GTK on live views.
nonisolated(unsafe) let listChecks = [
  Check(name: "A list follows random edits of a live view") {
    let items = ObservableArray((0..<20).map { Item($0) })
    let divisor = Item(3)
    let view = items.filtered { $0.rank % divisor.rank != 0 }.sorted { $0.rank < $1.rank }
    // Edits inside the delivery that comes before the one to GTK.
    let observer = view.changes.subscribe(onNext: { edits in
      if edits.count > 40, items.count > 3 {
        items.remove(at: 1)
        items.move(from: 0, to: 2)
      }
    })
    let list = ListView(view) { Label($0.title) }
    let mirror = Mirror(of: list)
    var next = 20
    for _ in 0..<4_000 {
      func edit() {
        let index = Int.random(in: 0...items.count)
        switch Int.random(in: 0..<8) {
        case 0:
          items.insert(Item(next, rank: .random(in: 0..<50)), at: index)
          next += 1
        case 2 where index < items.count: items.remove(at: index)
        case 3 where index < items.count: items[index].rank = .random(in: 0..<50)
        case 4 where index < items.count: items.move(from: index, to: .random(in: items.indices))
        case 5 where index < items.count: items.removeSubrange(index..<min(index + 3, items.count))
        case 6 where Int.random(in: 0..<50) == 0: items.reverse()
        case 7 where Int.random(in: 0..<100) == 0: items.removeAll()
        case 1 where Int.random(in: 0..<20) == 0: divisor.rank = .random(in: 2..<9)
        default: items.append(contentsOf: [Item(next), Item(next + 1)])
        }
      }
      if Bool.random() { edit() } else { batchUpdates { for _ in 0..<4 { edit() } } }
      if items.count > 400 { items.removeFirst(300) }
      if Int.random(in: 0..<10) == 0 { GTK.runPending() }
      expect(list.elementNumbers(of: mirror), view.map(\.number))
      if Check.failures > 0 { break }
    }
    observer.dispose()
  },
  Check(name: "Rows are made for what is visible, and follow their elements") {
    let items = ObservableArray((0..<100_000).map { Item($0) })
    var made = 0
    let list = ListView(items) { item in
      made += 1
      let label = Label()
      item.bind(\.title, to: label, \.text)
      return label
    }
    let window = Window("Test", width: 200, height: 300)
    window.child = Scroller(list)
    window.present()
    serve { made > 0 }
    serve(for: .milliseconds(200))
    expect(made < 500)
    items[0].title = "first"
    items.insert(Item(-1), at: 0)
    items.removeSubrange(10..<50_000)
    serve(for: .milliseconds(100))
    expect(made < 1_500)
    window.destroy()
  },
  Check(name: "The selection is a property") {
    let log = Log()
    let items = ObservableArray((0..<5).map { Item($0) })
    let list = ListView(items) { Label($0.title) }
    expect(list.selected, nil)
    let positions = list.observe(\.selected).subscribe(onNext: { log.append("\($0 ?? -1)") })
    list.selected = 2
    items.insert(Item(9), at: 0)
    items.removeSubrange(3..<4)
    expect(log.all, ["-1", "2", "3", "-1"])
    expect(list.selectedElement?.number, nil)
    list.selected = 99
    expect(list.selected, nil)
    positions.dispose()
  },
  Check(name: "The selected element stays selected when it moves") {
    let items = ObservableArray((0..<300).map { Item($0) })
    let limit = Item(1_000)
    let view = items.filtered { $0.rank < limit.rank }.sorted { $0.rank < $1.rank }
    let list = ListView(view) { Label($0.title) }
    list.selected = 100
    let element = list.selectedElement
    func expectSelected(line: Int = #line) {
      expect(list.selectedElement === element, line: line)
      expect(list.selected, view.firstIndex { $0 === element }, line: line)
    }
    element?.rank = 7
    expectSelected()
    limit.rank = 8
    expectSelected()
    limit.rank = 1_000
    expectSelected()
    items.reverse()
    items.swapAt(3, 200)
    batchUpdates { items.insert(contentsOf: (300..<500).map { Item($0, rank: -1) }, at: 0) }
    expectSelected()
    items.removeAll { $0 === element }
    expect(list.selected, nil)
    // In a batch, before the edit has reached the list.
    let other = ListView(items) { Label($0.title) }
    batchUpdates {
      items.append(Item(10))
      other.selected = items.count - 1
    }
    expect(other.selectedElement?.number, 10)
    other.selected = -5
    expect(other.selected, nil)
  },
  Check(name: "The array is edited while rows are made") {
    for edit in 0..<5 {
      let items = ObservableArray((0..<50).map { Item($0) })
      var count = 0
      let list = ListView(items) { item in
        count += 1
        if count == 5 {
          switch edit {
          case 0: items.append(Item(99))
          case 1: items.removeAll()
          case 2: items.removeAll { $0 === item }
          case 3: items[items.count - 1] = Item(98)
          default: items.insert(contentsOf: (0..<200).map { Item($0) }, at: 3)
          }
        }
        return Label(item.title)
      }
      let mirror = Mirror(of: list)
      let window = Window("Test", width: 200, height: 300)
      window.child = Scroller(list)
      window.present()
      serve { count >= 5 }
      serve(for: .milliseconds(30))
      expect(list.elementNumbers(of: mirror), items.map(\.number))
      window.destroy()
    }
  },
  Check(name: "The array is edited while rows are made for a new list") {
    let items = ObservableArray((0..<1_000).map { Item($0) })
    let limit = Item(1_000)
    var isEditing = false
    let list = ListView(items.filtered { $0.rank < limit.rank || $0.rank % 5 != 0 }) { item in
      if isEditing {
        isEditing = false
        items.append(Item(-1))
      }
      return Label(item.title)
    }
    let mirror = Mirror(of: list)
    let window = Window("Test", width: 200, height: 300)
    window.child = Scroller(list)
    window.present()
    serve(for: .milliseconds(60))
    // Two hundred edits are one new list, which makes rows in this turn of the loop; one of them edits.
    isEditing = true
    limit.rank = 0
    serve { !isEditing }
    serve(for: .milliseconds(30))
    expect(list.elementNumbers(of: mirror), (0..<1_000).filter { $0 % 5 != 0 } + [-1])
    window.destroy()
  },
  Check(name: "A list and its rows are released with their window") {
    weak var weakList: ListView<Item>?
    weak var weakItem: Item?
    do {
      let items = ObservableArray((0..<1_000).map { Item($0) })
      let list = ListView(items) { item in
        let label = Label()
        item.bind(\.title, to: label, \.text)
        return label
      }
      weakList = list
      weakItem = items[0]
      let window = Window("Test", width: 200, height: 300)
      window.child = Scroller(list)
      window.present()
      serve(for: .milliseconds(100))
      window.close()
    }
    serve { weakList == nil && weakItem == nil }
  },
]

extension ListView<Item> {
  func elementNumbers(of mirror: Mirror) -> [Int] {
    mirror.objects.map { object in
      guard let row = keyline_row_element(object) else { return -1 }
      return Self.element(of: row)?.number ?? -1
    }
  }
}
