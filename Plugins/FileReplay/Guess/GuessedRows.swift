internal import MarketData
internal import StockbusDecoding
internal import StockbusFiles
internal import StockbusPlugin

/// Finds the options for the rows of a table by trying them.
struct GuessedRows {
  private(set) var guess = FileGuess()
  private let bytes: [UInt8]
  private let columns: GuessedColumns
  private var base = ReplayOptions()

  init(_ bytes: [UInt8], _ encoding: TextEncoding, name: String, now: Timestamp) {
    self.bytes = bytes
    let table = GuessedTable(bytes)
    columns = GuessedColumns(table ?? GuessedTable())
    guard let table else {
      guess.problem = "no line has several fields that are separated by a comma, a semicolon, a tab or a pipe"
      return
    }
    base.format = .csv
    base.intake = SymbolIntake(limit: 0)
    base.now = { now }
    base.csv = CSVFormat(
      delimiter: table.delimiter, hasHeader: table.header != nil, skipped: table.skipped, ignored: table.others.map { Array($0.utf8) })
    base.columns = columns.places.mapValues { "\($0 + 1)" }
    if columns.places["symbol"] == nil { base.symbol = Symbol(id: 0) }
    base.date = Self.date(in: name)
    if let sides = columns.sides {
      var words = SideWords()
      (words.buy, words.sell) = sides
      base.sides = words
    }
    guard columns.missing.isEmpty else {
      let names = listed(columns.missing.map { "the \($0)" })
      guess.problem =
        "no \(columns.missing.count > 1 ? "columns" : "column") for \(names)"
        + (table.header.map { "; there are \(listed($0.prefix(20).map { "'\($0)'" }))" } ?? "")
        + "; \(Self.remedy(columns.missing, table, name))"
      return
    }
    guard let best = best() else { return }
    conclude(table, best, encoding, name)
  }

