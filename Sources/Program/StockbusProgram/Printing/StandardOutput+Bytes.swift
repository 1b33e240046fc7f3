import LibC
import MarketData
import StockbusSystem

extension StandardOutput {
  package static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Why a format of bytes is refused on a terminal.
  package static func notForTerminal(_ format: String, _ example: String) -> String {
    "\(format) is not for a terminal: write it to a file, as in > \(example), or to a pipe"
  }

  /// Writes whole lines, waiting for a slow reader; returns why that is not possible. A terminal gets no control characters.
  @Sendable
  package static func tryWrite(_ lines: UnsafeRawBufferPointer) -> PrintJob.End? {
    if isTerminal, let harmless = TerminalText.harmless(lines) { return harmless.withUnsafeBytes(tryWrite(bytes:)) }
    return tryWrite(bytes: lines)
  }

  /// Writes bytes, waiting for a slow reader; returns why that is not possible. Without bytes it only looks whether there is a reader.
  private static func tryWrite(bytes: UnsafeRawBufferPointer) -> PrintJob.End? {
    if bytes.isEmpty {
      var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0 ? .closed : nil
    }
    do throws(Errno) {
      try FileDescriptor.standardOutput.writeWhole(bytes)
      return nil
    } catch { return error == .brokenPipe ? .closed : .failed("\(error)") }
  }
}
