/// The command line.
struct Options {
  var isShort = false
  var isJSON = false
  var isChecking = false
  var filter: String?
  /// What to perform instead of measuring, and how often.
  var count: (row: String, operations: Int)?

  static let usage = """
    usage: Benchmarks [--short] [--json] [--filter TEXT] [--check]
           Benchmarks --count ROW N
      --short        few rounds and small sizes: for continuous integration
      --json         machine readable results
      --filter TEXT  only what has TEXT in its name
      --check        exit status 1 if a bar is missed by more than is tolerated
      --count ROW N  at least N operations of one row in Keyline and nothing else, for a profiler;
                     prints how many there were
    """

  /// A bad command line, in one sentence.
  struct Mistake: Error {
    let message: String
  }

  /// - Returns: nil if help was asked for.
  init?(_ arguments: some Sequence<String>) throws(Mistake) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--short": isShort = true
      case "--json": isJSON = true
      case "--check": isChecking = true
      case "--filter":
        guard let text = arguments.next(), !text.isEmpty else {
          throw Mistake(message: "--filter needs a text")
        }
        filter = text
      case "--count":
        guard let row = arguments.next(), let operations = arguments.next().flatMap(Int.init),
          operations > 0
        else { throw Mistake(message: "--count needs a row and a number above 0") }
        count = (row, operations)
      case "--help", "-h": return nil
      default: throw Mistake(message: "unknown option '\(argument)' (see --help)")
      }
    }
  }
}
