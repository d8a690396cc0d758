/// The loop of the main thread: whatever waits there for events and calls the program, such as
/// Dispatch's main queue, GLib's main context, or the message loop of a game.
///
/// A program whose main thread does not run Dispatch's main queue names its loop once, before anything
/// is scheduled: ``MainScheduler/use(_:)``.
///
/// ```swift
/// struct FrameLoop: MainLoop {
///   var isCurrent: Bool { frames.isOnItsThread }
///   func perform(_ work: @escaping @Sendable () -> Void) { frames.nextFrame(work) }
///   func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
///     let timer = frames.timer(delay, work)
///     return Disposables.create { timer.cancel() }
///   }
/// }
/// ```
///
/// - Isolation: called from any thread.
public protocol MainLoop: Sendable {
  /// Whether the calling thread is the loop's.
  var isCurrent: Bool { get }

  /// Calls `work` on the loop's thread, in a later turn, in the order of the calls of this method.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// Calls `work` on the loop's thread when `delay` has passed; a delay of zero or less ends with the
  /// present turn.
  ///
  /// - Returns: prevents the call, from any thread, and releases `work`. It may be released itself without
  ///   any effect on the call.
  func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable
}

extension MainScheduler {
  /// The loop that was named, or is in use; nil before.
  private static let settled = Protected<(any MainLoop)?>(nil)

  /// Makes `loop` the loop of everything that runs on the main thread: ``MainScheduler``,
  /// ``ConcurrentMainScheduler``, drivers, signals, binders, and bindings with `on: .main`.
  ///
  /// To be called once, at the start of the program. A call is reported, and has no effect, if a loop has
  /// been named before, or if Dispatch's main queue is already in use.
  public static func use(_ loop: any MainLoop) {
    let isFirst = settled.withLock { settled in
      defer { settled = settled ?? loop }
      return settled == nil
    }
    if isFirst { return }
    Diagnostics.report(
      .misuse, "\(type(of: loop)) comes too late: a main loop is in use, or was named before")
  }

  /// The loop of the main thread. The first read settles which one it is.
  static let loop: any MainLoop = settled.withLock { settled in
    let loop = settled ?? standardLoop
    settled = loop
    return loop
  }

  #if canImport(Dispatch) && !KEYLINE_WITHOUT_DISPATCH
    private static var standardLoop: any MainLoop {
      QueueLoop(queue: .main, leeway: .nanoseconds(0))
    }
  #else
    private static var standardLoop: any MainLoop { NoLoop() }
  #endif
}

#if !canImport(Dispatch) || KEYLINE_WITHOUT_DISPATCH
  /// The loop of a program that has named none: reports it once, and calls at once.
  private final class NoLoop: MainLoop {
    private let isReported = Protected(false)
    let isCurrent = true

    func perform(_ work: @escaping @Sendable () -> Void) {
      if !isReported.exchange(true) {
        Diagnostics.report(
          .misuse, "without Dispatch, a program names its main loop: MainScheduler.use(_:)")
      }
      work()
    }

    func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
      perform(work)
      return Disposables.create()
    }
  }
#endif
