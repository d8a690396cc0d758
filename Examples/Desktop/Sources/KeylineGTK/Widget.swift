import CGtk
import CKeylineGTK

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A widget of GTK. What a widget has and this class does not is one line in an extension:
/// `var tooltip: String { get { get("tooltip-text") } set { set("tooltip-text", newValue) } }`.
open class Widget: NativeObject {
  /// The native widget.
  public final var widget: UnsafeMutablePointer<GtkWidget> {
    native.assumingMemoryBound(to: GtkWidget.self)
  }

  /// Takes over a new widget: `super.init(gtk_spinner_new())`.
  public init(_ widget: UnsafeMutablePointer<GtkWidget>?) {
    guard let widget else { fatalError("GTK has made no widget") }
    super.init(widget)
  }

  public final var isSensitive: Bool {
    get { get("sensitive") }
    set { set("sensitive", newValue) }
  }
  public final var isVisible: Bool {
    get { get("visible") }
    set { set("visible", newValue) }
  }
  /// Whether the widget takes the width that is left.
  public final var expandsHorizontally: Bool {
    get { get("hexpand") }
    set { set("hexpand", newValue) }
  }
  /// Whether the widget takes the height that is left.
  public final var expandsVertically: Bool {
    get { get("vexpand") }
    set { set("vexpand", newValue) }
  }
  public final var tooltip: String {
    get { get("tooltip-text") }
    set { set("tooltip-text", newValue) }
  }

  /// Whether the widget has the class `style` of the style sheet: `error`, `dim-label`, `title-2`.
  public final subscript(style style: String) -> Bool {
    get { gtk_widget_has_css_class(widget, style) != 0 }
    set {
      if newValue {
        gtk_widget_add_css_class(widget, style)
      } else {
        gtk_widget_remove_css_class(widget, style)
      }
    }
  }

  /// Gives the widget the keyboard.
  @discardableResult public final func focus() -> Bool { gtk_widget_grab_focus(widget) != 0 }
}

// MARK: - Containers

/// Children in a row or a column.
public final class Box: Widget {
  public enum Axis { case row, column }

  public init(_ axis: Axis, spacing: Int = 6, margin: Int = 0, _ children: [Widget] = []) {
    let orientation = axis == .row ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL
    super.init(gtk_box_new(orientation, gint(spacing)))
    for side in ["margin-start", "margin-end", "margin-top", "margin-bottom"] { set(side, margin) }
    for child in children { append(child) }
  }

  public func append(_ child: Widget) {
    gtk_box_append(native.assumingMemoryBound(to: GtkBox.self), child.widget)
  }
}

/// Children in rows and columns.
public final class Grid: Widget {
  public init(spacing: Int = 6) {
    super.init(gtk_grid_new())
    set("row-spacing", spacing)
    set("column-spacing", spacing)
  }

  public func attach(_ child: Widget, column: Int, row: Int, width: Int = 1) {
    let grid = native.assumingMemoryBound(to: GtkGrid.self)
    gtk_grid_attach(grid, child.widget, gint(column), gint(row), gint(width), 1)
  }
}

/// A child that may be larger than there is room.
public final class Scroller: Widget {
  public init(_ child: Widget) {
    super.init(gtk_scrolled_window_new())
    gtk_scrolled_window_set_child(OpaquePointer(native), child.widget)
    expandsVertically = true
    expandsHorizontally = true
  }
}

/// A window. GTK keeps it until it is closed or destroyed, whether it is shown or not.
public final class Window: Widget {
  public init(_ title: String, width: Int, height: Int) {
    super.init(gtk_window_new())
    self.title = title
    gtk_window_set_default_size(window, gint(width), gint(height))
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    native.assumingMemoryBound(to: GtkWindow.self)
  }

  public var title: String {
    get { get("title") }
    set { set("title", newValue) }
  }
  public var child: Widget? {
    didSet { gtk_window_set_child(window, child?.widget) }
  }

