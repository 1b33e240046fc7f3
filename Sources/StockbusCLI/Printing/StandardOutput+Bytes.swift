import MarketData

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension StandardOutput {
  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes whole lines, waiting where the reader is slow; answers why that is not possible. A terminal gets nothing that it would obey.
  @Sendable
  static func tryWrite(_ lines: UnsafeRawBufferPointer) -> PrintJob.End? {
    if isTerminal, let harmless = TerminalText.harmless(lines) { return harmless.withUnsafeBytes(tryWrite(bytes:)) }
    return tryWrite(bytes: lines)
  }

  /// Writes bytes, waiting where the reader is slow; answers why that is not possible.
  private static func tryWrite(bytes: UnsafeRawBufferPointer) -> PrintJob.End? {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let n = output(base + done, bytes.count - done)
      if n > 0 {
        done += n
      } else if n < 0, errno == EAGAIN {
        waitUntilWritable(STDOUT_FILENO)
      } else if n < 0, errno == EPIPE {
        return .closed
      } else if n == 0 {
        return .failed("it takes nothing")
      } else if errno != EINTR {
        return .failed(String(cString: strerror(errno)))
      }
    }
    return nil
  }
}

/// Here, because inside of the extension `write` is another one.
private func output(_ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(STDOUT_FILENO, bytes, count) }
