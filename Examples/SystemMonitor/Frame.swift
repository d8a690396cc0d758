import ExampleSupport

/// One picture of the view model, as lines of text that ``TerminalView`` draws on the screen.
enum Frame {
  typealias Size = Screen.Size
  typealias Line = Screen.Line

  /// Draws `viewModel` into a window of `size`: at most that many rows, each at most that wide.
  static func lines(of viewModel: MonitorViewModel, size: Size) -> [Line] {
    var lines = viewModel.notice.map { [Line(text: $0)] } ?? []
    lines.append(Line(text: heading(viewModel), style: .bold))
    lines.append(Line(text: ""))
    lines.append(
      meter("cpu", viewModel.usage, viewModel.usageHistory, width: size.columns))
    lines += cores(viewModel.cores, in: size)
    lines.append(
      meter("mem", viewModel.memory, viewModel.memoryHistory, width: size.columns))
    lines.append(Line(text: "swap  \(viewModel.swap)"))
    lines.append(Line(text: ""))
    lines.append(Line(text: selection(viewModel), style: .bold))
    lines.append(Line(text: ""))
    lines.append(
      Line(
        text: Format.left(
          columns(" ", "PID", "S", "CPU", "MEMORY", "COMMAND"), width: size.columns),
        style: .inverse))
    lines += table(viewModel, rows: max(size.rows - lines.count, 0))
    return lines.prefix(max(size.rows, 0)).map { line in
      Line(text: String(line.text.prefix(max(size.columns, 0))), style: line.style)
    }
  }

  private static func heading(_ viewModel: MonitorViewModel) -> String {
    "SystemMonitor   load \(viewModel.load)   \(viewModel.processCount) processes   "
      + "sample \(viewModel.sample)"
  }

  private static func selection(_ viewModel: MonitorViewModel) -> String {
    "selected  \(viewModel.selectedName)   \(viewModel.selectedUsage)   \(viewModel.selectedMemory)"
  }

  /// As many processes as there is room for: from the first, or up to the selected one if that is
  /// further down.
  private static func table(_ viewModel: MonitorViewModel, rows: Int) -> [Line] {
    let selected = viewModel.selectedRow
    let first = max((selected ?? 0) + 1 - rows, 0)
    return viewModel.processes.enumerated().dropFirst(first).prefix(rows).map { row, process in
      Line(
        text: columns(
          row == selected ? ">" : " ", String(process.pid), process.state, process.usage,
          process.memory, process.name),
        style: row == selected ? .bold : .plain)
    }
  }

  /// The cores share the window with the table: they get half of it at most.
  private static func cores(_ cores: [CoreRow], in size: Size) -> [Line] {
    let room = max(size.rows / 2 - 4, 1)
    let shown = cores.count > room ? room - 1 : cores.count
    var lines = cores.prefix(shown).map { core in
      meter(core.name, core.usage, core.history, width: size.columns)
    }
    if shown < cores.count { lines.append(Line(text: "… \(cores.count - shown) more cores")) }
    return lines
  }

  private static func meter(
    _ name: String, _ text: String, _ history: History, width: Int
  ) -> Line {
    let label = Format.left(name, width: 6) + Format.right(text, width: 4) + "  "
    return Line(text: label + Sparkline.text(history, width: width - label.count))
  }

  private static func columns(
    _ mark: String, _ pid: String, _ state: String, _ usage: String, _ memory: String,
    _ name: String
  ) -> String {
    [
      mark, Format.right(pid, width: 8), state, Format.right(usage, width: 6),
      Format.right(memory, width: 11), name,
    ].joined(separator: " ")
  }
}
