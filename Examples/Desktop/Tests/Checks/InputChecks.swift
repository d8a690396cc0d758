import CGtk
import ExpenseBook
import Foundation
import KeylineGTK

/// The keyboard and the mouse, as the display sees them: `xdotool` moves and presses them.
nonisolated(unsafe) let inputChecks = [
  Check(name: "A user types and clicks") {
    let window = BookWindow()
    window.window.present()
    let id = xdotool("search", "--sync", "--onlyvisible", "--name", "^Expenses$")
    let user = User(window: id)
    user.click(window.widget("add"))
    expect(user.shows(window, "> New expense | 0.00"))
    user.click(window.widget("title"))
    user.press("ctrl+a")
    user.type("Tea for two")
    user.press("Tab")
    user.press("ctrl+a")
    user.type("7.5x")
    expect(user.shows(window, "problem: “7.5x” is not an amount such as 12.50"))
    user.press("BackSpace")
    expect(user.shows(window, "> Tea for two | 7.50"))
    user.click(window.widget("paid"))
    user.click(window.widget("share"))
    user.press("Home")
    expect(user.shows(window, "form: Tea for two | 7.5 | other | paid | 0 % = 0.00"))
    user.click(window.widget("undo"))
    user.click(window.widget("undo"))
    expect(user.shows(window, "form: Tea for two | 7.5 | other | open | 100 % = 7.50"))
    user.click(window.widget("filter"))
    user.type("coffee")
    expect(user.shows(window, "summary: 0 of 1 expenses, 0.00, of which 0.00 is yours"))
    user.press("ctrl+a", "BackSpace")
    expect(user.shows(window, "> Tea for two | 7.50"))
    user.click(window.widget("title"))
    user.press("End")
    // Closed in the middle of an edit.
    user.type(" and")
    weak var native = window.window
    window.window.close()
    serve { native?.isVisible != true }
  }
]

/// The user in front of a window.
private struct User {
  let window: String

  /// Presses the mouse in the middle of a widget.
  func click(_ widget: Widget) {
    let root = gtk_widget_get_root(widget.widget)
    var middle = graphene_point_t(
      x: Float(gtk_widget_get_width(widget.widget)) / 2,
      y: Float(gtk_widget_get_height(widget.widget)) / 2)
    var point = graphene_point_t()
    let native = UnsafeMutableRawPointer(root)?.assumingMemoryBound(to: GtkWidget.self)
    expect(gtk_widget_compute_point(widget.widget, native, &middle, &point) != 0)
    var (left, top) = (0.0, 0.0)
    gtk_native_get_surface_transform(root, &left, &top)
    let (x, y) = (Double(point.x) + left, Double(point.y) + top)
    _ = xdotool("windowfocus", window, "mousemove", "--window", window, "\(Int(x))", "\(Int(y))")
    _ = xdotool("click", "1")
  }

  func type(_ text: String) { _ = xdotool("type", "--delay", "5", text) }

  func press(_ keys: String...) { _ = xdotool(["key"] + keys) }

  /// Whether the window shows the line, now or soon.
  func shows(_ window: BookWindow, _ line: String) -> Bool {
    var lines: [String] = []
    let end = SuspendingClock.now + .seconds(3)
    repeat {
      serve(for: .milliseconds(20))
      lines = window.lines
      if lines.contains(line) { return true }
    } while .now < end
    lines.forEach { print($0) }
    return false
  }
}

private func xdotool(_ arguments: String...) -> String { xdotool(arguments) }

/// Runs the tool while events are served, and returns the last line that it prints.
private func xdotool(_ arguments: [String]) -> String {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["xdotool"] + arguments
  process.standardOutput = pipe
  do { try process.run() } catch { print("xdotool: \(error)") }
  serve { !process.isRunning }
  expect(process.terminationStatus, 0)
  let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  return output.split(separator: "\n").last.map(String.init) ?? ""
}
