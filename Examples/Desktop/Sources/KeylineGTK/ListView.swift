import CGtk
import CKeylineGTK

/// A list of GTK on an observable array or a live view: it follows every edit, and makes rows only for
/// the visible elements.
///
/// ```swift
/// let list = ListView(store.visible) { item in
///   let label = Label()
///   item.bind(\.title, to: label, \.text)
///   return label
/// }
/// ```
///
/// The selected element stays selected when it moves, if it is an object. `makeRow` may edit the array: the
/// list follows in the next turn of the loop.
///
/// - Lifetime: retains the view. A row and its bindings are released when it is scrolled away.
public final class ListView<Element>: Widget {
  private let selection: NativeObject
  private let source: ListSource
  private let subscription: any Disposable

  public init(_ view: LiveArray<Element>, makeRow: @escaping (Element) -> Widget) {
    let source = ListSource(of: view, makeRow)
    // The selection takes over the model, and the list view the selection and the factory.
    guard let model = keyline_list_model_new(source.callbacks, source.retained()),
      let native = gtk_single_selection_new(model)
    else { fatalError("GTK has made no list") }
    self.source = source
    source.model = model
    selection = NativeObject(UnsafeMutableRawPointer(native))
    subscription = view.changes.subscribe(onNext: source.apply)
    let factory = keyline_factory_new(source.bind, source.retained(), ListSource.release)
    super.init(gtk_list_view_new(native, factory))
    selection.set("autoselect", false)
    selection.set("can-unselect", true)
    selected = nil
  }

  deinit {
    subscription.dispose()
    source.model = nil
  }

  /// The position of the selected element; nil if there is none. An observed property. A position that the
  /// array has, and the list not yet, because the edit is in an open batch, is selected with the edit.
  public var selected: Int? {
    get { selection.get("selected") }
    set {
      let isAhead = newValue.map { $0 >= source.elements.count && $0 < source.count() } ?? false
      source.pendingSelection =
        isAhead ? { [selection] in selection.set("selected", newValue) } : nil
      if !isAhead { selection.set("selected", newValue) }
    }
  }

  /// The selected element; nil if there is none. An observed property.
  public var selectedElement: Element? {
    selected.flatMap {
      source.elements.indices.contains($0) ? source.elements[$0] as? Element : nil
    }
  }

  /// The element behind an object of the native list.
  public static func element(of row: UnsafeMutableRawPointer) -> Element? {
    ListSource.element(of: row) as? Element
  }
}

/// The elements in the state that was reported to GTK: a copy, to which the edits are applied. Not generic,
/// because C calls it.
private final class ListSource {
  private(set) var elements: [Any]
  /// Nil after the list has died.
  var model: OpaquePointer?
  var pendingSelection: (() -> Void)?
  let count: () -> Int
  private let contents: () -> [Any]
  private let makeRow: (Any) -> Widget
  private let hasIdentity: Bool
  private var isBinding = false
  /// Whether edits may be delivered that the elements have already.
  private var isAhead = false
  /// Whether edits have been made that the elements do not have.
  private var isStale = false

  init<Element>(of view: LiveArray<Element>, _ makeRow: @escaping (Element) -> Widget) {
    contents = { Array(view) }
    count = { view.count }
    elements = contents()
    hasIdentity = Element.self is AnyObject.Type
    self.makeRow = { element in
      guard let element = element as? Element else { return Label() }
      return makeRow(element)
    }
  }

  /// Tells GTK the range that the edits of a change are in. More than 64, of a filter for example, would
  /// each cost O(elements): then the whole list is copied.
  func apply<Element>(_ edits: [ArrayEdit<Element>]) {
    if isBinding || isAhead || edits.count > 64 { return replace() }
    let former = elements.count
    var (first, tail) = (former, former)
    for edit in edits {
      let (removed, inserted) = (edit.removedRange, edit.insertedRange)
      first = min(first, removed.lowerBound, inserted.lowerBound)
      tail = min(tail, elements.count - removed.upperBound)
      switch edit {
      case .reset(let contents): (elements, first, tail) = (contents, 0, 0)
      case .move(let element, let source, let target):
        elements.remove(at: source)
        elements.insert(element, at: target)
      default: elements.replaceSubrange(removed, with: edit.inserted)
      }
      tail = min(tail, elements.count - inserted.upperBound)
    }
    changed(first, removed: former - first - tail, added: elements.count - first - tail)
  }

  /// Copies the contents, which may have edits that have not been delivered yet. All have been in the next
  /// turn of the loop. While GTK makes a row, it must not learn of a change: then only the next turn copies.
  private func replace() {
    if isBinding { isStale = true } else { copy() }
    if isAhead { return }
    isAhead = true
    _ = MainScheduler.asyncInstance.schedule(()) { _ in
      self.isAhead = false
      if self.isStale { self.copy() }
      return Disposables.create()
    }
  }

  private func copy() {
    isStale = false
    let former = elements.count
    elements = contents()
    changed(0, removed: former, added: elements.count)
  }

  private func changed(_ position: Int, removed: Int, added: Int) {
    guard let model else { return }
    g_list_model_items_changed(model, guint(position), guint(removed), guint(added))
    exchange(&pendingSelection, nil)?()
  }

  // MARK: For C

  /// An element that GTK has asked for.
  private final class Row {
    let element: Any

    init(_ element: Any) { self.element = element }
  }

  func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static let release: @convention(c) (gpointer?) -> Void = { data in
    if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
  }

  private static func from(_ data: gpointer?) -> ListSource? {
    data.map { Unmanaged<ListSource>.fromOpaque($0).takeUnretainedValue() }
  }

  var callbacks: KeylineListCallbacks {
    KeylineListCallbacks(
      count: { data in guint(ListSource.from(data)?.elements.count ?? 0) },
      element: { data, position in
        guard let source = ListSource.from(data), position < source.elements.count else {
          return nil
        }
        return Unmanaged.passRetained(Row(source.elements[Int(position)])).toOpaque()
      },
      identity: { data, position in
        guard let source = ListSource.from(data), source.hasIdentity,
          position < source.elements.count
        else { return nil }
        return Unmanaged.passUnretained(source.elements[Int(position)] as AnyObject).toOpaque()
      },
      release_element: ListSource.release, release: ListSource.release)
  }

  static func element(of row: UnsafeMutableRawPointer) -> Any {
    Unmanaged<Row>.fromOpaque(row).takeUnretainedValue().element
  }

  /// Gives a row of the list its widget.
  let bind: @convention(c) (gpointer?, gpointer?, OpaquePointer?) -> Void = { data, row, item in
    guard let source = ListSource.from(data), let row else { return }
    source.isBinding = true
    let child = source.makeRow(element(of: row))
    source.isBinding = false
    gtk_list_item_set_child(item, child.widget)
  }
}
