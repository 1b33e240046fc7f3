internal import MarketData
internal import StockbusDecoding

/// The columns of a table in which the fields of an event seem to be.
struct GuessedColumns {
  private(set) var kind = FeedKind.trade
  private(set) var fields = Trade.fields
  /// The columns by field, counted from 0; also that of a date beside the time of day.
  private(set) var places: [String: Int] = [:]
  /// Required fields without a column, besides the symbol.
  private(set) var missing: [String] = []
  /// The ways in which the times may be written, the likeliest first.
  private(set) var times: [TimeForm] = [.auto]
  /// Those of them that are patterns.
  private(set) var patterns: [TimePattern] = []
  /// True if the times are milliseconds of a day.
  private(set) var isSinceMidnight = false
  /// The first time, as it is written.
  private(set) var firstTime = ""
  /// The words for sides, if they are not the usual ones.
  private(set) var sides: (buy: [String], sell: [String])?
  private let table: GuessedTable

  init(_ table: GuessedTable) {
    self.table = table
    if let header = table.header { find(header) } else { findByValues() }
    guard let time = places["time"] else { return }
    if kind == .trade { findSide() }
    var (date, clock): (Int?, Int) = (nil, time)
    if table.values(time).allSatisfy(Self.isClock) {
      date = table.header == nil ? dateBefore(time) : column(of: /date|day|datum/, Self.isDate)
    } else if table.values(time).allSatisfy({ TimePattern.guesses($0).allSatisfy { !$0.hasClock } }),
      let other = column(of: /time|zeit|tijd|heure|hora/, Self.isClock)
    {
      (date, clock) = (time, other)
    }
    var texts = table.values(clock)
    if let date {
      places[CSVColumns.dateName] = date
      places["time"] = clock
      texts = table.rows.prefix(200).filter { !$0[date].isEmpty && !$0[clock].isEmpty }.map { "\($0[date]) \($0[clock])" }
    }
    firstTime = texts.first ?? ""
    // A line of totals has a word there.
    let times = texts.prefix(100).filter { !TimePattern.guesses($0).isEmpty }
    patterns = 2 * times.count > texts.prefix(100).count ? TimePattern.guesses(times) : []
    let numbers = texts.compactMap(Int.init)
    isSinceMidnight =
      numbers.count > 1 && numbers.count == texts.count && numbers.allSatisfy { (0..<86_400_000).contains($0) }
      && numbers == numbers.sorted() && numbers[0] % 1000 == 0
    self.times += isSinceMidnight ? [TimeForm(.millisecondsSinceMidnight)] : [TimeForm(.compact), TimeForm(.excel)]
    self.times += patterns.map { TimeForm($0) }
  }

  /// The columns to write, in the order of the fields: those that would not be found by their usual names.
  var written: [(field: String, column: String)] {
    let isSigned = places["side"] != nil && places["side"] == places["size"]
    let names = [CSVColumns.dateName] + fields.map(\.name)
    return names.compactMap { name in
      guard let place = places[name] else { return nil }
      guard let header = table.header else { return (name, "\(place + 1)") }
      if let field = fields.first(where: { $0.name == name }), !(isSigned && name == "size"),
        Self.place(of: field, in: header, but: []) == place
      {
        return nil
      }
      return (name, LikelyColumns.yaml(place, header, true) ?? "\(place + 1)")
    }
  }

  /// True if a column's name says that its times are in UTC.
  var isUTC: Bool {
    guard let header = table.header else { return false }
    return ["time", CSVColumns.dateName].compactMap { places[$0] }.contains { header[$0].uppercased().contains(/UTC|GMT/) }
  }

  // MARK: By names

  private mutating func find(_ header: [String]) {
    let kinds: [(FeedKind, [ReplayField])] = [(.bar, Bar.fields), (.quote, Quote.fields), (.trade, Trade.fields)]
    for (kind, fields) in kinds {
      (self.kind, self.fields, places) = (kind, fields, [:])
      let sought = fields.filter { $0.isRequired || $0.kind == .quantity || $0.kind == .side }
      // Names that are certain come first, so that no guess takes their columns.
      for field in sought { places[field.name] = Self.place(of: field, in: header, but: Set(places.values)) }
      for field in sought where places[field.name] == nil && field.kind != .side {
        var likely = LikelyColumns(header, taken: Set(places.values))
        while let place = likely.take(field) {
          // A company's name is no symbol.
          if field == .symbol, table.values(place).contains(where: { $0.contains(" ") }) { continue }
          if field.kind != .symbol, field.kind != .time, !table.values(place).contains(where: GuessedTable.isNumber) { continue }
          places[field.name] = place
          break
        }
      }
      missing = fields.filter { $0.isRequired && $0 != .symbol && places[$0.name] == nil }.map(\.name)
      if missing.isEmpty { break }
    }
  }

