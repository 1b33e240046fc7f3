internal import MarketData

/// Guesses by their names which columns or keys of a file were meant for fields; used for suggestions in messages.
struct LikelyColumns {
  /// Other names for a field, beside its aliases, the most likely first.
  private static let words: [String: [String]] = [
    "symbol": [
      "instrument", "security", "stock", "pair", "product", "market", "contract", "asset", "coin", "ric", "isin", "code", "name",
      "wertpapier", "wkn",
      "kürzel", "papier", "aktie", "titel", "bezeichnung",
    ],
    "time": [
      "datetime", "date", "time", "timestamp", "when", "day", "epoch", "at", "start", "datum", "tijd", "zeit", "uhrzeit", "zeitstempel",
    ],
    "price": ["last", "trade", "value", "rate", "prc", "close", "amount", "kurs", "preis", "koers", "cours"],
    "size": ["shares", "executed", "amount", "units", "lots", "contracts", "vol", "stück", "anzahl", "aantal", "menge"],
    "volume": ["vol", "shares", "volumen", "umsatz"],
    "bid": ["buy"], "ask": ["offer", "ofr", "sell"],
    "open": ["first", "eröffnung", "erster"], "high": ["highest", "hi", "max", "hoch"], "low": ["lowest", "lo", "min", "tief"],
    "close": ["last", "settle", "settlement", "price", "schluss", "schlusskurs"],
  ]
  /// The largest number of names that are compared.
  private static let nameLimit = 64

  /// A name reduced to letters and digits in lower case, and its words.
  private struct Name {
    let place: Int
    let whole: String
    let words: [String]

    init(_ name: String, at place: Int) {
      self.place = place
      var words: [String] = []
      var word = ""
      var wasSmall = false
      for scalar in name.unicodeScalars.prefix(60) {
        let isCapital = scalar.properties.isUppercase
        if (isCapital && wasSmall) || !scalar.properties.isAlphabetic && !("0"..."9" ~= scalar) {
          if !word.isEmpty { words.append(word) }
          word = ""
        }
        if scalar.properties.isAlphabetic || "0"..."9" ~= scalar { word += String(scalar).lowercased() }
        wasSmall = scalar.properties.isLowercase
      }
      if !word.isEmpty { words.append(word) }
      self.words = words
      whole = words.joined()
    }
  }

  private var names: [Name]

  /// `taken` are columns that other fields use.
  init(_ names: [String], taken: Set<Int> = []) {
    self.names = names.prefix(Self.nameLimit).enumerated().filter { !taken.contains($0.offset) }.map { Name($0.element, at: $0.offset) }
  }

  /// The most likely column, which is then taken; nil if none is likely.
  mutating func take(_ field: ReplayField) -> Int? {
    let wanted = (field.aliases.filter { $0.count > 1 } + (Self.words[field.name] ?? [])).map { Name($0, at: 0).whole }
    guard let place = place(wanted, field.name) else { return nil }
    names.removeAll { $0.place == place }
    return place
  }

  private func place(_ wanted: [String], _ field: String) -> Int? {
    for word in wanted { if let name = names.first(where: { $0.whole == word }) { return name.place } }
    for word in wanted { if let name = names.first(where: { $0.words.contains(word) }) { return name.place } }
    if field.count < 4 { return nil }
    let slip = suggestion(for: field, among: names.map(\.whole))
    return names.first { $0.whole == slip }?.place
  }

  /// A suggestion for fields that were not found: `set 'columns: { price: Last }' if that is it`. With `isNumbered`, columns whose names
  /// cannot be used are given by number.
  static func remedy(for fields: [ReplayField], in names: [String], taken: Set<Int>, isNumbered: Bool) -> String {
    var likely = LikelyColumns(names, taken: taken)
    var isGuess = true
    let written = fields.map { field in
      let reference = likely.take(field).flatMap { yaml($0, names, isNumbered) }
      if reference == nil { isGuess = false }
      return "\(field.name): \(reference ?? (isNumbered ? "COLUMN" : "PATH"))"
    }
    let map = "'columns: { \(written.joined(separator: ", ")) }'"
    let remedy =
      isGuess ? "set \(map) if \(fields.count > 1 ? "those are the right ones" : "that is the right one")" : "name the right one in \(map)"
    return fields.contains { $0.kind == .symbol } ? remedy + ", or set 'symbol: NAME' if all rows are about one symbol" : remedy
  }

  /// How a column or key is written in YAML, inside braces.
  static func yaml(_ place: Int, _ names: [String], _ isNumbered: Bool) -> String? {
    let name = names[place]
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { return isNumbered ? "\(place + 1)" : nil }
    let isUnique = names.count { $0.lowercased() == name.lowercased() } == 1
    if isNumbered {
      guard isUnique, name.utf8.count <= 60, case .name = ColumnReference(name) else { return "\(place + 1)" }
    } else {
      guard name.utf8.count <= 60, JSONPath(name) == JSONPath(key: name) else { return nil }
    }
    let isPlain = name.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xdf) || $0 == 95 || $0 == 45 || $0 == 32 }
    let isWord = isPlain && name.utf8.first.map { (65...90).contains($0 & 0xdf) } == true
    let isNothing = ["null", "true", "false", "yes", "no", "on", "off"].contains(name.lowercased())
    if isWord, !isNothing { return name }
    return name.contains("'") ? (name.contains("\"") || name.contains("\\") ? nil : "\"\(name)\"") : "'\(name)'"
  }
}
