package import StockbusTerminal
internal import StockbusTestKit

/// A terminal in memory, with a person in front of it: what a `Terminal` of its own draws can be read, keys can be pressed, the window
/// can be resized or closed.
///
/// ```swift
/// let screen = FakeTerminal(columns: 60, rows: 10)
/// let harness = PluginHarness(services: Services(screen.terminal))
/// …
/// #expect(screen.rows == ["AAPL 189.25"])
/// ```
package final class FakeTerminal: Sendable {
  /// What the run under test is given.
  package let terminal: Terminal
  private let device: FakeDevice

  /// Where the program's streams go.
  package enum Place: Sendable {
    case terminal
    /// A pipe or a file.
    case pipe
  }

  /// - Parameters:
  ///   - output: where standard output goes; standard error goes to the terminal.
  ///   - environment: the program's, as far as it is about terminals.
  package init(
    columns: Int = 80, rows: Int = 24, output: Place = .terminal, environment: [String: String] = usualEnvironment,
    colors: ColorChoice = .auto
  ) {
    device = FakeDevice(columns: columns, rows: rows, output: output)
    terminal = Terminal(device, environment: environment, colors: colors)
  }

  /// A terminal with 16 colours that takes UTF-8.
  package static let usualEnvironment = ["TERM": "xterm", "LANG": "C.UTF-8"]

  // MARK: What is to be seen

  /// The terminal as it is now.
  package var model: ScreenModel { device.state.value.model }

  /// What stands on it, what has scrolled away first, without the empty rows at the end.
  package var rows: [String] { model.text }

  /// The same with looks: `[bold bright green: AAPL] 189.25`.
  package var looks: [String] { model.looks }

  /// What has gone to a pipe.
  package var piped: String { String(decoding: device.state.value.piped, as: UTF8.self) }

  /// What was done to the terminal as a whole, in order: `other screen on`, `keys one by one`, …
  package var journal: [String] { device.state.value.journal }

  /// How often something was written.
  package var writes: Int { device.state.value.writes }

  /// Returns when the terminal looks so, or the task is cancelled.
  package func wait(until condition: @escaping @Sendable (ScreenModel) -> Bool) async {
    await device.state.wait { condition($0.model) }
  }

  /// Returns when this has been noted in the journal, or the task is cancelled.
  package func wait(for entry: String) async { await device.state.wait { $0.journal.contains(entry) } }

  // MARK: What is done to it

  /// Types bytes as a keyboard sends them: text, or sequences such as `\u{1b}[A` for the arrow up.
  package func type(_ text: String) {
    let (events, receive) = device.state.update { state in (state.decoder.feed(Array(text.utf8)), state.receive) }
    receive?(.input(events))
  }

  /// Pulls at the window's corner.
  package func resize(columns: Int, rows: Int) {
    device.state.update { $0.model.resize(columns: columns, rows: rows) }
    tell(.resized)
  }

  /// The window is gone.
  package func close() { tell(.closed) }

  /// Ctrl-Z.
  package func suspend() { tell(.suspend) }

  /// What a shell's `fg` does.
  package func resume() { tell(.resumed) }

  /// Does something once, as soon as something has been written and before whoever writes goes on.
  package func whenWritten(_ body: @escaping @Sendable () -> Void) { device.state.update { $0.whenWritten = body } }

  /// From now on, writing to a stream fails with this error number.
  package func fail(_ stream: OutputStream = .standardOutput, with code: Int32) { device.state.update { $0.faults[stream] = code } }

  /// Nobody has a keyboard here, or the process is not in the foreground of its terminal.
  package func refuseKeyboard(_ refusal: ScreenRefusal) { device.state.update { $0.refusal = refusal } }

  private func tell(_ news: KeyboardNews) { device.state.value.receive?(news) }
}

extension ScreenModel {
  /// All rows with their looks, without the empty ones at the end: `[bold bright green: AAPL] 189.25`.
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
