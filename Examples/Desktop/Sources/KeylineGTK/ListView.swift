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
    selection = NativeObject(UnsafeMutableRawPointer(native))
    subscription = view.changes.subscribe(onNext: { source.apply($0, to: model) })
    let factory = keyline_factory_new(source.bind, source.retained(), ListSource.release)
    super.init(gtk_list_view_new(native, factory))
    selection.set("autoselect", false)
    selection.set("can-unselect", true)
    selected = nil
  }

  deinit { subscription.dispose() }

  /// The position of the selected element; nil if there is none. An observed property.
  public var selected: Int? {
    get { selection.position("selected") }
    set { selection.setPosition("selected", newValue) }
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

  /// The number of elements that GTK has asked for, and has not let go.
  public var rowCount: Int { source.rowCount }

  /// Scrolls to the element at `position`.
  public func scroll(to position: Int) {
    gtk_widget_activate_action_variant(
      widget, "list.scroll-to-item", g_variant_new_uint32(guint32(position)))
  }
}

/// The elements in the state that was reported to GTK: a copy, to which the edits of a change are applied one by one. Not
/// generic, because C calls it.
private final class ListSource {
  private(set) var elements: [Any]
  fileprivate var rowCount = 0
  private var isAhead = false
  private let contents: () -> [Any]
  private let makeRow: (Any) -> Widget

  init<Element>(of view: LiveArray<Element>, _ makeRow: @escaping (Element) -> Widget) {
    contents = { Array(view) }
    elements = contents()
    self.makeRow = { element in
      guard let element = element as? Element else { return Label() }
      return makeRow(element)
    }
  }

  /// Tells GTK each edit. More than 64 of one change, a filter's for example, would cost GTK more than a
  /// new list, which makes the visible rows anew.
  func apply<Element>(_ edits: [ArrayEdit<Element>], to model: OpaquePointer) {
    if edits.count > 64 || isAhead {
      let former = elements.count
      elements = contents()
      // These may contain edits that have not been delivered yet. All have been in the next turn.
      isAhead = true
      _ = MainScheduler.asyncInstance.schedule(()) { _ in
        self.isAhead = false
        return Disposables.create()
      }
      return g_list_model_items_changed(model, 0, guint(former), guint(elements.count))
    }
    for edit in edits {
      let (removed, inserted) = (edit.removedRange, edit.insertedRange)
      var changed = (position: removed.lowerBound, removed: removed.count, added: inserted.count)
      switch edit {
      case .reset(let contents):
        changed = (0, elements.count, contents.count)
        elements = contents
      case .move(let element, let source, let target):
        elements.remove(at: source)
        elements.insert(element, at: target)
        let count = abs(source - target) + 1
        changed = (min(source, target), count, count)
      default: elements.replaceSubrange(removed, with: edit.inserted)
      }
      g_list_model_items_changed(
        model, guint(changed.position), guint(changed.removed), guint(changed.added))
    }
  }

  // MARK: For C

  /// An element that GTK has asked for.
  private final class Row {
    let element: Any
    private let source: ListSource

    init(_ element: Any, of source: ListSource) {
      self.element = element
      self.source = source
      source.rowCount += 1
    }

    deinit { source.rowCount -= 1 }
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
        return Unmanaged.passRetained(Row(source.elements[Int(position)], of: source)).toOpaque()
      },
      release_element: ListSource.release, release: ListSource.release)
  }

  static func element(of row: UnsafeMutableRawPointer) -> Any {
    Unmanaged<Row>.fromOpaque(row).takeUnretainedValue().element
  }

  /// Gives a row of the list its widget.
  let bind: @convention(c) (gpointer?, gpointer?, OpaquePointer?) -> Void = { data, row, item in
    guard let source = ListSource.from(data), let row else { return }
    let child = source.makeRow(element(of: row))
    gtk_list_item_set_child(item, child.widget)
  }
}
