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

/// A key typed at a terminal that does not wait for whole lines, see ``Screen/enter()``.
public enum Key: Equatable, Sendable {
  case text(String)
  case delete
  case clear
  case end
  case up
  case down

  /// The keys for the bytes that a terminal sends. Of the keys that send sequences, only the arrows up
  /// and down are known; the others are left out.
  public static func keys(_ bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1B: keys += sequence(&rest).map { [$0] } ?? []
      case 0x04: keys.append(.end)
      case 0x08, 0x7F: keys.append(.delete)
      case 0x15: keys.append(.clear)
      case ..<0x20: break
      default: keys.append(.text(String(scalar)))
      }
    }
    return keys
  }

  /// Takes the sequence that follows Escape: `[`, parameters and a final letter; `O` and a letter; or
  /// one character, as Alt sends it.
  private static func sequence(_ rest: inout Substring.UnicodeScalarView) -> Key? {
    let introducer = rest.popFirst()
    guard introducer == "[" || introducer == "O" else { return nil }
    if introducer == "[" { rest = rest.drop { (" "..."?").contains($0) } }
    return switch rest.popFirst() {
    case "A": .up
    case "B": .down
    default: nil
    }
  }
}

/// The keys, as they are pressed; completes at the end of standard input.
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
