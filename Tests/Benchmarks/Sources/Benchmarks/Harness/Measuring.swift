/// How long to measure.
struct Effort {
  /// Rounds per row: odd, so that the median is one of the samples.
  let rounds: Int
  /// Nanoseconds one sample takes at least.
  let sample: Double

  static let full = Effort(rounds: 31, sample: 4e6)
  static let short = Effort(rounds: 9, sample: 1e6)
}

/// The time of one column, in nanoseconds per operation.
struct Measurement {
  let label: String
  let median: Double
  /// Half the distance between the quartiles, as a share of the median.
  let spread: Double
  /// One per round.
  private let samples: [Double]

  init(label: String, samples: [Double]) {
    let sorted = samples.sorted()
    self.label = label
    self.samples = samples
    median = sorted.median
    spread = (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2 / median
  }

  /// The median over the rounds of the ratio in each. A round is short, so that a machine that
  /// changes its pace during the run changes it for both.
  func ratio(to reference: Measurement) -> Double {
    zip(samples, reference.samples).map(/).sorted().median
  }
}

extension [Double] {
  /// The middle one, if they are sorted.
  fileprivate var median: Double { self[count / 2] }
}

extension Effort {
  /// Measures `columns` in turns: each round takes one sample of every column, so that whatever
  /// slows the machine down for a while slows all of them down.
  func measure(_ columns: [Column]) -> [Measurement] {
    let probes = columns.map { Probe($0, atLeast: sample) }
    var samples = [[Double]](repeating: [], count: columns.count)
    for _ in 0..<rounds {
      for (index, probe) in probes.enumerated() { samples[index].append(probe.sample()) }
    }
    return zip(columns, samples).map { Measurement(label: $0.label, samples: $1) }
  }
}

/// A prepared column, with the number of repetitions for one sample.
private struct Probe {
  private let body: () -> Void
  private let operations: Int
  private let repetitions: Int

  /// Prepares, warms up, and calibrates, by doubling until one sample takes long enough.
  init(_ column: Column, atLeast duration: Double) {
    body = column.prepare()
    operations = column.operations
    var repetitions = 1
    var elapsed = Probe.time(body, repetitions)
    while elapsed < duration {
      repetitions *= elapsed > duration / 16 ? 2 : 8
      elapsed = Probe.time(body, repetitions)
    }
    self.repetitions = max(1, Int((Double(repetitions) * duration / elapsed).rounded(.up)))
  }

  /// Nanoseconds per operation.
  func sample() -> Double {
    Probe.time(body, repetitions) / Double(repetitions) / Double(operations)
  }

  private static func time(_ body: () -> Void, _ repetitions: Int) -> Double {
    let start = threadTime()
    for _ in 0..<repetitions { body() }
    return threadTime() - start
  }
}
