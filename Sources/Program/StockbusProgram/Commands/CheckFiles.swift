import ArgumentParser
import MarketData
import StockbusPlugin
import StockbusTables

struct CheckFiles: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check",
      abstract: "Check Parquet files and Arrow streams, bit by bit.",
      discussion: """
        Reads each file to its end, and says how many rows it has. What '\(Program.name) print' has written has checksums of all its bytes, so \
        that every changed bit is found, and the row group or the batch and the rows that it is in are named. Of the files of other programs, \
        what has checksums is compared with them, and everything is decoded. The status is 1 if a file is damaged, cannot be read or has no end.
        """)
  }

  @Argument(help: ArgumentHelp("The files.", valueName: "file"))
  var files: [String]

  func run() throws {
    var areSound = true
    for path in files {
      let name = visible(path, limit: 4096)
      var format = TableFile.Format.parquet
      do {
        let file = try TableFile(path: path)
        format = file.format
        let report = try file.check()
        try StandardOutput.write("\(name): \(Self.text(report, format))")
        if !report.isFinished { areSound = false }
      } catch let error as TableError {
        StandardError.write("\(name): \(visible(Self.text(error, format), limit: 1000))")
        areSound = false
      }
    }
    if !areSound { throw ExitCode.failure }
  }

  /// `3000 rows in 1 row group; no bit has changed`.
  static func text(_ report: TableReport, _ format: TableFile.Format) -> String {
    func number(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    let groups = format == .parquet ? ("row group", "row groups") : ("batch", "batches")
    var text = "\(number(report.rows, "row", "rows")) in \(number(report.groups, groups.0, groups.1)); "
    text += report.isProven ? "no bit has changed" : "readable, but it has no checksums of all its bytes"
    if !report.isFinished { text += "; but it has no end: it is still written, or was cut" }
    if !report.skipped.isEmpty { text += "; not looked at: \(report.skipped.map { visible($0, limit: 100) }.joined(separator: ", "))" }
    return text
  }

  /// `batch 349, rows 1045 to 1047, byte 299840: the message differs from its checksum`; counted from 1, bytes from 0.
  static func text(_ error: TableError, _ format: TableFile.Format) -> String {
    var places: [String] = []
    if let group = error.group { places.append("\(format == .parquet ? "row group" : "batch") \(group + 1)") }
    if let column = error.column { places.append("column \(shown(column))") }
    if let rows = error.rows, !rows.isEmpty {
      places.append(rows.count == 1 ? "row \(rows.upperBound)" : "rows \(rows.lowerBound + 1) to \(rows.upperBound)")
    }
    if let offset = error.offset { places.append("byte \(offset)") }
    return places.isEmpty ? error.reason : places.joined(separator: ", ") + ": " + error.reason
  }
}
