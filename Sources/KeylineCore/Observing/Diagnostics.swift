import Synchronization

/// Keyline's one channel for faults that do not stop the program: every report names its subject,
/// nothing traps, and nothing vanishes.
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
  /// The kinds of faults that are reported.
  public enum Category: String, Sendable, CaseIterable {
    /// An error reached a subscription without an error handler.
    case unhandledError
    /// Observers kept setting the property that was being delivered to them.
    case feedbackLoop
    /// Nothing on an observed path is observable: its value is emitted once only.
    case unobservablePath
    /// A weak property refers to an object whose death cannot be seen: observers keep its last
    /// value.
    case unobservableDeath
    /// An object on a path of names has no property of the next name.
    case unknownKey
    /// A path of names ends at a property of another type than the one requested.
    case typeMismatch
    /// A property that belongs to an exclusive binding was set by another writer; the set was
    /// ignored.
    case refusedWrite
    /// The ends of a two-way binding kept changing each other's values, and were stopped.
    case bindingRounds
    /// A binding could not convert or store a value, and its errors are not observed.
    case bindingError
    /// A derived value was read by its own rule, perhaps by way of others.
    case derivedCycle
    /// The rule of a derived value has thrown an error, and its errors are not observed.
    case derivedError
    /// The rule of a derived value sets a property.
    case derivedWrite
    /// Two threads have used one object at the same time.
    case concurrentUse
    /// A call that has no meaning, such as one with an index out of bounds.
    case misuse
  }

  /// One line about one thing.
  public struct Report: Sendable, CustomStringConvertible {
    /// The kind of fault.
    public let category: Category
    /// The fault, in one sentence.
    public let message: String
    /// The class concerned, if a property is.
    public let type: String?
    /// The property concerned.
    public let property: String?
    /// Where the subscription that an unhandled error reached was made, innermost frame first, if
    /// ``Hooks/recordCallStackOnError`` was on then. Of a sequence bound to a property: the call of
    /// `bind`, and the property.
    public let callStack: [String]

    /// `Keyline: feedbackLoop: Person.name: …`, then a line for each frame. Control characters are
    /// escaped, and line breaks are spaces.
    public var description: String {
      (["Keyline: \(line)"] + callStack.map(\.inOneLine)).joined(separator: "\n  ")
    }

    /// `feedbackLoop: Person.name: …`.
    package var line: String {
      let subject = [type, property].compactMap { $0 }.joined(separator: ".")
      let text = "\(category.rawValue): " + (subject.isEmpty ? "" : "\(subject): ") + message
      return text.inOneLine
    }
  }

  // Closures are boxed, here and below: in a debug build, each access under the mutex would wrap the
  // closure again.
  private static let installed = Protected<Unchecked<(@Sendable (Report) -> Void)?>>(Unchecked(nil))
  private static let limit = Atomic<Int>(10_000)
  /// The reports already made of faults that are reported once only, as texts of category and subject.
  private static let made = Protected<Set<String>>([])

  /// Receives the reports; nil for the default.
  public static var handler: (@Sendable (Report) -> Void)? {
    get { installed.withLock { $0.value } }
    set { _ = installed.exchange(Unchecked(newValue)) }
  }

  /// How many rounds of deliveries one outermost set may cause, each round caused by the previous one,
  /// before they count as a feedback loop, which is stopped and reported: 10,000 unless set; `.max` for
  /// no limit. A burst of sets in one delivery is one round.
  public static var feedbackLimit: Int {
    get { limit.load(ordering: .relaxed) }
    set { limit.store(max(0, newValue), ordering: .relaxed) }
  }

  /// Whether this is the first report of `category` about `subject`. Used for faults that would
  /// otherwise be reported again and again.
  package static func isNew(_ category: Category, _ subject: String) -> Bool {
    made.withLock { $0.insert("\(category.rawValue) \(subject)").inserted }
  }

  package static func report(
    _ category: Category, _ message: String, type: String? = nil, property: String? = nil,
    callStack: [String] = []
  ) {
    let report = Report(
      category: category, message: message, type: type, property: property, callStack: callStack)
    Instrumentation.report(.reported(report))
    if let handler { return handler(report) }
    #if DEBUG
      writeToStandardError("\(report)")
    #endif
  }
}

/// Process-wide hooks.
public enum Hooks {
  /// Receives an error that reached a subscription without an error handler, and the call stack of that
  /// subscription.
  public typealias DefaultErrorHandler =
    @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  /// Returns the call stack of its caller, innermost frame first.
  public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

  private static let isRecording = Atomic<Bool>(false)
  private static let capture = Protected(Unchecked<CustomCaptureSubscriptionCallstack>({ [] }))
  private static let handler = Protected<Unchecked<DefaultErrorHandler>>(
    .init { stack, error in
      Diagnostics.report(.unhandledError, "\(error)", callStack: stack)
    })

  /// Called for every unhandled error, on the thread it arrives on (C9). Unless set, the error goes
  /// to ``Diagnostics/handler``.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { handler.withLock { $0.value } }
    set { _ = handler.exchange(Unchecked(newValue)) }
  }

  /// Whether subscriptions without an error handler record where they were made, for the report of
  /// an error that reaches one. Off unless set.
  ///
  /// The frames are returned by ``customCaptureSubscriptionCallstack``.
  ///
  /// - Complexity: off, one relaxed load for each subscription.
  public static var recordCallStackOnError: Bool {
    get { isRecording.load(ordering: .relaxed) }
    set { isRecording.store(newValue, ordering: .relaxed) }
  }

  /// Captures the call stack of a subscription that is made while ``recordCallStackOnError`` is on.
  /// Returns no frames unless set: with Foundation, `{ Thread.callStackSymbols }`.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { capture.withLock { $0.value } }
    set { _ = capture.exchange(Unchecked(newValue)) }
  }

  /// The error handler of a new subscription: the given handler, or one that reports the error as
  /// unhandled.
  static func errorHandler(of given: ((any Error) -> Void)? = nil) -> (any Error) -> Void {
    // Not `??`: in a generic function closures are wrapped, and stay wrapped.
    if let given { return given }
    let callStack = recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    return { report(unhandled: $0, subscribedAt: callStack) }
  }

  package static func report(unhandled error: any Error, subscribedAt callStack: [String] = []) {
    defaultErrorHandler(callStack, error)
  }
}
