import MarketData
import StockbusConfig
import StockbusPlugin

/// What a test gives one source: a file, rows, or prices as a series.
enum TestInput {
  case file(String)
  /// JSON lines, ordered by time.
  case rows([Row])

  /// One event.
  struct Row {
    let text: String
    /// Where it is written.
    let mark: ConfigNode.Mark
    /// The fields that are written.
    var fields: [(name: String, mark: ConfigNode.Mark)] = []
    /// The symbol, and where it is written.
    var symbol: (name: String, mark: ConfigNode.Mark)?
  }

  /// Reads `monday.csv`, a list of rows, or `{ AAPL: "100 -0.10x60", every: 1m }`.
  static func read(_ node: ConfigNode, of source: String, from start: Timestamp, folder: String, _ problems: inout Problems) -> TestInput? {
    switch node.value {
    case .scalar(let path): return .file(path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)")
    case .list(let items): return .rows(items.compactMap { row($0, from: start, &problems) })
    case .map(let entries): return series(entries, at: node.mark, from: start, &problems)
    }
  }

  /// `{ at: 5s, symbol: AAPL, price: 100 }`: the fields of the event, `at` in place of its time.
  private static func row(_ node: ConfigNode, from start: Timestamp, _ problems: inout Problems) -> Row? {
    guard case .map(let entries) = node.value else {
      problems.add("a row is a mapping such as { at: 5s, symbol: AAPL, price: 100, size: 10 }, got \(node.kind)", at: node.mark)
      return nil
    }
    var members: [JSONValue.Member] = []
    var fields: [(name: String, mark: ConfigNode.Mark)] = []
    for entry in entries {
      guard case .scalar(let text) = entry.value.value else {
        problems.add("\(shown(entry.key)) of a row must be a text or a number, got \(entry.value.kind)", at: entry.value.mark)
        return nil
      }
      if entry.key == "at" {
        guard let offset = offset(entry.value, "at", &problems) else { return nil }
        members.append(.init("time", .string("\(start.moved(by: offset))")))
      } else {
        fields.append((entry.key, entry.mark))
        let isNumber = !entry.value.isQuoted && (try? Price(option: text)) != nil
        members.append(.init(entry.key, isNumber ? .number(text) : .string(text)))
      }
    }
    if !entries.contains(where: { $0.key == "at" || $0.key == "time" }) {
      problems.add("the row has no 'at': the time since the start of the test, such as 5s", at: node.mark)
    }
    var symbol: (name: String, mark: ConfigNode.Mark)?
    if let value = entries.first(where: { $0.key == "symbol" })?.value, case .scalar(let name) = value.value { symbol = (name, value.mark) }
    return Row(text: JSONValue.object(members).description, mark: node.mark, fields: fields, symbol: symbol)
  }

  static func offset(_ node: ConfigNode, _ key: String, _ problems: inout Problems) -> Duration? {
    if case .scalar(let text) = node.value, let duration = try? Duration(option: text), duration >= .zero { return duration }
    problems.add("'\(key)' must be the time since the start of the test, such as 5m or 1.5s, got \(node.shownText)", at: node.mark)
    return nil
  }

  // MARK: Series

  /// The most values of a series.
  private static var limit: Int { 1_000_000 }

  private static func series(
    _ entries: [ConfigNode.Entry], at mark: ConfigNode.Mark, from start: Timestamp, _ problems: inout Problems
  ) -> TestInput? {
    guard let every = entries.first(where: { $0.key == "every" }) else {
      problems.add("prices need 'every', such as every: 1m", at: mark)
      return nil
    }
    guard let step = offset(every.value, "every", &problems) else { return nil }
    if entries.count == 1 { problems.add("there are no prices: write such as AAPL: \"100 101\"", at: mark) }
    var rows: [(place: Int, row: Row)] = []
    for entry in entries where entry.key != "every" {
      guard case .scalar(let text) = entry.value.value, let prices = values(text) else {
        problems.add(
          "\(shown(entry.key)): prices are written as numbers, and steps that are repeated, such as \"100 -0.10x60 +0.30x40\"",
          at: entry.value.mark)
        continue
      }
      for (place, price) in prices.enumerated() {
        let (span, isOver) = step.wholeNanoseconds.multipliedReportingOverflow(by: Int64(place))
        let time = Timestamp(ns: start.ns.addingSaturating(isOver ? .max : span))
        let row: JSONValue = [
          "time": .string("\(time)"), "symbol": .string(entry.key), "price": .number("\(price)"), "size": 1, "bid": .number("\(price)"),
          "ask": .number("\(price)"), "open": .number("\(price)"), "high": .number("\(price)"), "low": .number("\(price)"),
          "close": .number("\(price)"), "volume": 1, "length": .string(step.optionText),
        ]
        rows.append((place, Row(text: row.description, mark: entry.value.mark, symbol: (entry.key, entry.mark))))
      }
    }
    // The same order at each moment as the symbols are written in.
    return .rows(rows.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element.row))
  }

  /// `100 -0.10x60 +0.30x40 95`: a number is a value, a number with a sign and `x` as many steps.
  static func values(_ text: String) -> [Price]? {
    var values: [Price] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: "x", omittingEmptySubsequences: false)
      if parts.count == 1, let value = try? Price(option: String(word)) {
        values.append(value)
        continue
      }
      guard parts.count == 2, let count = Int(parts[1]), count > 0, count <= limit - values.count,
        let step = try? Price(option: String(parts[0].first == "+" ? parts[0].dropFirst() : parts[0])), let last = values.last
      else { return nil }
      var raw = last.raw
      for _ in 0..<count {
        let (sum, isOver) = raw.addingReportingOverflow(step.raw)
        if isOver { return nil }
        raw = sum
        values.append(Price(raw: raw))
      }
    }
    return values.isEmpty || values.count > limit ? nil : values
  }
}

extension Timestamp {
  /// This time and a span after it.
  func moved(by span: Duration) -> Timestamp { Timestamp(ns: ns.addingSaturating(span.wholeNanoseconds)) }
}
