import StockbusTerminal

/// The terminal, as far as the program itself writes to it.
enum Console {
  /// A log line, above whatever is drawn in place.
  static func log(_ line: String) { StandardError.write(line) }

  /// The last frame stays, and the terminal is as it was.
  static func finish() async {}

  /// As `finish`, from where nothing may wait.
  static func restore() {}
}
