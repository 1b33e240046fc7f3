public import StockbusPlugin

extension Terminal: Service {
  /// No terminal: what is printed there nobody sees; there are no colours, no window and no keyboard.
  public static let fallback = Terminal(NoDevice(), environment: [:])
}

extension Context {
  /// Where this component shows things to people; it belongs to all components of the run.
  public var terminal: Terminal { services[Terminal.self] }
}
