import StockbusTerminal
import Synchronization

/// The terminal, as far as the program itself writes to it: log lines, and a line of progress.
///
/// Logging is synchronous and the terminal is an actor: what is to be written goes there in order, without anybody waiting.
enum Console {
  private enum Item: Sendable {
    case log(String, LineRole)
    /// Lines that stay together, with their tabs where standard error is no terminal.
    case reply([String])
    /// Nil takes the line away.
    case progress(String?)
  }

  /// The process's one terminal, with the colours that `begin` was told. Every run of the program gives it to its components.
  static let terminal = Terminal(colors: colors.withLock { $0 })
  private static let colors = Mutex(ColorChoice.auto)

  /// Says what `--color` asks for, before anything looks at the terminal.
  static func begin(colors choice: ColorChoice) { colors.withLock { $0 = choice } }

  /// Beyond 1,024 waiting items the newest are left out, and said to be.
  private static let items = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingOldest(1024))
  private static let dropped = Mutex(0)

  /// A log line, above whatever is drawn in place.
  static func log(_ line: String, role: LineRole = .output) {
    if case .dropped = items.continuation.yield(.log(line, role)) { dropped.withLock { $0 += 1 } }
  }

  /// What was asked for, above whatever is drawn in place: in columns where people read it, otherwise with tabs for the next program.
  static func reply(_ text: ReplyText) {
    let lines = terminal.errorCapabilities.isTerminal ? text.columns : text.lines
    if case .dropped = items.continuation.yield(.reply(lines)) { dropped.withLock { $0 += lines.count } }
  }

  /// The line of progress: in place on a terminal; nil takes it away.
  static func show(progress line: String?) { items.continuation.yield(.progress(line)) }

  /// Progress is for people: it is shown where standard error is a terminal.
  static var canShowProgress: Bool { terminal.errorCapabilities.canRedraw }

  /// Writes what comes until `finish`.
  static func printItems() async {
    var isShowing = false
    for await item in items.stream {
      switch item {
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

  /// Writes what is left, leaves the last frame, and gives the terminal back.
  static func finish(_ printing: Task<Void, Never>) async {
    items.continuation.finish()
    await printing.value
    let dropped = dropped.withLock { $0 }
    if dropped > 0 {
      try? await terminal.print(StyledLine("\(dropped) log lines were left out, too many at once"), to: .standardError)
    }
    try? await terminal.restore()
  }
}
