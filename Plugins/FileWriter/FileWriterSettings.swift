package import StockbusFiles
package import StockbusPlugin

/// How records are written.
package enum RecordFormat: String, Choice {
  /// By the path's ending: `.csv` gives CSV, `.parquet` Parquet, `.arrows` an Arrow stream, everything else JSON lines.
  case auto
  case jsonl, csv, arrow, parquet
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
  @Setting(
    "JSON lines, CSV, or a table: an Arrow stream, or Parquet, made of a stream beside it at rotation and at the end; full tables are NAME.1.parquet, NAME.2.parquet and so on. auto goes by the path's ending: .csv, .arrows, .parquet."
  )
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

  /// Never `auto`.
  var form: RecordFormat {
    if format != .auto { return format }
    let endings: [(String, RecordFormat)] = [(".csv", .csv), (".parquet", .parquet), (".arrows", .arrow)]
    return endings.first { path.lowercased().hasSuffix($0.0) }?.1 ?? .jsonl
  }

  var isCSV: Bool { form == .csv }
  var isTable: Bool { form == .arrow || form == .parquet }

  /// The file that is written while events come: of `ticks.parquet` it is `ticks.arrows`.
  var streamPath: String { form == .parquet ? path.dropLast(Self.parquet.count) + ".arrows" : path }
  /// The ending of the Parquet files, as it is written.
  var parquetEnding: String { String(path.suffix(Self.parquet.count)) }
  private static var parquet: String { ".parquet" }

  package var files: [FileUse] {
    guard isTable else { return [file.rotation.use(of: path)] }
    // Full files get numbers that are free.
    return Set([path, streamPath]).sorted(by: >).map { .writing($0, at: "path") }
  }

  package func validate(_ problems: inout OptionProblems) {
    file.rotation.check(path: path, &problems)
    guard isTable else { return }
    for name in ["times", "formulas", "header"] where problems.isGiven(name) {
      let what = form == .parquet ? "a Parquet file" : "an Arrow stream"
      problems.add("'\(name)' is for JSON lines and CSV, and \(what) has typed columns", at: name)
    }
    guard form == .parquet else { return }
    if path == "-" {
      problems.add(
        "a Parquet file cannot go to standard output, because it is made of a stream when that has ended: write 'format: arrow'",
        at: "path")
    } else if !path.lowercased().hasSuffix(Self.parquet) || path.hasSuffix("/" + parquetEnding) || path == parquetEnding {
      problems.add("the name of a Parquet file ends in .parquet, by which programs know it", at: "path")
    }
  }
}
