/// One row, series or gauge after it has run.
struct Outcome {
  let name: String
  /// In the order of the columns; references to other rows come last.
  let measurements: [Measurement]
  let verdicts: [Verdict]

  func measurement(of label: String) -> Measurement? {
    measurements.first { $0.label == label }
  }
}

extension Effort {
  /// Runs `row`, with the columns of other rows that its bars refer to.
  /// - Parameter rows: all there are, whatever the filter.
  func run(_ row: Row, among rows: [Row]) -> Outcome {
    var columns = row.columns
    for case .row(let name, let peer) in row.bars.map(\.reference) {
      guard let column = rows.first(where: { $0.name == name })?.column(of: peer) else {
        preconditionFailure("\(row.name) refers to \(name), which \(peer.rawValue) does not run")
      }
      let label = Bar.Reference.row(name, peer).label
      columns.append(Column(label, operations: column.operations, prepare: column.prepare))
    }
    let outcome = Outcome(name: row.name, measurements: measure(columns), verdicts: [])
    let verdicts = row.bars.map { bar in
      guard let measured = outcome.measurement(of: Peer.keyline.rawValue),
        let reference = outcome.measurement(of: bar.reference.label)
      else { preconditionFailure("\(row.name) lacks a column that its bar compares") }
      return Verdict(
        measured.ratio(to: reference), limit: bar.limit, reference: "× \(bar.reference.label)",
        isBinding: bar.isBinding, tolerating: bar.tolerated)
    }
    return Outcome(name: row.name, measurements: outcome.measurements, verdicts: verdicts)
  }

  func run(_ series: Series) -> Outcome {
    let measurements = measure(series.columns)
    let largest = measurements.map { $0.ratio(to: measurements[0]) }.max() ?? 1
    return Outcome(
      name: series.name, measurements: measurements,
      verdicts: [
        Verdict(
          largest, limit: series.limit ?? .infinity, reference: "× the smallest size",
          isBinding: series.limit != nil, tolerating: series.tolerated)
      ])
  }

  func run(_ gauge: Gauge) -> Outcome {
    let verdict = gauge.read().map {
      Verdict(
        $0, limit: gauge.limit ?? .infinity, reference: gauge.unit,
        isBinding: gauge.limit != nil, tolerating: gauge.tolerated)
    }
    return Outcome(name: gauge.name, measurements: [], verdicts: verdict.map { [$0] } ?? [])
  }
}
