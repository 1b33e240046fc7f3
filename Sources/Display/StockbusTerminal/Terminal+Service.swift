package import StockbusPlugin

extension Terminal: Service {
  /// No terminal: output is discarded, and there are no colours, no window and no keyboard.
  package static let fallback = Terminal(NoDevice(), environment: [:])
}

extension Context {
  /// The terminal for output to people, which all components of the run share.
  package var terminal: Terminal { services[Terminal.self] }
}
