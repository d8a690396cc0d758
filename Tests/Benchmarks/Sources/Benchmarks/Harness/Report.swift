/// The output: a table to read, or JSON.
protocol Report {
  mutating func begin(_ title: String, labels: [String])
  mutating func add(_ outcome: Outcome)
  mutating func end()
}

/// A table of medians in nanoseconds per operation, written as it grows.
struct TableReport: Report {
  private var labels: [String] = []

  mutating func begin(_ title: String, labels: [String]) {
    self.labels = labels
    let heads = labels.map { $0.padded(to: 14, leading: true) }.joined()
    print("\n" + title.padded(to: 43) + heads)
  }

  mutating func add(_ outcome: Outcome) {
    var line = outcome.name.padded(to: 43)
    for (index, label) in labels.enumerated() {
      // A series has labels of its own, one per size.
      let measurement =
        label.isEmpty
        ? outcome.measurements.dropFirst(index).first
        : outcome.measurements.first { $0.label == label }
      line += (measurement.map { cell($0, isLabelled: label.isEmpty) } ?? "–")
        .padded(to: 14, leading: true)
    }
    let verdicts = outcome.verdicts.map(text).joined(separator: "; ")
    print(line + (verdicts.isEmpty ? "" : "   " + verdicts))
  }

  func end() {}

  private func cell(_ measurement: Measurement, isLabelled: Bool) -> String {
    let spread = "±\(Int((measurement.spread * 100).rounded()))%"
    guard isLabelled else { return "\(measurement.median.short) \(spread.padded(to: 4))" }
    return "\(measurement.label): \(measurement.median.short)"
  }

  private func text(_ verdict: Verdict) -> String {
    let measured = "\(verdict.measured.short) \(verdict.reference)"
    guard verdict.limit.isFinite else { return measured }
    let kind = verdict.isBinding ? "bar" : "aim"
    return "\(measured) (\(kind) \(verdict.limit.short): \(verdict.mark))"
  }
}

/// One JSON object per row, in an array.
struct JSONReport: Report {
  private var kind = ""
  private var objects: [String] = []

  mutating func begin(_ title: String, labels: [String]) { kind = title }

  mutating func add(_ outcome: Outcome) {
    let measurements = outcome.measurements.map {
      #"{"label":\#($0.label.quoted),"median":\#($0.median),"spread":\#($0.spread)}"#
    }
    let verdicts = outcome.verdicts.map {
      #"{"measured":\#($0.measured),"limit":\#($0.limit.isFinite ? "\($0.limit)" : "null"),"#
        + #""reference":\#($0.reference.quoted),"binding":\#($0.isBinding),"met":\#($0.isMet),"#
        + #""tolerated":\#($0.isTolerated)}"#
    }
    objects.append(
      #"{"kind":\#(kind.quoted),"name":\#(outcome.name.quoted),"#
        + #""measurements":[\#(measurements.joined(separator: ","))],"#
        + #""verdicts":[\#(verdicts.joined(separator: ","))]}"#)
  }

  func end() { print("[\n" + objects.joined(separator: ",\n") + "\n]") }
}

extension Double {
  /// Three significant figures.
  var short: String {
    let places = self >= 100 ? 0 : self >= 10 ? 1 : 2
    let scale = places == 0 ? 1.0 : places == 1 ? 10 : 100
    let rounded = (self * scale).rounded() / scale
    guard places > 0 else { return "\(Int(rounded))" }
    let parts = "\(rounded)".split(separator: ".")
    return "\(parts[0])." + String(parts[1]).padded(to: places, with: "0")
  }
}

extension String {
  fileprivate func padded(to width: Int, leading: Bool = false, with filler: Character = " ")
    -> String
  {
    let padding = String(repeating: filler, count: max(0, width - count))
    return leading ? padding + self : self + padding
  }

  /// As a JSON string. Names here hold no control characters.
  fileprivate var quoted: String {
    "\"" + map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }
}
