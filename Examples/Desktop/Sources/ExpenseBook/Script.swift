import CGtk
import Foundation
import KeylineGTK

/// Drives a window like its user: it types letter by letter, clicks buttons, and prints what the window
/// shows.
///
///     type title Train to Kyiv     replaces the text of a field: title, amount, filter
///     click add                    undo, redo, add, remove, by-title, by-amount (the headers)
///     choose 2                     the category at this position
///     drag 50                      the share
///     toggle                       paid or not
///     select 0                     the row at this position
///     wait 0.3                     serves events for so many seconds
///     show                         prints the window
///     screenshot window.png        writes a picture of the window
///     close                        closes the window
///
/// A line that begins with # is a comment.
public final class Script {
  /// A line that is no command.
  public struct Mistake: Error, CustomStringConvertible {
    public let description: String
  }

  private let window: BookWindow

  public init(for window: BookWindow) { self.window = window }

  /// Runs the commands, with all events that they cause.
  public func run(_ lines: [String], print: (String) -> Void) throws {
    for (number, line) in lines.enumerated() {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let command = words.first, !line.hasPrefix("#") else { continue }
      let rest = words.count > 1 ? String(words[1]) : ""
      guard try run(String(command), rest, print) else {
        throw Mistake(description: "line \(number + 1): \(line)")
      }
      GTK.runPending()
    }
  }

  private func run(_ command: String, _ rest: String, _ print: (String) -> Void) throws -> Bool {
    switch command {
    case "type":
      let words = rest.split(separator: " ", maxSplits: 1)
      guard let field = words.first.flatMap({ window.find(String($0)) }) as? Entry else {
        return false
      }
      type(words.count > 1 ? String(words[1]) : "", into: field)
    case "click":
      guard let button = window.find(rest) as? Button else { return false }
      button.click()
    case "choose":
      guard let position = Int(rest) else { return false }
      window.form.category.selected = position
    case "drag":
      guard let share = Double(rest) else { return false }
      window.form.share.value = share
    case "toggle": gtk_widget_activate(window.form.isPaid.widget)
    case "select":
      guard let position = Int(rest) else { return false }
      window.list.selected = position
    case "wait":
      guard let seconds = Double(rest) else { return false }
      serve(for: seconds)
    case "show": window.lines.forEach(print)
    case "screenshot": try screenshot(rest)
    case "close": window.window.close()
    default: return false
    }
    return true
  }

  private func type(_ text: String, into field: Entry) {
    let editable = OpaquePointer(field.native)
    field.focus()
    gtk_editable_delete_text(editable, 0, -1)
    for letter in text {
      var position = gtk_editable_get_position(editable)
      gtk_editable_insert_text(editable, "\(letter)", -1, &position)
      gtk_editable_set_position(editable, position)
      GTK.runPending()
    }
  }

  private func serve(for seconds: Double) {
    let end = SuspendingClock.now + .seconds(seconds)
    var isOver = false
    let timer = MainScheduler.instance.scheduleRelative((), dueTime: .seconds(seconds)) { _ in
      isOver = true
      return Disposables.create()
    }
    GTK.run { !isOver && .now < end + .seconds(1) }
    timer.dispose()
  }

  /// Renders the window into a PNG file.
  private func screenshot(_ path: String) throws {
    serve(for: 0.1)
    let widget = window.window.widget
    let paintable = gtk_widget_paintable_new(widget)
    let snapshot = gtk_snapshot_new()
    gdk_paintable_snapshot(
      paintable, snapshot, Double(gtk_widget_get_width(widget)),
      Double(gtk_widget_get_height(widget)))
    let renderer = gtk_native_get_renderer(OpaquePointer(widget))
    guard let node = gtk_snapshot_free_to_node(snapshot),
      let texture = gsk_renderer_render_texture(renderer, node, nil)
    else { throw Mistake(description: "there is nothing to see") }
    guard gdk_texture_save_to_png(texture, path) != 0 else {
      throw Mistake(description: "\(path) cannot be written")
    }
    g_object_unref(UnsafeMutableRawPointer(texture))
    gsk_render_node_unref(node)
    g_object_unref(UnsafeMutableRawPointer(paintable))
  }
}
