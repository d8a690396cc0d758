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

/// The terminal, taken over and given back: the alternate screen without a cursor, and keys that do
/// not show.
public final class Screen {
  /// How large the terminal's window is, in characters.
  public struct Size: Equatable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// A line of a picture.
  public struct Line: Equatable {
    public enum Style { case plain, bold, inverse }

    public var text: String
    public var style: Style

    public init(text: String, style: Style = .plain) {
      self.text = text
      self.style = style
    }
  }

  private var savedInput: termios?
  private var isEntered = false
  /// Whether the terminal sends single keys, not whole lines.
  private var takesKeys = false

  public init() {}

  /// Whether standard output is a terminal that can move its cursor.
  public static var isAvailable: Bool {
    isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// The window's size now; 80 × 24 if the terminal does not report it.
  public var size: Size {
    var window = winsize()
    guard
      ioctl(STDOUT_FILENO, numericCast(TIOCGWINSZ), &window) == 0,
      window.ws_col > 0, window.ws_row > 0
    else { return Size(columns: 80, rows: 24) }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Takes the terminal over.
  public func enter() throws(FileError) {
    guard !isEntered else { return }
    isEntered = true
    var input = termios()
    if tcgetattr(STDIN_FILENO, &input) == 0 {
      savedInput = input
      input.c_lflag &= ~tcflag_t(ECHO | ICANON)
      takesKeys = tcsetattr(STDIN_FILENO, TCSANOW, &input) == 0
    }
    try Console.write(Code.alternateScreen + Code.hideCursor + Code.noWrap)
  }

  /// Gives the terminal back as it was. A second call does nothing.
  public func leave() {
    guard isEntered else { return }
    isEntered = false
    // If this fails, the terminal is gone, and there is nothing to give back.
    try? Console.write(Code.wrap + Code.showCursor + Code.mainScreen)
    // Keys typed meanwhile were for the program, not for the shell.
    if var input = savedInput { tcsetattr(STDIN_FILENO, TCSAFLUSH, &input) }
  }

  /// The keys, as they are pressed, after ``enter()``. There are none, and the sequence completes, where
  /// the terminal cannot be switched to single keys, or standard input is no terminal.
  public var keys: Observable<Key> { takesKeys ? inputKeys() : .empty() }

  /// Emits when everything has to be drawn again: for a new window size, and after Ctrl-Z.
  public var redraws: Observable<Void> {
    let resizes = signals(SIGWINCH).map { _ in }
    let returns = signals(SIGTSTP).map { _ in
      self.leave()
      kill(getpid(), SIGSTOP)
      try self.enter()
    }
    return .merge(resizes, returns)
  }

  /// The lines as text that draws them over the contents of the screen, from the top. A line is erased
  /// before it is written, not after: the cursor cannot go past the last column, and would take the
  /// character there with it. Terminals that support this show the whole frame at once.
  public static func frame(_ lines: [Line]) -> String {
    let rows = lines.enumerated().map { index, line in
      let erase = index + 1 < lines.count ? Code.eraseLine : Code.eraseBelow
      return switch line.style {
      case .plain: erase + line.text
      case .bold: erase + Code.bold + line.text + Code.normal
      case .inverse: erase + Code.inverse + line.text + Code.normal
      }
    }
    return Code.beginFrame + Code.home + rows.joined(separator: "\r\n") + Code.endFrame
  }

  private enum Code {
    static let alternateScreen = "\u{1B}[?1049h"
    static let mainScreen = "\u{1B}[?1049l"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static let noWrap = "\u{1B}[?7l"
    static let wrap = "\u{1B}[?7h"
    static let beginFrame = "\u{1B}[?2026h"
    static let endFrame = "\u{1B}[?2026l"
    static let home = "\u{1B}[H"
    static let eraseLine = "\u{1B}[K"
    static let eraseBelow = "\u{1B}[J"
    static let bold = "\u{1B}[1m"
    static let inverse = "\u{1B}[7m"
    static let normal = "\u{1B}[0m"
  }
}