  /// The block to write by hand for columns that were not found; which they are is only an example.
  private static func remedy(_ missing: [String], _ table: GuessedTable, _ name: String) -> String {
    let names = table.header ?? (table.rows.first ?? []).indices.map { "\($0 + 1)" }
    let columns = zip(missing, names.indices).map { "\($0): \(LikelyColumns.yaml($1, names, true) ?? "COLUMN")" }.joined(separator: ", ")
    return "write which they are, such as 'sources: { rows: { plugin: file_replay, path: \(name.optionText), columns: { \(columns) } } }'"
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
  private mutating func best() -> Trial? {
    var best: Trial?
    for numbers in NumberForm.allCases {
      for time in columns.times {
        var options = base
        (options.time, options.numbers) = (time, numbers)
        let trial = trial(inAnyZone: options)
        if best == nil, guess.firstRefusal == nil { (guess.refused, guess.firstRefusal) = (trial.refused, trial.firstRefusal) }
        if trial.rows > best?.rows ?? 0 { best = trial }
        if best?.refused == 0 { return best }
      }
    }
    if best == nil { guess.problem = guess.firstRefusal ?? "it has no rows" }
    return best
  }

  private func trial(inAnyZone options: ReplayOptions) -> Trial {
    var options = options
    let trial = trial(options)
    if trial.rows > 0 || !trial.needsZone { return trial }
    options.zone = "UTC"
    var zoned = self.trial(options)
    zoned.needsZone = true
    return zoned
  }

  private func trial(_ options: ReplayOptions) -> Trial {
    var trial = Trial(options: options)
    do throws(ReplayError) {
      let input = ReplayInput(name: "file", contents: .bytes(bytes))
      var lines = try LineReader(input.contents, name: input.name, blockSize: bytes.count, limit: options.lineLimit)
      var rows = try RowReader(input, options, fields: columns.fields, isJSON: false)
      while !rows.isAtEnd {
        let step = try rows.slow(&lines) { note in
          if case .malformed(let row) = note, row.reason.contains("has no time zone") { trial.needsZone = true }
          return .skip
        }
        guard case .row = step else { continue }
        trial.rows += 1
        if trial.times.count < 100 { trial.times.append(rows.values.row.time) }
        if trial.example == nil { trial.example = example(rows.values.row) }
      }
      trial.refused = rows.malformed
      trial.firstRefusal = rows.firstMalformed.map { "line \($0.line): \($0.reason)" }
    } catch { trial.firstRefusal = error.message }
    return trial
  }

  private func example(_ row: borrowing RowValues) -> String {
    var text = "\(columns.kind.rawValue) \(row.time)"
    for (i, field) in columns.fields.enumerated() where columns.places[field.name] != nil {
      switch field.kind {
      case .price, .quoted: text += " \(field.name) \(row.price(i))"
      case .quantity: text += " \(field.name) \(row.quantity(i))"
      case .side: text += " \(row.side(i))"
      default: break
      }
    }
    return text
  }

  private mutating func conclude(_ table: GuessedTable, _ best: Trial, _ encoding: TextEncoding, _ name: String) {
    (guess.rows, guess.refused, guess.firstRefusal, guess.example) = (best.rows, best.refused, best.firstRefusal, best.example)
    guess.columns = table.header ?? []
    if columns.kind != .trade { add("event", columns.kind.rawValue) }
    if encoding != .utf8 { add("encoding", encoding.rawValue) }
    if table.delimiter != .comma { add("delimiter", table.delimiter.optionText) }
    if table.skipped > 0 { add("skip_lines", "\(table.skipped)") }
    if table.header == nil { add("header", "false") }
    if !table.others.isEmpty { add("ignore", "[\(table.others.map(Self.quoted).joined(separator: ", "))]") }
    let mapping = columns.written
    if !mapping.isEmpty { add("columns", "{ \(mapping.map { "\($0.field): \($0.column)" }.joined(separator: ", ")) }") }
    if columns.places["symbol"] == nil {
      ask("symbol", "Which symbol are all rows about, or in which column are the symbols?", [Self.symbol(in: name)])
    }
    if columns.kind == .bar, let length = Self.length(best.times) { add("length", length) }
    addTime(best)
    if best.options.numbers != .plain { add("numbers", best.options.numbers.rawValue) }
    if let sides = columns.sides {
      let words = [("buy", sides.buy), ("sell", sides.sell)].filter { !$0.1.isEmpty }
      add("sides", "{ \(words.map { "\($0.0): [\($0.1.map(Self.quoted).joined(separator: ", "))]" }.joined(separator: ", ")) }")
    }
  }

  private mutating func addTime(_ best: Trial) {
    let time = best.options.time
    if time.needsDate {
      ask("date", "On which date are the times, such as \(columns.firstTime)?", best.options.date.map { [$0.iso] } ?? [])
    }
    let others = columns.patterns.filter { $0 != time.pattern }.map { TimeForm($0) }.filter { other in
      guard time.pattern != nil else { return false }
      var options = best.options
      options.time = other
      return trial(options).rows == best.rows
    }
    if let other = others.first {
      let text = "Is \(columns.firstTime) written as \(time.name) or as \(other.name)?"
      ask("time", text, [Self.quoted(time.name), Self.quoted(other.name)])
    } else if time != .auto {
      add("time", time.pattern == nil ? time.name : Self.quoted(time.name))
    }
    if best.needsZone, columns.isUTC {
      add("zone", "UTC")
    } else if best.needsZone {
      ask("zone", "In which time zone are the times, such as \(columns.firstTime)?", ["UTC", "America/New_York", "Europe/London"])
    }
  }

  private mutating func add(_ name: String, _ value: String) { guess.options.append(FileGuess.Option(name: name, value: value)) }

  /// Asks, and writes the likeliest answer.
  private mutating func ask(_ option: String, _ text: String, _ choices: [String]) {
    guess.questions.append(FileGuess.Question(option: option, text: text, choices: choices))
    add(option, choices[0])
  }

  /// The name of the file up to its first mark: `AAPL` of `aapl_1min.csv`.
  private static func symbol(in name: String) -> String {
    let word = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.uppercased()
    return word.isEmpty ? "NAME" : word
  }

  /// The date in a file's name: that of `20240102_trade.csv`.
  private static func date(in name: String) -> CivilDate {
    name.split { !$0.isWholeNumber }.compactMap { $0.utf8.count == 8 ? UInt64($0).flatMap(TimeGuess.date) : nil }.first
      ?? CivilDate(daysSinceEpoch: 0)
  }

  /// The shortest step between two bars, if it is the usual one.
  private static func length(_ times: [Timestamp]) -> String? {
    let steps = zip(times, times.dropFirst()).map { abs($1.ns - $0.ns) / 1_000_000_000 }.filter { $0 > 0 }
    guard let step = steps.min(), 2 * steps.count(where: { $0 == step }) >= steps.count else { return nil }
    for (seconds, unit) in [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")] as [(Int64, String)] where step % seconds == 0 {
      return step < 7 * 86_400 && BarLength("\(step / seconds)\(unit)") != nil ? "\(step / seconds)\(unit)" : nil
    }
    return nil
  }

  /// A text in quotation marks for YAML.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\\" || scalar == "\"" { return "\\\(scalar)" }
      guard scalar.properties.generalCategory == .control else { return String(scalar) }
      return "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    }
    return "\"\(escaped.joined())\""
  }
}
