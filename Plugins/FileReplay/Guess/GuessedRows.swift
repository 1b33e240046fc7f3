internal import MarketData
internal import StockbusDecoding
internal import StockbusPlugin

/// Finds the options for the rows of a table by trying them.
struct GuessedRows {
  private(set) var guess = FileGuess()
  private let bytes: [UInt8]
  private let now: Timestamp
  private let kind: FeedKind
  private let fields: [ReplayField]
  private var base = ReplayOptions()

  init(_ bytes: [UInt8], name: String, now: Timestamp) {
    self.bytes = bytes
    self.now = now
    guard let table = GuessedTable(bytes) else {
      (kind, fields) = (.trade, Trade.fields)
      guess.problem = "no line has several fields that are separated by a comma, a semicolon, a tab or a pipe"
      return
    }
    let columns = GuessedColumns(table)
    (kind, fields) = (columns.kind, columns.fields)
    base.format = .csv
    base.intake = SymbolIntake(limit: 0)
    base.now = { now }
    base.csv = CSVFormat(delimiter: table.delimiter, hasHeader: table.header != nil)
    base.columns = columns.places.mapValues { "\($0 + 1)" }
    let hasSymbol = columns.places["symbol"] != nil
    if !hasSymbol { base.symbol = Symbol(id: 0) }
    guard columns.missing.isEmpty else {
      guess.problem = "no \(columns.missing.count > 1 ? "columns" : "column") for \(listed(columns.missing.map { "the \($0)" }))"
      return
    }
    guard let best = best(columns.times) else { return }
    conclude(table, columns, best, name)
  }

  /// What a trial of options gave.
  private struct Trial {
    var options: ReplayOptions
    var rows = 0
    var refused = 0
    var firstRefusal: String?
    var needsZone = false
    var times: [Timestamp] = []
    var example: String?
  }

  /// The options with which most rows are events; the first of several.
  private mutating func best(_ times: [TimeForm]) -> Trial? {
    var best: Trial?
    for numbers in NumberForm.allCases {
      for time in times {
        var options = base
        (options.time, options.numbers) = (time, numbers)
        var trial = self.trial(options)
        if trial.rows == 0 || trial.needsZone {
          options.zone = "UTC"
          let zoned = self.trial(options)
          if zoned.rows > trial.rows {
            trial = zoned
            trial.needsZone = true
          }
        }
        if trial.rows > best?.rows ?? 0 { best = trial }
        if best == nil, guess.firstRefusal == nil { (guess.refused, guess.firstRefusal) = (trial.refused, trial.firstRefusal) }
        if best?.refused == 0 { return best }
      }
    }
    if best == nil { guess.problem = guess.firstRefusal ?? "it has no rows" }
    return best
  }

  private func trial(_ options: ReplayOptions) -> Trial {
    var trial = Trial(options: options)
    do throws(ReplayError) {
      let input = ReplayInput(name: "file", contents: .bytes(bytes))
      var lines = try LineReader(input.contents, name: input.name, blockSize: bytes.count, limit: options.lineLimit)
      var rows = try RowReader(input, options, fields: fields, isJSON: false)
      while !rows.isAtEnd {
        guard case .row = try rows.slow(&lines, { _ in .skip }) else { continue }
        trial.rows += 1
        if trial.times.count < 100 { trial.times.append(rows.values.row.time) }
      }
      (trial.refused, trial.needsZone) = (rows.malformed, rows.firstMalformed?.reason.contains("has no time zone") ?? false)
      trial.firstRefusal = rows.firstMalformed.map { "line \($0.line): \($0.reason)" }
    } catch { trial.firstRefusal = error.message }
    return trial
  }

  private mutating func conclude(_ table: GuessedTable, _ columns: GuessedColumns, _ best: Trial, _ name: String) {
    func add(_ name: String, _ value: String) { guess.options.append(FileGuess.Option(name: name, value: value)) }
    func ask(_ option: String, _ text: String, _ choices: [String]) {
      guess.questions.append(FileGuess.Question(option: option, text: text, choices: choices))
      if let first = choices.first, !guess.options.contains(where: { $0.name == option }) { add(option, first) }
    }
    (guess.rows, guess.refused, guess.firstRefusal, guess.example) = (best.rows, best.refused, best.firstRefusal, best.example)
    if kind != .trade { add("event", kind.rawValue) }
    if table.delimiter != .comma { add("delimiter", table.delimiter.optionText) }
    if table.header == nil { add("header", "false") }
    let mapping = columns.written
    if !mapping.isEmpty { add("columns", "{ \(mapping.map { "\($0.field): \($0.column)" }.joined(separator: ", ")) }") }
    if columns.places["symbol"] == nil {
      ask("symbol", "Which symbol are the rows about?", [Self.symbol(in: name)])
    }
    if best.options.time != .auto { add("time", Self.quoted(best.options.time.name)) }
    if best.options.numbers != .plain { add("numbers", best.options.numbers.rawValue) }
    if best.needsZone { ask("zone", "In which time zone are the times?", ["UTC", "America/New_York", "Europe/London"]) }
  }

  /// The name of the file up to its first mark: `AAPL` of `aapl_1min.csv`.
  private static func symbol(in name: String) -> String {
    let word = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.uppercased()
    return word.isEmpty ? "NAME" : word
  }

  /// A pattern in quotation marks; the name of a format has none.
  private static func quoted(_ text: String) -> String { TimeFormat(text) != nil ? text : "\"\(text)\"" }
}
