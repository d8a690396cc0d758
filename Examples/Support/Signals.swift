import Dispatch
import Keyline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// The world outside as observables that emit on the main thread.

/// The signals that end a program: Ctrl-C and the like. They no longer do so by themselves; the exit
/// status is to be 128 + the signal.
public func endSignals() -> Observable<Int32> { signals(SIGINT, SIGQUIT, SIGTERM) }

/// Signals, as they arrive. They no longer do what they do by default.
func signals(_ numbers: Int32...) -> Observable<Int32> {
  .create { observer in
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { observer.onNext(number) }
      source.activate()
      return source
    }
    return Disposables.create {
      for source in sources { source.cancel() }
      for number in numbers { signal(number, SIG_DFL) }
    }
  }
}

/// The lines of standard input, as they are typed; completes at its end.
public func inputLines() -> Observable<String> { input { readLine() } }

/// What is typed at a terminal that does not wait for whole lines, see ``Screen/enter()``.
public func inputBytes() -> Observable<[UInt8]> {
  input {
    var bytes = [UInt8](repeating: 0, count: 256)
    var count = -1
    repeat { count = read(STDIN_FILENO, &bytes, bytes.count) } while count < 0 && errno == EINTR
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}

/// What `read`, which waits, returns, until that is nil.
private func input<Element: Sendable>(
  _ read: @escaping @Sendable () -> Element?
) -> Observable<Element> {
  Observable
    .repeatElement((), scheduler: SerialDispatchQueueScheduler(qos: .userInteractive))
    .map(read)
    .take(while: { $0 != nil })
    .compactMap(\.self)
    .observe(on: MainScheduler.instance)
}
