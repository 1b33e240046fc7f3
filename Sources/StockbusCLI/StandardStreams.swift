import ArgumentParser
import MarketData
import StockbusSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines for people and logs, never for a pipe's next program.
enum StandardError {
  static func write(_ line: String) { put(line + "\n", to: STDERR_FILENO) }

  /// Text with commands for the terminal that are our own; everything else in it must be harmless already.
  static func write(commands text: String) { put(raw: text, to: STDERR_FILENO) }
}

/// Standard input: a terminal, a file or a pipe.
enum StandardInput {
  /// False where it is closed, or open for writing only.
  static var isOpen: Bool {
    let mode = fcntl(STDIN_FILENO, F_GETFL)
    return mode >= 0 && mode & O_ACCMODE != O_WRONLY
  }
}

/// What a command was asked for.
enum StandardOutput {
  /// Says it and throws where it cannot be written, as on a full disk; a reader that has gone ends it quietly.
  static func write(_ line: String) throws {
    var text = line + "\n"
    if case .failed(let reason) = text.withUTF8({ tryWrite(UnsafeRawBufferPointer($0)) }) { throw failure(reason) }
  }

  /// Says why standard output could not be written; what the program then ends with.
  static func failure(_ reason: String) -> ExitCode {
    StandardError.write("standard output: \(reason)")
    return .failure
  }
}

/// Writes lines: as they are to a file or a pipe, without anything to be obeyed to a terminal.
private func put(_ text: String, to descriptor: Int32) {
  put(raw: isatty(descriptor) == 1 ? TerminalText.harmless(text) : text, to: descriptor)
}

/// A stream that nobody reads any more is none of our business.
private func put(raw text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { try? FileDescriptor(rawValue: descriptor).writeWhole(UnsafeRawBufferPointer($0)) }
}
