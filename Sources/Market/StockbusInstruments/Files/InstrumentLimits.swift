/// Limits for files of instruments. Exceeding one is a located problem.
package enum InstrumentLimits {
  /// Instruments of a run.
  package static let instruments = 250_000
  /// Bytes of a CSV file. A YAML file has the limits of a configuration.
  package static let fileBytes = 64 << 20
  /// Columns of a CSV file.
  package static let columns = 256
  /// Bytes of an instrument's name.
  package static let name = 200
  /// Bytes of its industry, its venue, and the name of its calendar.
  package static let text = 100
  /// Letters and digits of its currency.
  package static let currency = 16
  /// Splits of an instrument.
  package static let splits = 100
  /// Calendars of a configuration.
  package static let calendars = 100
  /// Problems of all files that are reported, and equally many warnings.
  package static let problems = 1000
}
