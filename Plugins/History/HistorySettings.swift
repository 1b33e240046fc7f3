internal import StockbusHistory
package import StockbusPlugin

package struct HistorySettings: Options {
  @Setting(
    "The file, an SQLite database. Missing folders are created; an existing history is continued, and any other file is refused.",
    length: 1...)
  package var path: String
  @Setting(
    "How long bars are kept, by their length: { 1s: 1d, 1m: 90d, 1d: forever }. Counted back from the newest bar of that length; bars of other lengths are kept for ever."
  )
  package var keep: Mapping<KeepTime> = [:]
  @Setting("How long a bar or price may wait in memory.", in: .milliseconds(1) ... .seconds(3600))
  package var flush = Duration.seconds(1)
  @Setting("How many events may wait in memory; they are written together.", in: 1...1_000_000)
  package var batch = 200_000
  @Setting(
    "How long a failed write is retried before the component fails, for example on a full disk or while another program locks the file.",
    in: .zero ... .seconds(86_400))
  package var patience = Duration.seconds(30)
  @Setting("Waits for the disk after each write, so that nothing that was written is lost if the machine crashes.")
  package var sync = false

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if path == "-" { problems.add("'path' is a file; a history cannot be written to standard output", at: "path") }
    for (name, _) in keep.entries where BarLength(name).map({ $0 == .unknown }) ?? true {
      problems.add("'keep': \(shown(name)) is not a bar length such as 1m, 1d or 100t", at: "keep")
    }
  }

  package var files: [FileUse] { [.writing(database: path, at: "path", mayBeRead: true)] }

  var retention: Retention {
    var spans: [BarLength: Int64] = [:]
    for (name, time) in keep.entries {
      if let length = BarLength(name), let span = time.nanoseconds { spans[length] = span }
    }
    return Retention(spans)
  }
}

/// How long something is kept: a duration, or `forever`.
package struct KeepTime: ScalarOption, Hashable {
  /// Nil if bars are kept permanently.
  package let nanoseconds: Int64?

  package init(option text: String) throws(OptionTextError) {
    if text == "forever" {
      nanoseconds = nil
      return
    }
    let duration = try Duration(option: text)
    let (total, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest == 0, total > 0, let span = Int64(exactly: total) else { throw .because("a time from 1ns to 290 years, or forever") }
    nanoseconds = span
  }

  package static var optionType: OptionType {
    OptionType("duration or forever", plural: "durations or forever", phrase: "a duration such as 90d, or forever")
  }
  package static var optionSample: String { "90d" }
  package static var optionSchema: JSONValue {
    ["type": ["string"], "pattern": #"^(forever|([0-9]+(\.[0-9]+)?(d|h|ms|m|us|µs|μs|ns|s))+)$"#]
  }
  package var optionText: String { nanoseconds.map { Duration.nanoseconds($0).optionText } ?? "forever" }
  package var optionJSON: JSONValue { .string(optionText) }
}
