package import StockbusPlugin

extension Terminal: Service {
  /// No terminal: output is discarded, and there are no colours, no window and no keyboard.
  package static let fallback = Terminal(NoDevice(), environment: [:])

  /// A terminal without colours that nobody sees, for reading what is shown on it (`block(of:)`).
  package static func unseen(columns: Int, rows: Int) -> Terminal {
    Terminal(
      NoDevice(window: TerminalSize(columns: columns, rows: rows)), environment: ["TERM": "xterm", "LANG": "C.UTF-8"], colors: .never)
  }
}

/// A sink that shows its events as a block of lines on the run's terminal. With the settings of `withoutEffects` it does nothing else.
package protocol BlockComponent: Component {}

extension Context {
  /// The terminal for output to people, which all components of the run share.
  package var terminal: Terminal { services[Terminal.self] }
}
