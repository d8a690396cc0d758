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

/// Emits signals as they arrive, and disables their default actions.
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

/// A key typed at a terminal that does not wait for whole lines, see ``Screen/enter()``.
public enum Key: Equatable, Sendable {
  case text(String)
  case delete
  case clear
  case end

  /// The keys for the bytes that a terminal sends. Keys that send sequences, such as arrows, are left out.
  public static func keys(_ bytes: [UInt8]) -> [Key] {
    guard bytes.first != 0x1B else { return [] }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.compactMap { scalar in
      switch scalar.value {
      case 0x04: .end
      case 0x08, 0x7F: .delete
      case 0x15: .clear
      case ..<0x20: nil
      default: .text(String(scalar))
      }
    }
  }
}

/// The keys, as they are pressed.
public func inputKeys() -> Observable<Key> {
  input {
    var bytes = [UInt8](repeating: 0, count: 256)
    var count = -1
    repeat { count = read(STDIN_FILENO, &bytes, bytes.count) } while count < 0 && errno == EINTR
    return count > 0 ? Key.keys(Array(bytes[..<count])) : nil
  }
  .flatMap { Observable.from($0) }
}

/// Emits the results of `read`, a blocking call, until it returns nil.
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
