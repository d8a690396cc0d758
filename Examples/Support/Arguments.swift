/// A command line that cannot be understood.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = "\(description) (try --help)" }
}

/// One argument of a command line.
public enum Argument: Equatable {
  /// Begins with `-`; without the value, if that is joined to it by `=`.
  case option(String)
  /// Anything else.
  case operand(String)

  var isUnexpected: UsageError {
    switch self {
    case .option(let name): UsageError("unknown option '\(name)'")
    case .operand(let text): UsageError("unexpected argument '\(text)'")
    }
  }
}

/// The arguments of a command line, from the first to the last.
public struct Arguments {
  private var rest: ArraySlice<String>
  /// The option whose value comes next.
  private var option = ""
  private var joinedValue: String?

  init(_ arguments: some Sequence<String>) { rest = Array(arguments)[...] }

  mutating func next() -> Argument? {
    guard let argument = rest.popFirst() else { return nil }
    guard argument.hasPrefix("-") else { return .operand(argument) }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    option = String(parts[0])
    joinedValue = parts.count > 1 ? String(parts[1]) : nil
    return .option(option)
  }

  /// The value of the option.
  ///
  /// - Parameter meaning: the value that the option needs, in words: `a file`.
  public mutating func value(_ meaning: String) throws(UsageError) -> String {
    guard let value = joinedValue ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(option) needs \(meaning)")
    }
    return value
  }

  /// True, for an option without a value.
  public func flag() throws(UsageError) -> Bool {
    guard joinedValue == nil else { throw UsageError("\(option) takes no value") }
    return true
  }

  /// The value of the option, a whole number from 1 up.
  public mutating func positiveNumber(_ meaning: String) throws(UsageError) -> Int {
    let text = try value(meaning)
    guard let number = Int(text), number > 0 else {
      throw UsageError("\(option) must be a whole number from 1 up, not '\(text)'")
    }
    return number
  }

  /// The value of the option, the name of a file that `Diagnostics.Graph` can be written to.
  public mutating func graphFile() throws(UsageError) -> String {
    let name = try value("a file")
    guard [".dot", ".txt"].contains(where: name.hasSuffix) else {
      throw UsageError("\(option) needs a file that ends in .dot or .txt, not '\(name)'")
    }
    return name
  }
}
