/// The implementations that run a workload: the columns of the table.
enum Peer: String, CaseIterable {
  case keyline = "Keyline"
  /// With a `CurrentValueSubject` where the workload needs a property: OpenCombine's fastest.
  case openCombine = "OpenCombine"
  /// OpenCombine's property wrapper, used like a property.
  case published = "@Published"
  case observation = "Observation"
  case plain = "plain"
}

/// One way to run a workload.
struct Column {
  /// The peer, or the size in a series.
  let label: String
  /// How many operations one call of the prepared closure performs.
  let operations: Int
  /// Builds the objects of the workload, and returns the closure to be measured.
  ///
  /// Called once per run, so that state is shared by all rounds and dropped with the closure.
  let prepare: () -> () -> Void

  init(_ label: String, operations: Int, prepare: @escaping () -> () -> Void) {
    self.label = label
    self.operations = operations
    self.prepare = prepare
  }

  init(_ peer: Peer, operations: Int = 256, prepare: @escaping () -> () -> Void) {
    self.init(peer.rawValue, operations: operations, prepare: prepare)
  }
}

/// One workload for every peer that can run it, and the bars for Keyline.
struct Row {
  let name: String
  let bars: [Bar]
  let columns: [Column]

  /// - Parameter name: unique among the rows; bars of other rows may refer to it.
  init(_ name: String, _ bars: Bar..., columns: [Column]) {
    self.init(name, bars, columns: columns)
  }

  init(_ name: String, _ bars: [Bar], columns: [Column]) {
    self.name = name
    self.bars = bars
    self.columns = columns
  }

  func column(of peer: Peer) -> Column? { columns.first { $0.label == peer.rawValue } }
}

/// One workload of Keyline at growing sizes; the cost of an operation must stay flat.
struct Series {
  let name: String
  /// The limit of the largest cost per operation, as a multiple of the cost at the smallest size;
  /// nil if the series is for information only.
  let limit: Double?
  /// See ``Bar/tolerated``.
  var tolerated: Double? = nil
  /// From the smallest size to the largest.
  let columns: [Column]
}

/// A figure other than a time: bytes per object, growth of the stack.
struct Gauge {
  let name: String
  let unit: String
  /// The most that is allowed; nil if the figure is for information only.
  let limit: Double?
  /// See ``Bar/tolerated``.
  var tolerated: Double? = nil
  /// nil where the platform cannot tell.
  let read: () -> Double?
}

/// All rows, series and gauges.
struct Suite {
  var rows: [Row] = []
  var series: [Series] = []
  var gauges: [Gauge] = []

  /// Keeps the rows, series and gauges whose names contain `text`, ignoring case.
  func filtered(by text: String) -> Suite {
    let text = text.lowercased()
    func matches(_ name: String) -> Bool { name.lowercased().contains(text) }
    return Suite(
      rows: rows.filter { matches($0.name) },
      series: series.filter { matches($0.name) },
      gauges: gauges.filter { matches($0.name) }
    )
  }

  var isEmpty: Bool { rows.isEmpty && series.isEmpty && gauges.isEmpty }
}
