// A bridge between GTK 4 and Keyline, to copy or to depend on. In this file: the loop of the main thread.

import CGtk
import CKeylineGTK
@_exported import Keyline
import Synchronization

/// GLib's default context as the loop of Keyline's main thread.
///
/// - Isolation: `Sendable`; GLib's sources may be added and removed by any thread.
public struct GLibLoop: MainLoop {
  nonisolated(unsafe) private let thread: UnsafeMutablePointer<GThread>?

  /// The loop of the calling thread. This thread has to run the default context.
  public init() { thread = g_thread_self() }

  public var isCurrent: Bool { g_thread_self() == thread }

  public func perform(_ work: @escaping @Sendable () -> Void) {
    g_source_unref(Self.schedule(-1, work))
  }

  public func perform(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let microseconds = Int64(exactly: (delay / .microseconds(1)).rounded(.up)) ?? .max
    return Source(Self.schedule(max(0, microseconds), work))
  }

  private static func schedule(
    _ microseconds: Int64, _ work: @escaping () -> Void
  ) -> UnsafeMutablePointer<GSource> {
    let handler = Handler.retained {
      work()
      return false
    }
    return keyline_schedule(gint64(microseconds), Handler.call, handler, Handler.release)
  }

  /// A source that may be cancelled, by any thread.
  private final class Source: Disposable, Sendable {
    /// The address of the source; 0 if it has been cancelled.
    private let source: Atomic<UInt>

    init(_ source: UnsafeMutablePointer<GSource>) {
      self.source = Atomic(UInt(bitPattern: source))
    }

    private func take() -> UnsafeMutablePointer<GSource>? {
      UnsafeMutablePointer(bitPattern: source.exchange(0, ordering: .acquiringAndReleasing))
    }

    func dispose() { if let source = take() { keyline_cancel(source) } }

    deinit { if let source = take() { g_source_unref(source) } }
  }
}

/// A closure as C passes it around.
final class Handler {
  private let body: () -> Bool

  private init(_ body: @escaping () -> Bool) { self.body = body }

  static func retained(_ body: @escaping () -> Bool) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Handler(body)).toOpaque()
  }

  static let call: @convention(c) (gpointer?) -> gboolean = { data in
    guard let data else { return 0 }
    return Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().body() ? 1 : 0
  }

  static let release: @convention(c) (gpointer?) -> Void = { data in
    if let data { Unmanaged<Handler>.fromOpaque(data).release() }
  }
}

/// The program as GTK sees it.
public enum GTK {
  /// Why GTK cannot be used.
  public enum Failure: Error, CustomStringConvertible {
    /// There is no display: no desktop session, and no `xvfb-run`.
    case noDisplay

    public var description: String { "GTK found no display: is DISPLAY or WAYLAND_DISPLAY set?" }
  }

  /// Prepares GTK, and makes GLib's loop the main loop. To be called once, first, on the main thread.
  ///
  /// Dispatch's main queue, and with it every task of the main actor, is served while GLib runs.
  public static func start() throws(Failure) {
    MainScheduler.use(GLibLoop())
    guard gtk_init_check() != 0 else { throw .noDisplay }
    keyline_serve_main_queue()
  }

  /// Serves events until no window is visible any more.
  public static func run() { run { keyline_has_visible_window() != 0 } }

  /// Serves events while `condition` holds. It is asked after each event: one that depends on the time, or on
  /// another thread, needs an event as well, such as work for `MainScheduler.asyncInstance`.
  public static func run(while condition: () -> Bool) {
    while condition() { g_main_context_iteration(nil, 1) }
  }

  /// Serves the events that wait, and returns.
  public static func runPending() { while g_main_context_iteration(nil, 0) != 0 {} }
}
