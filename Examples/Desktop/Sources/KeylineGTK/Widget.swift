import CGtk
import CKeylineGTK

/// A widget of GTK. A property that this class does not have is one line in a subclass, see ``Native``, or
/// in an extension: `var role: Int { get { get("accessible-role") } set { set("accessible-role", newValue) } }`.
open class Widget: NativeObject {
  @Native("sensitive") public final var isSensitive: Bool
  @Native("visible") public final var isVisible: Bool
  /// Whether the widget takes the width that is left.
  @Native("hexpand") public final var expandsHorizontally: Bool
  /// Whether the widget takes the height that is left.
  @Native("vexpand") public final var expandsVertically: Bool
  @Native("tooltip-text") public final var tooltip: String

  /// The native widget.
  public final var widget: UnsafeMutablePointer<GtkWidget> {
    native.assumingMemoryBound(to: GtkWidget.self)
  }

  /// Takes over a new widget: `super.init(gtk_spinner_new())`.
  public init(_ widget: UnsafeMutablePointer<GtkWidget>?) {
    guard let widget else { fatalError("GTK has made no widget") }
    super.init(widget)
  }

  /// Whether the widget has the class `style` of the style sheet: `error`, `dim-label`, `title-2`.
  public final subscript(style style: String) -> Bool {
    get { gtk_widget_has_css_class(widget, style) != 0 }
    set { (newValue ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(widget, style) }
  }

  /// Gives the widget the keyboard.
  @discardableResult public final func focus() -> Bool { gtk_widget_grab_focus(widget) != 0 }

  /// Takes the widget out of the container or window that it is in, if it is in one.
  public final func removeFromParent() { keyline_remove_from_parent(widget) }
}

// MARK: - Containers

/// Children in a row or a column.
public final class Box: Widget {
  public enum Axis { case row, column }

  public init(_ axis: Axis, spacing: Int = 6, margin: Int = 0, _ children: [Widget] = []) {
    let orientation = axis == .row ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL
    super.init(gtk_box_new(orientation, gint(clamping: spacing)))
    for side in ["margin-start", "margin-end", "margin-top", "margin-bottom"] { set(side, margin) }
    for child in children { append(child) }
  }

  /// Adds a child at the end; it leaves the container that it is in.
  public func append(_ child: Widget) {
    child.removeFromParent()
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

  /// Adds a child; it leaves the container that it is in.
  public func attach(_ child: Widget, column: Int, row: Int, width: Int = 1) {
    child.removeFromParent()
    gtk_grid_attach(
      native.assumingMemoryBound(to: GtkGrid.self), child.widget, gint(clamping: column),
      gint(clamping: row), gint(clamping: width), 1)
  }
}

/// A child that may be larger than there is room.
public final class Scroller: Widget {
  public init(_ child: Widget) {
    super.init(gtk_scrolled_window_new())
    child.removeFromParent()
    gtk_scrolled_window_set_child(OpaquePointer(native), child.widget)
    expandsVertically = true
    expandsHorizontally = true
  }
}

/// A window. GTK keeps it until it is closed or destroyed, whether it is shown or not.
public final class Window: Widget {
  @Native("title") public var title: String

  public init(_ title: String, width: Int, height: Int) {
    super.init(gtk_window_new())
    self.title = title
    gtk_window_set_default_size(window, gint(clamping: width), gint(clamping: height))
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    native.assumingMemoryBound(to: GtkWindow.self)
  }

  /// The widget in the window; a new one leaves the container that it is in.
  public var child: Widget? {
    get { NativeObject.of(gtk_window_get_child(window)) as? Widget }
    set {
      newValue?.removeFromParent()
      gtk_window_set_child(window, newValue?.widget)
    }
  }

  public func present() { gtk_window_present(window) }

  /// Closes the window as its user does. A handler of `close-request` may keep it open:
  /// `try window.connect("close-request", returning: { document.isEdited })`.
  public func close() { gtk_window_close(window) }

  /// Destroys the window, with everything in it that is not referenced elsewhere.
  public func destroy() { gtk_window_destroy(window) }
}

// MARK: - Controls

/// A text that is shown.
public final class Label: Widget {
  @Native("label") public var text: String

  public init(_ text: String = "") {
    super.init(gtk_label_new(text))
    set("xalign", 0.0)
  }
}

/// A line of text that the user edits.
public final class Entry: Widget {
  @Native("text") public var text: String

  public init(placeholder: String = "") {
    super.init(gtk_entry_new())
    set("placeholder-text", placeholder)
  }
}

/// A button that the user clicks.
public final class Button: Widget {
  @Native("label") public var label: String

  public init(_ label: String) { super.init(gtk_button_new_with_label(label)) }

  /// Clicks the button, as its user does.
  public func click() { keyline_emit(native, "clicked") }
}

/// A box with a check mark.
public final class CheckButton: Widget {
  @Native("active") public var isActive: Bool

  public init(_ label: String) { super.init(gtk_check_button_new_with_label(label)) }
}

/// A number that the user drags.
public final class Scale: Widget {
  private let adjustment: NativeObject

  public init(_ range: ClosedRange<Double>, step: Double) {
    let (lowest, highest) = (range.lowerBound, range.upperBound)
    let numbers = gtk_adjustment_new(lowest, lowest, highest, step, step * 10, 0)
    guard let numbers else { fatalError("GTK has made no adjustment") }
    adjustment = NativeObject(numbers)
    super.init(gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, numbers))
  }

  public var value: Double {
    get { adjustment.get("value") }
    set { adjustment.set("value", newValue) }
  }

  /// The object that has the value.
  var numbers: NativeObject { adjustment }
}

/// One of several texts.
public final class DropDown: Widget {
  /// The position of the selected text; nil if there is none.
  @Native("selected") public var selected: Int?

  public init(_ options: [String]) {
    let texts = gtk_string_list_new(nil)
    for option in options { gtk_string_list_append(texts, option) }
    super.init(gtk_drop_down_new(texts, nil))
  }
}

// MARK: - Reactive extensions

extension Reactive where Base: Entry {
  public var text: ControlProperty<String> { property("text") }
}

extension Reactive where Base: Label {
  public var text: Binder<String> { binder { $0.text = $1 } }
}

extension Reactive where Base: Button {
  public var clicked: ControlEvent<Void> { event("clicked") }
}

extension Reactive where Base: CheckButton {
  public var active: ControlProperty<Bool> { property("active") }
}

extension Reactive where Base: Scale {
  public var value: ControlProperty<Double> { base.numbers.rx.property("value") }
}

extension Reactive where Base: DropDown {
  public var selected: ControlProperty<Int?> { property("selected") }
}
