import Keyline
import KeylineDiagnostics

/// Counts live objects, for tests that assert when an object is released. For observable objects, it
/// also shows their holders.
///
/// ```swift
/// let tracker = LifetimeTracker()
/// let subscription = source.map { [token = tracker.track()] in token.pass($0) }.subscribe { _ in }
/// print(tracker.alive)
/// subscription.dispose()
/// print(tracker.alive)
/// ```
/// ```text
/// 1
/// 0
/// ```
///
/// ```swift
/// let tracker = LifetimeTracker()
/// tracker.track(form)
/// form = nil
/// print(tracker.alive, tracker.survivors(reachableFrom: model))
/// ```
/// ```text
/// 1 Form#1 is held by Model#1.forms
///
/// Model#1
///   forms = [Form#1]
/// Form#1
/// ```
///
/// - Isolation: `Sendable`; objects may die on any thread.
public final class LifetimeTracker: Sendable {
  /// A tracker of no object yet.
  public init() {}

  /// How many objects made by `track()` are alive.
  private let made = Protected(0)
  private let references = Protected<[Reference]>([])

  private struct Reference: @unchecked Sendable {
    // Proof of @unchecked: a weak reference may be read on any thread.
    weak var object: (any PropertyObservable)?
  }

  // Read without the lock, because the last reference to an object may be the one read.
  private var objects: [any PropertyObservable] { references.withLock { $0 }.compactMap(\.object) }

  /// How many of the objects tracked are alive.
  public var alive: Int { made.withLock { $0 } + objects.count }

  /// Tracks an object that exists; it is not retained.
  public func track(_ object: some PropertyObservable) {
    references.withLock { $0.append(Reference(object: object)) }
  }

  /// The holders of the tracked observable objects, as far as Keyline can see: strong references in
  /// stored properties of `roots` and of the objects reachable from them, operators that keep elements,
  /// such as `debounce`, then the observations whose closures may hold the objects. Empty if all
  /// tracked objects have died.
  ///
  /// A reference is found in the value of a property: in optionals, collections, structs, tuples,
  /// payloads of enumerations, and `Any`. Not followed are objects of other classes than
  /// `PropertyObservable` ones, and closures: an object that only these hold is held by no property that
  /// is known.
  ///
  /// To be called where the objects are confined. Observations have names if they were made while
  /// `Diagnostics.isRecording` was on.
  public func survivors(reachableFrom roots: any PropertyObservable...) -> String {
    let survivors = objects
    guard !survivors.isEmpty else { return "" }
    let graph = Diagnostics.graph(of: roots + survivors)
    let identities = Set(survivors.map { ObjectIdentifier($0) })
    let suspects = graph.observations.flatMap { observation in
      Set(observation.stages + observation.sources.flatMap(\.stages)).intersection(Self.keepers)
        .sorted().map { "\($0) of observation \(observation.id), " }
    }.joined()
    let lines = graph.objects.filter { identities.contains($0.identity) }.map { object in
      let holders = object.holders.map { "\($0)" }.joined(separator: ", ")
      return holders.isEmpty
        ? "\(object.id) is held by no property that is known: by \(suspects)a closure or a variable\n"
        : "\(object.id) is held by \(holders)\n"
    }
    return lines.joined() + "\n" + graph.text
  }

  /// The operators that keep an element until the next one, or until they emit it. Not among them is
  /// `observe(on:)`, whose name in a graph is the name of the observation of a property, too.
  private static let keepers: Set = [
    "buffer", "combineLatest", "debounce", "delay", "distinctUntilChanged", "reduce", "replay",
    "replayAll", "sample", "scan", "share", "takeLast", "throttle", "toArray", "withLatestFrom",
    "withPrevious", "zip",
  ]

  /// A new object.
  public func track() -> Tracked { Tracked(self) }

  /// An object to be captured, which counts as alive until it is released.
  public final class Tracked: Sendable {
    private let tracker: LifetimeTracker

    fileprivate init(_ tracker: LifetimeTracker) {
      self.tracker = tracker
      tracker.made.withLock { $0 += 1 }
    }

    /// Returns `value`: a use of the object that makes the closure capture it.
    public func pass<Value>(_ value: Value) -> Value { value }

    deinit { tracker.made.withLock { $0 -= 1 } }
  }
}
