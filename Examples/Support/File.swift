#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Why a call to the system has failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  public let code: Int32

  public init(code: Int32) { self.code = code }

  /// The error of the last call to the system.
  static var last: SystemError { SystemError(code: errno) }

  public var description: String { String(cString: strerror(code)) }
}

/// A file that cannot be read or written.
public enum FileError: Error, Equatable, CustomStringConvertible {
  case unreadable(path: String, SystemError)
  /// The path is nil for standard output.
  case unwritable(path: String?, SystemError)
  /// It can be read, but is not UTF-8, or has a NUL in it.
  case notText(path: String)

  /// The system's error; nil if the system did not report one.
  public var reason: SystemError? {
    switch self {
    case .unreadable(_, let reason), .unwritable(_, let reason): reason
    case .notText: nil
    }
  }

  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .unwritable(let path?, let reason): "cannot write \(path): \(reason)"
    case .unwritable(nil, let reason): "cannot write: \(reason)"
    case .notText(let path): "\(path) is not a text"
    }
  }
}

/// A file whose contents cannot be understood.
public struct MalformedFile: Error, CustomStringConvertible {
  public let description: String

  /// - Parameter error: the mistake, with its place in the file.
  public init(path: String, _ error: any Error) { description = "\(path), \(error)" }
}

/// Files, whole, and directories.
public enum File {
  /// The kinds of items at a path.
  public enum Kind: Equatable {
    case file, directory, other
  }

  /// More than any example reads; a device that never ends stops here.
  private static let maximumSize = 64 << 20

  /// Whether there is anything at `path`.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The kind of the item at `path`, links not followed; nil if there is none.
  public static func kind(of path: String) -> Kind? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }

  /// The names in a directory, sorted.
  public static func entries(of directory: String) throws(FileError) -> [String] {
    guard let stream = opendir(directory) else { throw .unreadable(path: directory, .last) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// A whole file. It is read until it ends: some, those in `/proc` among them, have no size.
  public static func contents(of path: String) throws(FileError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(path: path, .last) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
        guard bytes.count <= maximumSize else {
          throw .unreadable(path: path, SystemError(code: EFBIG))
        }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw .unreadable(path: path, .last)
      }
    }
  }

  /// The lines of a text, whole.
  public static func lines(of path: String) throws(FileError) -> [Substring] {
    let contents = try contents(of: path)
    guard !contents.contains(0), let text = String(validating: contents, as: UTF8.self) else {
      throw .notText(path: path)
    }
    return lines(text)
  }

  /// The lines of a text.
  public static func lines(_ text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  /// Writes `text` to a file, replacing its contents.
  public static func write(_ text: String, to path: String) throws(FileError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0, Console.writeAll(text, to: file), close(file) == 0 else {
      throw .unwritable(path: path, .last)
    }
  }
}
