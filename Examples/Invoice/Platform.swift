#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// The few calls to the C library that there have to be.

/// Input that cannot be read or understood, or output that cannot be written.
enum InputError: Error, Equatable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case malformed(path: String, CSVError)
  case unwritable(path: String? = nil, reason: String)

  var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .malformed(let path, let error): "\(path), \(error)"
    case .unwritable(let path?, let reason): "cannot write \(path): \(reason)"
    case .unwritable(nil, let reason): "cannot write: \(reason)"
    }
  }
}

/// Standard output and standard error, unbuffered: what is written is out when the call returns.
enum Console {
  /// Whether commands are typed, and show where they are typed.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Writes `text` to standard output.
  static func write(_ text: String) throws(InputError) {
    guard writeAll(text, to: STDOUT_FILENO) else {
      throw .unwritable(reason: systemError(errno))
    }
  }

  /// Ends the program with one line about `error` on standard error.
  static func fail(_ error: any Error) -> Never {
    _ = writeAll("Invoice: \(Format.printable("\(error)"))\n", to: STDERR_FILENO)
    exit(2)
  }

  fileprivate static func writeAll(_ text: String, to file: Int32) -> Bool {
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

/// Files, whole.
enum File {
  /// Enough for an invoice; a device that never ends stops here.
  private static let maximumSize = 64 << 20

  /// Writes `text` to a file, in place of what is in it.
  static func write(_ text: String, to path: String) throws(InputError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0, Console.writeAll(text, to: file), close(file) == 0 else {
      throw .unwritable(path: path, reason: systemError(errno))
    }
  }

  static func contents(of path: String) throws(InputError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(path: path, reason: systemError(errno)) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
        guard bytes.count <= maximumSize else {
          throw .unreadable(path: path, reason: systemError(EFBIG))
        }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw .unreadable(path: path, reason: systemError(errno))
      }
    }
  }
}

private func systemError(_ code: Int32) -> String { String(cString: strerror(code)) }

private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, start, count)
}
