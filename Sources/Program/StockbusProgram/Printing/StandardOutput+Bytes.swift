import LibC
import MarketData
import StockbusSystem

extension StandardOutput {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes whole lines, waiting for a slow reader; returns why that is not possible. A terminal gets no control characters.
  @Sendable
  package static func tryWrite(_ lines: UnsafeRawBufferPointer) -> PrintJob.End? {
    if isTerminal, let harmless = TerminalText.harmless(lines) { return harmless.withUnsafeBytes(tryWrite(bytes:)) }
    return tryWrite(bytes: lines)
  }

  /// Writes bytes, waiting for a slow reader; returns why that is not possible.
  private static func tryWrite(bytes: UnsafeRawBufferPointer) -> PrintJob.End? {
    do throws(Errno) {
      try FileDescriptor.standardOutput.writeWhole(bytes)
      return nil
    } catch { return error == .brokenPipe ? .closed : .failed("\(error)") }
  }
}
