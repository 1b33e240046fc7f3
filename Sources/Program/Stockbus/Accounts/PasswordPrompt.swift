import ArgumentParser
import LibC
import StockbusProgram

/// Asks for a password: twice and without showing it on a terminal, or as one line of standard input.
enum PasswordPrompt {
  static func newPassword() throws -> String {
    guard isatty(STDIN_FILENO) == 1 else { return try line() }
    let first = try hidden("New password: ")
    guard try hidden("Again: ") == first else {
      StandardError.write("error: the two passwords differ; nothing was changed")
      throw ExitCode.failure
    }
    return first
  }

  private static func line() throws -> String {
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      StandardError.write("error: no password on standard input")
      throw ExitCode.failure
    }
    return line
  }

  /// While the password is typed, keys are neither shown nor interrupt the program: an interrupt would leave the terminal in that state.
  private static func hidden(_ question: String) throws -> String {
    StandardError.write(question)
    var usual = termios()
    guard tcgetattr(STDIN_FILENO, &usual) == 0 else { return try line() }
    var quiet = usual
    quiet.c_lflag &= ~tcflag_t(ECHO | ISIG)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual) }
    let text = try line()
    // Ctrl-C and Ctrl-\, which arrive as characters.
    if text.utf8.contains(where: { $0 == 3 || $0 == 28 }) { throw ExitCode(130) }
    return text
  }
}