  public func present() { gtk_window_present(window) }

  /// Closes the window as its user does: a handler of `close-request` is asked.
  public func close() { gtk_window_close(window) }

  /// Destroys the window, with everything in it that is not referenced elsewhere.
  public func destroy() { gtk_window_destroy(window) }
}

// MARK: - Controls

/// A text that is shown.
public final class Label: Widget {
  public init(_ text: String = "") {
    super.init(gtk_label_new(text))
    set("xalign", 0.0)
  }

  public var text: String {
    get { get("label") }
    set { if newValue != text { set("label", newValue) } }
  }
}

/// A line of text that the user edits.
public final class Entry: Widget {
  public init(placeholder: String = "") {
    super.init(gtk_entry_new())
    set("placeholder-text", placeholder)
  }

  /// Setting the text that is there already leaves the cursor where it is.
  public var text: String {
    get { get("text") }
    set { if newValue != text { set("text", newValue) } }
  }
}

/// A button that the user clicks.
public final class Button: Widget {
  public init(_ label: String) { super.init(gtk_button_new_with_label(label)) }

  /// Clicks the button, as its user does.
  public func click() { keyline_emit(native, "clicked") }

  public var label: String {
    get { get("label") }
    set { set("label", newValue) }
  }
}

/// A box with a check mark.
public final class CheckButton: Widget {
  public init(_ label: String) { super.init(gtk_check_button_new_with_label(label)) }

  public var isActive: Bool {
    get { get("active") }
    set { set("active", newValue) }
  }
}

/// A number that the user drags.
public final class Scale: Widget {
  private let adjustment: NativeObject

  public init(_ range: ClosedRange<Double>, step: Double) {
    let scale = gtk_scale_new_with_range(
      GTK_ORIENTATION_HORIZONTAL, range.lowerBound, range.upperBound, step)
    let native = UnsafeMutableRawPointer(scale)?.assumingMemoryBound(to: GtkRange.self)
    guard let adjustment = gtk_range_get_adjustment(native) else {
      fatalError("a scale without numbers")
    }
    self.adjustment = NativeObject(adjustment)
    super.init(scale)
  }

  public var value: Double {
    get { adjustment.get("value") }
    set { adjustment.set("value", newValue) }
  }

  /// The value for `rx`, which distinguishes the user's changes.
  var numbers: NativeObject { adjustment }
}

/// One of several texts.
public final class DropDown: Widget {
  public init(_ options: [String]) {
    var options = options.map { UnsafePointer(strdup($0)) } + [nil]
    super.init(gtk_drop_down_new_from_strings(&options))
    for option in options { free(UnsafeMutablePointer(mutating: option)) }
  }

  /// The position of the selected text; nil if there is none.
  public var selected: Int? {
    get { position("selected") }
    set { setPosition("selected", newValue) }
  }
}

// MARK: - Reactive extensions

extension Reactive where Base: Entry {
  public var text: ControlProperty<String> {
    controlProperty("text", get: { $0.text }, set: { $0.text = $1 })
  }
}

extension Reactive where Base: Label {
  public var text: Binder<String> { Binder(base) { $0.text = $1 } }
}

extension Reactive where Base: Button {
  public var clicked: ControlEvent<Void> { ControlEvent(events: events("clicked") { _ in true }) }
}

extension Reactive where Base: CheckButton {
  public var active: ControlProperty<Bool> {
    controlProperty("active", get: { $0.isActive }, set: { $0.isActive = $1 })
  }
}

extension Reactive where Base: Scale {
  public var value: ControlProperty<Double> {
    base.numbers.rx.controlProperty("value", get: { $0.get("value") }, set: { $0.set("value", $1) })
  }
}

extension Reactive where Base: DropDown {
  public var selected: ControlProperty<Int?> {
    controlProperty("selected", get: { $0.selected }, set: { $0.selected = $1 })
  }
}
