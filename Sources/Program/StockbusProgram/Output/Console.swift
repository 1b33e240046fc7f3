package import StockbusTerminal
import Synchronization

/// The program's own output to the terminal: log lines, and a progress line.
///
/// Logging is synchronous and the terminal is an actor, so items are queued and written in order, without blocking the caller.
package enum Console {
  private enum Item: Sendable {
    case log(String, LineRole)
    /// Lines that stay together; with tabs between fields if standard error is not a terminal.
    case reply([String])
    /// Nil removes the line.
    case progress(String?)
    /// The run is over.
    case end
  }

  /// The only terminal of the process, with the colours that `begin` was given. Every run of the program passes it to its components.
  package static let terminal = Terminal(colors: colors.withLock { $0 })
  private static let colors = Mutex(ColorChoice.auto)

  /// Sets the choice of `--color`; to be called before the terminal is used.
  static func begin(colors choice: ColorChoice) { colors.withLock { $0 = choice } }

  /// Beyond 1,024 waiting items the newest are dropped, and their number is reported.
  private static let items = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingOldest(1024))
  private static let dropped = Mutex(0)

  /// Prints a log line above everything that is drawn in place.
  package static func log(_ line: String, role: LineRole = .output) {
    if case .dropped = items.continuation.yield(.log(line, role)) { dropped.withLock { $0 += 1 } }
  }

  /// Prints requested output above everything that is drawn in place: in columns for people, otherwise with tabs for the next program.
  static func reply(_ text: ReplyText) {
    let lines = terminal.errorCapabilities.isTerminal ? text.columns : text.lines
    if case .dropped = items.continuation.yield(.reply(lines)) { dropped.withLock { $0 += lines.count } }
  }

  /// Shows the progress line in place on a terminal; nil removes the line.
  static func show(progress line: String?) { items.continuation.yield(.progress(line)) }

  /// Progress is for people, so it is only shown if standard error is a terminal.
  static var canShowProgress: Bool { terminal.errorCapabilities.canRedraw }

  /// Writes items until `finish`.
  static func printItems() async {
    var isShowing = false
    printing: for await item in items.stream {
      switch item {
      case .end: break printing
      case .log(let line, let role):
        clear(&isShowing)
        try? await terminal.print(StyledLine(line), to: .standardError, role: role)
      case .reply(let lines):
        clear(&isShowing)
        if terminal.errorCapabilities.isTerminal {
          try? await terminal.print(lines.map { StyledLine($0) }, to: .standardError)
        } else {
          StandardError.write(lines.joined(separator: "\n"))
        }
      case .progress(let line):
        if terminal.capabilities.canRedraw {
          try? await terminal.setBlock(line.map { [StyledLine($0, Style(dim: true))] }, owner: "progress")
        } else if let line {
          let columns = max(1, terminal.errorCapabilities.size.columns - 1)
          StandardError.write(commands: "\r\u{1b}[K" + line.terminalSafe.prefix(columns: columns))
          isShowing = true
        } else {
          clear(&isShowing)
        }
      }
    }
    clear(&isShowing)
  }

  private static func clear(_ isShowing: inout Bool) {
    if isShowing { StandardError.write(commands: "\r\u{1b}[K") }
    isShowing = false
  }

  /// Writes the remaining items of a run, which another one may follow, leaves the last frame on the screen, and restores the terminal.
  static func finish(_ printing: Task<Void, Never>) async {
    while case .dropped = items.continuation.yield(.end) { await Task.yield() }
    await printing.value
    let dropped = dropped.withLock { $0 }
    if dropped > 0 {
      try? await terminal.print(StyledLine("\(dropped) log lines were omitted, too many at once"), to: .standardError)
    }
    try? await terminal.restore()
  }
}
