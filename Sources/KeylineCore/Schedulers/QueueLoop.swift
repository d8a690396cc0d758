#if canImport(Dispatch) && !KEYLINE_WITHOUT_DISPATCH
  import Dispatch

  // The only code that imports Dispatch is in the files of this folder that begin with this condition.
  // Without Dispatch, or with the define, which shows in a test that nothing else needs it, a program
  // names its main loop, and there are no schedulers on background queues.

  /// A dispatch queue, the main queue or another.
  struct QueueLoop: MainLoop {
    let queue: DispatchQueue
    /// How late timers may fire, to save energy.
    let leeway: DispatchTimeInterval

    private static let isMain: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()

    /// Whether the main queue runs this code. Asked of the main queue only.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.isMain) != nil }

    func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + delay.dispatchInterval(), leeway: leeway)
      timer.setEventHandler {
        timer.cancel()
        work()
      }
      timer.resume()
      return Disposables.create(with: timer.cancel)
    }
  }

  extension DispatchTimeInterval {
    /// The same interval, as operators take it.
    public func asDuration() -> Duration {
      switch self {
      case .seconds(let count): .seconds(count)
      case .milliseconds(let count): .milliseconds(count)
      case .microseconds(let count): .microseconds(count)
      case .nanoseconds(let count): .nanoseconds(count)
      default: .never
      }
    }
  }

  extension Duration {
    /// Rounded up to nanoseconds or, where a word cannot count them, to milliseconds or seconds: a word
    /// of 32 bits holds two seconds of nanoseconds. `never` if the word cannot count the seconds either.
    ///
    /// - Parameter limit: the largest count, for tests.
    package func dispatchInterval(upTo limit: Int = .max) -> DispatchTimeInterval {
      func count(_ unit: Duration) -> Int? {
        Int(exactly: max(0, (self / unit).rounded(.up))).flatMap { $0 <= limit ? $0 : nil }
      }
      return count(.nanoseconds(1)).map { .nanoseconds($0) }
        ?? count(.milliseconds(1)).map { .milliseconds($0) }
        ?? count(.seconds(1)).map { .seconds($0) } ?? .never
    }
  }
#endif
