internal import MarketData
internal import StockbusDecoding

/// The columns of a table in which the fields of an event seem to be.
struct GuessedColumns {
  private(set) var kind = FeedKind.trade
  private(set) var fields = Trade.fields
  /// The columns by field, counted from 0.
  private(set) var places: [String: Int] = [:]
  /// Required fields without a column, besides the symbol.
  private(set) var missing: [String] = []
  /// The columns to write: those that would not be found by their usual names.
  private(set) var written: [(field: String, column: String)] = []
  /// The ways in which the times may be written, the likeliest first.
  private(set) var times: [TimeForm] = [.auto]

  init(_ table: GuessedTable) {
    if let header = table.header { find(header, table) } else { find(table) }
    if let time = places["time"] {
      let values = table.values(time)
      times += [TimeForm(.compact), TimeForm(.excel)] + TimePattern.guesses(Array(values.prefix(100))).map { TimeForm($0) }
    }
  }

  /// By the names of a header.
  private mutating func find(_ header: [String], _ table: GuessedTable) {
    let kinds: [(FeedKind, [ReplayField])] = [(.bar, Bar.fields), (.quote, Quote.fields), (.trade, Trade.fields)]
    for (kind, fields) in kinds {
      var likely = LikelyColumns(header)
      var places: [String: Int] = [:]
      for field in fields where field.isRequired || field.kind == .quantity || field.kind == .side {
        if let place = Self.place(of: field, in: header, but: Set(places.values)) ?? (field.isRequired ? likely.take(field) : nil) {
          places[field.name] = place
        }
        likely = LikelyColumns(header, taken: Set(places.values))
      }
      let missing = fields.filter { $0.isRequired && $0 != .symbol && places[$0.name] == nil }.map(\.name)
      (self.kind, self.fields, self.places, self.missing) = (kind, fields, places, missing)
      if missing.isEmpty { break }
    }
    for field in fields {
      guard let place = places[field.name], Self.place(of: field, in: header, but: []) != place else { continue }
      written.append((field.name, LikelyColumns.yaml(place, header, true) ?? "\(place + 1)"))
    }
  }

  private static func place(of field: ReplayField, in header: [String], but taken: Set<Int>) -> Int? {
    for alias in field.aliases {
      if let place = header.firstIndex(of: alias) ?? header.firstIndex(where: { alias.count > 1 && $0.lowercased() == alias.lowercased() }),
        !taken.contains(place)
      {
        return place
      }
    }
    return nil
  }

  /// By the values, if there is no header.
  private mutating func find(_ table: GuessedTable) {
    let columns = (0..<(table.rows.first?.count ?? 0)).map { table.values($0) }
    let numbers = columns.indices.filter { !columns[$0].isEmpty && columns[$0].allSatisfy(GuessedTable.isNumber) }
    let time = columns.indices.first { !columns[$0].isEmpty && !TimePattern.guesses(columns[$0]).isEmpty } ?? numbers.first
    let values = numbers.filter { $0 != time }
    places["time"] = time
    places["symbol"] = columns.indices.first { place in
      place != time && !numbers.contains(place) && columns[place].contains { $0.contains(where: \.isLetter) }
    }
    if values.count >= 4 {
      (kind, fields) = (.bar, Bar.fields)
      for (field, place) in zip(["open", "high", "low", "close", "volume"], values) { places[field] = place }
    } else {
      for (field, place) in zip(["price", "size"], values) { places[field] = place }
    }
    missing = fields.filter { $0.isRequired && $0 != .symbol && places[$0.name] == nil }.map(\.name)
    written = fields.compactMap { field in places[field.name].map { (field.name, "\($0 + 1)") } }
  }
}
