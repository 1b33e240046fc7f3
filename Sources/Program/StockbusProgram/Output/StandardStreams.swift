package import ArgumentParser
import LibC
import MarketData
import StockbusSystem

/// Lines for people and logs, which are never input of another program.
package enum StandardError {
  package static func write(_ line: String) { put(line + "\n", to: STDERR_FILENO) }

  /// Writes text with terminal controls of our own; everything else in it must already be harmless.
  package static func write(commands text: String) { put(raw: text, to: STDERR_FILENO) }
}

/// Standard input: a terminal, a file or a pipe.
package enum StandardInput {
  /// False if the stream is closed, or open for writing only.
  package static var isOpen: Bool {
    let mode = fcntl(STDIN_FILENO, F_GETFL)
    return mode >= 0 && mode & O_ACCMODE != O_WRONLY
  }
}

/// The requested output of a command.
package enum StandardOutput {
  /// Writes a line; throws if that fails, as on a full disk. If the reader has closed the pipe, it returns quietly.
  package static func write(_ line: String) throws {
    var text = line + "\n"
    if case .failed(let reason) = text.withUTF8({ tryWrite(UnsafeRawBufferPointer($0)) }) { throw failure(reason) }
  }

  /// Reports why standard output could not be written; returns the exit code.
  package static func failure(_ reason: String) -> ExitCode {
    StandardError.write("standard output: \(reason)")
    return .failure
  }
}

/// Writes text: unchanged to a file or a pipe, without terminal controls to a terminal.
private func put(_ text: String, to descriptor: Int32) {
  put(raw: isatty(descriptor) == 1 ? TerminalText.harmless(text) : text, to: descriptor)
}

/// Errors are ignored, because they mean that the stream has no reader any more.
private func put(raw text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { try? FileDescriptor(rawValue: descriptor).writeWhole(UnsafeRawBufferPointer($0)) }
}
