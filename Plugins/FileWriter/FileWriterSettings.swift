package import StockbusFiles
package import StockbusPlugin

/// How records are written.
package enum RecordFormat: String, Choice {
  /// By the path's ending: `.csv` gives CSV, everything else JSON lines.
  case auto
  case jsonl, csv
}

extension FormulaCells: Choice {}

/// How times are written.
package enum RecordTimeFormat: String, Choice {
  /// With 0, 3, 6 or 9 decimals, as the time needs.
  case iso8601
  case iso8601Seconds = "iso8601_s"
  case iso8601Milliseconds = "iso8601_ms"
  case iso8601Microseconds = "iso8601_us"
  case iso8601Nanoseconds = "iso8601_ns"
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  var style: TimeStyle {
    switch self {
    case .iso8601: .iso8601(.shortest)
    case .iso8601Seconds: .iso8601(.seconds)
    case .iso8601Milliseconds: .iso8601(.milliseconds)
    case .iso8601Microseconds: .iso8601(.microseconds)
    case .iso8601Nanoseconds: .iso8601(.nanoseconds)
    case .seconds: .epoch(.seconds)
    case .milliseconds: .epoch(.milliseconds)
    case .microseconds: .epoch(.microseconds)
    case .nanoseconds: .epoch(.nanoseconds)
    }
  }
}

package struct FileWriterSettings: RecordFileOptions {
  @Setting(
    "The file; - is standard output. Missing folders are created; an existing file is appended to, unless 'append' is false.",
    length: 1...)
  package var path: String
  @Setting("JSON lines or CSV; auto goes by the path's ending.")
  package var format = RecordFormat.auto
  @Setting("The fields to write, in this order; by default all.")
  package var fields: [String]?
  @Setting("How times are written: ISO-8601 with as many decimals as needed or a fixed number, or whole units since the epoch.")
  package var times = RecordTimeFormat.iso8601
  @Setting(
    "In CSV, texts that a spreadsheet would take for formulas (they begin with =, +, - or @): keep, or defuse (puts an apostrophe before them)."
  )
  package var formulas = FormulaCells.keep
  @Setting("Begins a CSV file with the names of its fields.")
  package var header = true
  @SettingGroup
  package var file = RetryingFileSettings()

  package init() {}

  var isCSV: Bool { format == .csv || (format == .auto && path.lowercased().hasSuffix(".csv")) }
}
