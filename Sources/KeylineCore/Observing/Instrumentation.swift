import Synchronization

/// The library's port for tools that inspect a running program. Each event is reported here once, at
/// the place where it happens.
///
/// No probe is installed until diagnostics are switched on; until then a report is one relaxed load
/// and a branch.
@usableFromInline package enum Instrumentation {
  @usableFromInline static let isInstalled = Atomic<Bool>(false)
  private static let probe = Protected<(any Probe)?>(nil)

  /// Something that has happened. Objects are identified by their addresses, so an identifier is
  /// meaningless once its object has been reported as ended.
  @usableFromInline package enum Event {
    /// A subscription, a disposable or a subject has been made.
    case began(ObjectIdentifier, ResourceKind)
    /// It has been disposed, has terminated, or has been released; possibly reported again.
    case ended(ObjectIdentifier)
    /// The call that made an object, or the type of the object.
    case called(AnyObject, CallSite)
    /// The observer of a subscription has passed a stage on its way up.
    case passed(ObjectIdentifier, StaticString)
    /// All further stages of a subscription are details of the last one.
    case sealed(ObjectIdentifier)
    /// A subscription has been made on behalf of another one.
    case belongs(ObjectIdentifier, to: ObjectIdentifier)
    /// A fault has been reported.
    case reported(Diagnostics.Report)
    /// This thread begins an activity, which is the cause of every event reported until it ends. The
    /// module that reports the activity defines its type.
    case entered(Any)
    /// The activity that this thread has begun last ends.
    case left
    /// This thread does something that causes nothing.
    case noted(Any)
  }

  /// Installs the probe that receives all events from now on.
  package static func install(_ installed: any Probe) {
    _ = probe.exchange(installed)
    isInstalled.store(true, ordering: .releasing)
  }

  /// Whether a probe is installed. Code that would report many events tests this once.
  @inlinable @inline(__always) package static var isOn: Bool {
    isInstalled.load(ordering: .relaxed)
  }

  /// Reports an event; the autoclosure is evaluated only if a probe is installed.
  @inlinable @inline(__always) package static func report(_ event: @autoclosure () -> Event) {
    if isOn { send(event()) }
  }

  @inline(never) @usableFromInline static func send(_ event: Event) {
    probe.withLock { $0 }?.receive(event)
  }
}

/// Receives the events of the library.
package protocol Probe: AnyObject, Sendable {
  /// Called on the thread where the event happens, under no lock.
  func receive(_ event: Instrumentation.Event)
}

/// The kinds of resources counted while `Resources.isCounting`.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// Subscriptions, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold a resource, bags included.
  case disposable
  /// Objects with a list of observers: subjects, relays, shared observables and observed
  /// properties.
  case subject
}

/// A call that makes something, and where it stands in the source.
@usableFromInline package struct CallSite: Sendable {
  package let file: StaticString
  package let line: UInt
  package let function: StaticString

  @usableFromInline package init(
    _ file: StaticString, _ line: UInt, _ function: StaticString = #function
  ) {
    self.file = file
    self.line = line
    self.function = function
  }

  /// `Form.swift:12`.
  package var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The name of a function without its labels.
  package static func baseName(_ function: StaticString) -> String {
    String("\(function)".prefix { $0 != "(" })
  }
}
