import StockbusTerminal
import Synchronization

/// The terminal, as far as the program itself writes to it.
enum Console {
  /// A log line, above whatever is drawn in place.
  static func log(_ line: String) {
    // Logging is synchronous and the terminal is an actor: the line goes there in order, without anybody waiting.
    if case .dropped = lines.continuation.yield(line) { dropped.withLock { $0 += 1 } }
  }

  /// Lines on their way to the terminal; beyond 1,024 the newest are left out, and said to be.
  private static let lines = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1024))

  private static let dropped = Mutex(0)

  /// Prints the lines until `finish`.
  static func printLines() async {
    for await line in lines.stream { try? await Terminal.shared.print(StyledLine(line), to: .standardError) }
  }

  /// Prints what is left, leaves the last frame, and gives the terminal back.
  static func finish(_ printing: Task<Void, Never>) async {
    lines.continuation.finish()
    await printing.value
    let dropped = dropped.withLock { $0 }
    if dropped > 0 {
      try? await Terminal.shared.print(StyledLine("\(dropped) log lines were left out, too many at once"), to: .standardError)
    }
    try? await Terminal.shared.restore()
  }
}
