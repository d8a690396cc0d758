#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// The few calls to the C library that more than one file needs.

/// Standard output and standard error, unbuffered: what is written is out when the call returns.
enum Console {
  /// Writes `text` to standard output, all of it in one write where the system allows.
  static func write(_ text: String) throws(InputError) {
    guard writeAll(text, to: STDOUT_FILENO) else {
      throw .unwritable(reason: systemError())
    }
  }

  /// Writes `text` to a file, in place of what is in it.
  static func write(_ text: String, toFile path: String) throws(InputError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0, writeAll(text, to: file), close(file) == 0 else {
      throw .unwritable(path: path, reason: systemError())
    }
  }

  /// Writes `text` to standard error as one line, whatever characters are in it.
  static func complain(_ text: String) {
    _ = writeAll("SystemMonitor: \(Format.printable(text))\n", to: STDERR_FILENO)
  }

  private static func writeAll(_ text: String, to file: Int32) -> Bool {
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

/// The last system call's error in words.
func systemError(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }

private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, start, count)
}
