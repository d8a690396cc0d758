import Synchronization

/// Keyline's one channel for what is wrong but no reason to stop: every report names what it is
/// about, nothing traps, and nothing vanishes.
///
/// ```swift
/// Diagnostics.handler = { report in log.warning("\(report)") }
/// ```
///
/// Unless a handler is set, a report is one line on standard error in debug builds of the library,
/// and nothing in release builds.
///
/// - Isolation: usable from any thread; the handler is called on the thread the report comes from,
///   never under a lock.
public enum Diagnostics {
  /// What a report is about.
  public enum Category: String, Sendable, CaseIterable {
    /// An error reached a subscription without an error handler.
    case unhandledError
    /// Observers kept setting the property they were being told about.
    case feedbackLoop
    /// Nothing on an observed path is observable: its value was emitted once and never will be again.
    case unobservablePath
    /// A weak property refers to an object whose death cannot be seen: observers keep its last value.
    case unobservableDeath
    /// An object on a path of names has no property of the next name.
    case unknownKey
    /// A path of names ends at a property of another type than the one asked for.
    case typeMismatch
    /// Keyline was called in a way that cannot mean anything.
    case misuse
  }

  /// One line about one thing.
  public struct Report: Sendable, CustomStringConvertible {
    /// What it is about.
    public let category: Category
    /// What happened, in one sentence.
    public let message: String
    /// The class concerned, if a property is.
    public let type: String?
    /// The property concerned.
    public let property: String?

    /// `Keyline: feedbackLoop: Person.name: …`.
    public var description: String {
      let subject = [type, property].compactMap { $0 }.joined(separator: ".")
      return "Keyline: \(category.rawValue): " + (subject.isEmpty ? "" : "\(subject): ") + message
    }
  }

  private static let settings = Mutex(Settings())

  private struct Settings {
    var handler: (@Sendable (Report) -> Void)?
    var feedbackLimit = 10_000
    /// What need not be said again.
    var said: Set<String> = []
  }

  /// Takes the reports; nil for the default.
  public static var handler: (@Sendable (Report) -> Void)? {
    get { settings.withLock { $0.handler } }
    set { settings.withLock { $0.handler = newValue } }
  }

  /// How many re-entrant deliveries one outermost set of a property may cause before they are taken
  /// for a feedback loop, stopped and reported. 10,000 unless set.
  public static var feedbackLimit: Int {
    get { settings.withLock { $0.feedbackLimit } }
    set { settings.withLock { $0.feedbackLimit = newValue } }
  }

  /// Whether this is the first report of `category` about `subject`: for what would otherwise be said
  /// again and again.
  static func isNew(_ category: Category, _ subject: String) -> Bool {
    settings.withLock { $0.said.insert("\(category.rawValue) \(subject)").inserted }
  }

  static func report(
    _ category: Category, _ message: String, type: String? = nil, property: String? = nil
  ) {
    let report = Report(category: category, message: message, type: type, property: property)
    if let handler {
      handler(report)
    } else {
      #if DEBUG
        var standardError = StandardError()
        print(report, to: &standardError)
      #endif
    }
  }
}

/// Process-wide hooks.
public enum Hooks {
  /// Takes an error that reached a subscription without an error handler.
  public typealias DefaultErrorHandler = @Sendable (any Error) -> Void

  private static let handler = Mutex<DefaultErrorHandler?>(nil)

  /// Called for every unhandled error, on the thread it arrives on. Unless set, the error goes to
  /// ``Diagnostics/handler``.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { handler.withLock { $0 } ?? reportToDiagnostics }
    set { handler.withLock { $0 = newValue } }
  }

  @Sendable private static func reportToDiagnostics(_ error: any Error) {
    Diagnostics.report(.unhandledError, "\(error)")
  }

  static func report(unhandled error: any Error) { defaultErrorHandler(error) }
}