  private static func place(of field: ReplayField, in header: [String], but taken: Set<Int>) -> Int? {
    for alias in field.aliases {
      let place = header.firstIndex(of: alias) ?? header.firstIndex { alias.count > 1 && $0.lowercased() == alias.lowercased() }
      if let place, !taken.contains(place) { return place }
    }
    return nil
  }

  /// The column with such a name that has such values.
  private func column(of name: Regex<Substring>, _ isValue: (String) -> Bool) -> Int? {
    table.header?.indices.first { place in
      let values = table.values(place)
      return table.header?[place].lowercased().contains(name) == true && !values.isEmpty && values.allSatisfy(isValue)
    }
  }

  // MARK: By values

  private mutating func findByValues() {
    let columns = (0..<(table.rows.first?.count ?? 0)).map { table.values($0) }
    let filled = columns.indices.filter { !columns[$0].isEmpty }
    let dates = filled.filter { columns[$0].allSatisfy { TimePattern.guesses($0).contains { $0.hasDate } } }
    let numbers = filled.filter { columns[$0].allSatisfy(GuessedTable.isNumber) }
    let date = dates.first ?? numbers.first
    let clock = filled.first { $0 != date && $0 == (date ?? 0) + 1 && columns[$0].allSatisfy(Self.isClock) }
    places["time"] = clock ?? date
    let values = numbers.filter { $0 != date && $0 != clock }
    places["symbol"] = filled.first { place in
      place != date && place != clock && !numbers.contains(place) && columns[place].allSatisfy { $0.contains(where: \.isLetter) }
    }
    let isQuote =
      values.count >= 2
      && zip(columns[values[0]], columns[values[1]]).allSatisfy { bid, ask in
        guard let bid = Double(bid), let ask = Double(ask) else { return false }
        return bid != bid.rounded() && bid <= ask && ask < bid * 1.01
      }
    let names: [String]
    switch values.count {
    case 4...: (kind, fields, names) = (.bar, Bar.fields, ["open", "high", "low", "close", "volume"])
    case 2... where isQuote: (kind, fields, names) = (.quote, Quote.fields, ["bid", "ask"])
    default: (kind, fields, names) = (.trade, Trade.fields, ["price", "size"])
    }
    for (field, place) in zip(names, values) { places[field] = place }
    missing = fields.filter { $0.isRequired && $0 != .symbol && places[$0.name] == nil }.map(\.name)
  }

  private func dateBefore(_ time: Int) -> Int? {
    time > 0 && table.values(time - 1).allSatisfy(Self.isDate) ? time - 1 : nil
  }

  /// True for a time of day, `09:30`, `093000`.
  private static func isClock(_ text: String) -> Bool {
    let patterns = TimePattern.guesses(text)
    return patterns.isEmpty ? [4, 6].contains(text.count) && text.allSatisfy(\.isWholeNumber) : patterns.allSatisfy { !$0.hasDate }
  }

  private static func isDate(_ text: String) -> Bool { TimePattern.guesses(text).contains { $0.hasDate && !$0.hasClock } }

  // MARK: Sides

  /// A column of which most values are words for buying and selling; otherwise the sign of the sizes.
  private mutating func findSide() {
    if places["side"] == nil {
      places["side"] = table.header?.indices.first { place in
        let values = table.values(place)
        return !places.values.contains(place) && !values.isEmpty && 2 * values.count { Self.side($0) != nil } > values.count
      }
    }
    if let place = places["side"] {
      let values = table.values(place).compactMap { word in Self.side(word).map { (word, $0) } }
      let words = values.reduce(into: (buy: [String](), sell: [String]())) { words, value in
        if value.1.isBuy, !words.buy.contains(value.0) { words.buy.append(value.0) }
        if !value.1.isBuy, !words.sell.contains(value.0) { words.sell.append(value.0) }
      }
      // Sentences are no words for a side.
      if (words.buy + words.sell).allSatisfy({ $0.utf8.count <= 20 }) {
        if values.contains(where: { !$0.1.isUsual }) { sides = words }
        return
      }
      places["side"] = nil
    }
    if let size = places["size"], table.values(size).contains(where: { $0.hasPrefix("-") }) { places["side"] = size }
  }

  /// Whether a word is for buying, and whether it is read without the option `sides`; nil for other words.
  private static func side(_ word: String) -> (isBuy: Bool, isUsual: Bool)? {
    let small = word.lowercased()
    if let isBuy = ["b": true, "buy": true, "bot": true, "bought": true, "s": false, "sell": false, "sld": false, "sold": false][small] {
      return (isBuy, true)
    }
    let parts = small.split { !$0.isLetter }
    if parts.contains(where: { ["buy", "bought", "kauf"].contains($0) }) || small == "+" { return (true, false) }
    return parts.contains { ["sell", "sold", "verkauf"].contains($0) } || small == "-" ? (false, false) : nil
  }
}
