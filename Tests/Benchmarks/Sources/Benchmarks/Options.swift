/// The command line.
struct Options {
  var isShort = false
  var isJSON = false
  var isChecking = false
  var filter: String?

  static let usage = """
    usage: Benchmarks [--short] [--json] [--filter TEXT] [--check]
      --short        few rounds and small sizes: for continuous integration
      --json         machine readable results
      --filter TEXT  only what has TEXT in its name
      --check        exit status 1 if a bar is missed
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
      case "--help", "-h": return nil
      default: throw Mistake(message: "unknown option '\(argument)' (see --help)")
      }
    }
  }
}
