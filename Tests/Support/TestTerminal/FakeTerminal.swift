package import StockbusTerminal
internal import StockbusTestKit

/// A terminal in memory and its user: a test can read what its `Terminal` draws, press keys, and resize or close the window.
///
/// ```swift
/// let screen = FakeTerminal(columns: 60, rows: 10)
/// let harness = PluginHarness(services: Services(screen.terminal))
/// …
/// #expect(screen.rows == ["AAPL 189.25"])
/// ```
package final class FakeTerminal: Sendable {
  /// The terminal for the run under test.
  package let terminal: Terminal
  private let device: FakeDevice

  /// Where the program's streams are connected.
  package enum Place: Sendable {
    case terminal
    /// A pipe or a file.
    case pipe
  }

  /// - Parameters:
  ///   - output: where standard output goes; standard error goes to the terminal.
  ///   - environment: the program's environment variables about terminals.
  package init(
    columns: Int = 80, rows: Int = 24, output: Place = .terminal, environment: [String: String] = usualEnvironment,
    colors: ColorChoice = .auto
  ) {
    device = FakeDevice(columns: columns, rows: rows, output: output)
    terminal = Terminal(device, environment: environment, colors: colors)
  }

  /// A terminal with 16 colours and UTF-8.
  package static let usualEnvironment = ["TERM": "xterm", "LANG": "C.UTF-8"]

  // MARK: What is to be seen

  /// The current state of the terminal.
  package var model: ScreenModel { device.state.value.model }

  /// All rows, beginning with those that have scrolled away, without the empty rows at the end.
  package var rows: [String] { model.text }

  /// The same with styles: `[bold bright green: AAPL] 189.25`.
  package var looks: [String] { model.looks }

  /// What was written to a pipe.
  package var piped: String { String(decoding: device.state.value.piped, as: UTF8.self) }

  /// The changes of the terminal's modes, in order: `other screen on`, `keys one by one`, …
  package var journal: [String] { device.state.value.journal }

  /// The number of writes.
  package var writes: Int { device.state.value.writes }

  /// Returns when the terminal meets the condition, or the task is cancelled.
  package func wait(until condition: @escaping @Sendable (ScreenModel) -> Bool) async {
    await device.state.wait { condition($0.model) }
  }

  /// Returns when the journal has this entry, or the task is cancelled.
  package func wait(for entry: String) async { await device.state.wait { $0.journal.contains(entry) } }

  // MARK: What is done to it

  /// Types bytes as a keyboard sends them: text, or sequences such as `\u{1b}[A` for the arrow up.
  package func type(_ text: String) {
    let (events, receive) = device.state.update { state in (state.decoder.feed(Array(text.utf8)), state.receive) }
    receive?(.input(events))
  }

  /// Resizes the window.
  package func resize(columns: Int, rows: Int) {
    device.state.update { $0.model.resize(columns: columns, rows: rows) }
    tell(.resized)
  }

  /// Closes the window.
  package func close() { tell(.closed) }

  /// Ctrl-Z.
  package func suspend() { tell(.suspend) }

  /// What a shell's `fg` does.
  package func resume() { tell(.resumed) }

  /// Calls `body` once, after the next write and before the writer continues.
  package func whenWritten(_ body: @escaping @Sendable () -> Void) { device.state.update { $0.whenWritten = body } }

  /// From now on, writing to a stream fails with this error number.
  package func fail(_ stream: OutputStream = .standardOutput, with code: Int32) { device.state.update { $0.faults[stream] = code } }

  /// Refuses the keyboard: there is none, or the process is not in the foreground of its terminal.
  package func refuseKeyboard(_ refusal: ScreenRefusal) { device.state.update { $0.refusal = refusal } }

  private func tell(_ news: KeyboardEvent) { device.state.value.receive?(news) }
}

extension ScreenModel {
  /// All rows with their styles, without the empty ones at the end: `[bold bright green: AAPL] 189.25`.
  package var looks: [String] {
    var lines = (scrollback + screen).map { row in
      row.runs.map { $0.style == .plain ? $0.text : "[\($0.style.words): \($0.text)]" }.joined()
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }
}

extension Style {
  /// `bold inverse bright green on black`.
  fileprivate var words: String {
    let attributes = [(isBold, "bold"), (isDim, "dim"), (isItalic, "italic"), (isUnderlined, "underlined"), (isInverse, "inverse")]
    let words = attributes.filter(\.0).map(\.1) + (foreground.map { [$0.words] } ?? []) + (background.map { ["on \($0.words)"] } ?? [])
    return words.joined(separator: " ")
  }
}

extension Color {
  fileprivate var words: String {
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    return switch self {
    case .ansi(8): "gray"
    case .ansi(let n): n < 8 ? names[Int(n)] : "bright \(names[Int(n) % 8])"
    case .palette(let n): "palette \(n)"
    case .rgb(let r, let g, let b): "rgb \(r) \(g) \(b)"
    }
  }
}
