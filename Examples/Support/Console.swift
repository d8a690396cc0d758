#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Standard output and standard error, unbuffered: the text has been written when the call returns.
public enum Console {
  /// Whether commands are typed, and echoed where they are typed.
  public static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Writes `text` to standard output, all of it in one write where the system allows.
  public static func write(_ text: String) throws(FileError) {
    guard writeAll(text, to: STDOUT_FILENO) else { throw .unwritable(path: nil, .last) }
  }

  /// Writes `text` to standard output. If that fails, there is nothing left to run for.
  public static func show(_ text: String) {
    do { try write(text) } catch { fail(error) }
  }

  /// Ends the program with exit status 2, and one line about `error` on standard error.
  public static func fail(_ error: any Error) -> Never {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "example"
    _ = writeAll("\(program): \(Format.printable("\(error)"))\n", to: STDERR_FILENO)
    exit(2)
  }

  /// Ends the program.
  public static func end(status: Int32) -> Never { exit(status) }

  static func writeAll(_ text: String, to file: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = systemWrite(file, start, rest.count)
        if count >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        } else if errno == EAGAIN {
          var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          _ = poll(&request, 1, -1)
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }
}

private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, start, count)
}
