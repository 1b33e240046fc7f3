internal import MarketData

/// The columns of a file of daily bars, by its header.
struct DailyColumns: Hashable {
  static let names = ["date", "symbol", "open", "high", "low", "close", "volume"]
  /// The place in a row of each of `names`.
  private let places: [Int]

  /// Throws `DailyImport.Fault.reason` in words if a column is missing or doubled; columns with other names are not read.
  init(header: [UInt8]) throws(DailyRowError) {
    var names: [String] = []
    var cells = CSVCells(header[...])
    while let cell = try cells.next() {
      names.append(String(decoding: cell, as: UTF8.self).lowercased().filter { $0 != " " })
    }
    let known = names
    if let missing = Self.names.first(where: { !known.contains($0) }) {
      throw DailyRowError("the header has no column '\(missing)'; it needs \(Self.names.joined(separator: ","))")
    }
    if let double = Self.names.first(where: { name in known.filter { $0 == name }.count > 1 }) {
      throw DailyRowError("the header names '\(double)' twice")
    }
    places = Self.names.map { name in known.firstIndex(of: name) ?? 0 }
  }

  /// The bar of a row. It begins at midnight UTC of its date.
  func bar(_ row: ArraySlice<UInt8>, _ symbols: SymbolIntake) throws(DailyRowError) -> Bar {
    var found = [ArraySlice<UInt8>?](repeating: nil, count: Self.names.count)
    var cells = CSVCells(row)
    var place = 0
    while let cell = try cells.next() {
      if let at = places.firstIndex(of: place) { found[at] = cell }
      place += 1
    }
    func text(_ at: Int) throws(DailyRowError) -> ArraySlice<UInt8> {
      guard let cell = found[at] else { throw DailyRowError("'\(Self.names[at])' is missing: the row has \(place) fields") }
      return cell
    }
    var (priceDecimals, sizeDecimals): (UInt8, UInt8) = (0, 0)
    let start = try Self.start(of: try text(0))
    let (open, high) = (try Self.number(try text(2), "open", &priceDecimals), try Self.number(try text(3), "high", &priceDecimals))
    let (low, close) = (try Self.number(try text(4), "low", &priceDecimals), try Self.number(try text(5), "close", &priceDecimals))
    let volume = try Self.number(try text(6), "volume", &sizeDecimals)
    if volume < 0 { throw DailyRowError("'volume' is negative") }
    if high < max(open, close, low) { throw DailyRowError("'high' is not the highest price") }
    if low > min(open, close) { throw DailyRowError("'low' is not the lowest price") }
    // Last, so that a malformed row makes no symbol.
    let symbol = try Self.symbol(try text(1), symbols)
    return Bar(
      symbol: symbol, open: Price(raw: open), high: Price(raw: high), low: Price(raw: low), close: Price(raw: close),
      volume: Quantity(raw: volume), time: start, received: start, priceDecimals: priceDecimals, sizeDecimals: sizeDecimals, length: .day)
  }

  private static func start(of cell: ArraySlice<UInt8>) throws(DailyRowError) -> Timestamp {
    let days = try reading(cell, "date") { (reader) throws(TextError) in try reader.date().daysSinceEpoch }
    let (ns, overflow) = Int64(days).multipliedReportingOverflow(by: Timestamp.day)
    if overflow { throw DailyRowError("'date': the years are 1678 to 2262") }
    return Timestamp(ns: ns)
  }

  private static func number(_ cell: ArraySlice<UInt8>, _ name: String, _ decimals: inout UInt8) throws(DailyRowError) -> Int64 {
    var own: UInt8 = 0
    let raw = try reading(cell, name) { (reader) throws(TextError) in try reader.fixedPoint(decimals: &own) }
    decimals = max(decimals, own)
    return raw
  }

  private static func symbol(_ cell: ArraySlice<UInt8>, _ symbols: SymbolIntake) throws(DailyRowError) -> Symbol {
    do throws(TextError) { return try cell.withUnsafeBufferPointer { (bytes) throws(TextError) in try symbols.symbol(utf8: bytes) } } catch
    {
      throw DailyRowError("'symbol': \(error.reason)")
    }
  }

  /// Reads a whole cell.
  private static func reading<Value>(
    _ cell: ArraySlice<UInt8>, _ name: String, _ read: (inout ByteReader) throws(TextError) -> Value
  ) throws(DailyRowError) -> Value {
    do throws(TextError) {
      return try cell.withUnsafeBufferPointer { (bytes) throws(TextError) in
        var reader = ByteReader(bytes)
        let value = try read(&reader)
        try reader.expectEnd()
        return value
      }
    } catch { throw DailyRowError("'\(name)': \(error.reason)") }
  }
}

/// Why a row gives no bar, in words.
struct DailyRowError: Error, Hashable {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The cells of one row, with blanks around them removed; a cell may be between quotation marks (RFC 4180).
struct CSVCells {
  private var rest: ArraySlice<UInt8>
  private var hasEnded = false

  init(_ row: ArraySlice<UInt8>) { rest = row }

  mutating func next() throws(DailyRowError) -> ArraySlice<UInt8>? {
    if hasEnded { return nil }
    rest = rest.drop { $0 == 32 || $0 == 9 }
    var cell: ArraySlice<UInt8>
    if rest.first == 34 {
      var bytes: [UInt8] = []
      rest = rest.dropFirst()
      while true {
        guard let end = rest.firstIndex(of: 34) else { throw DailyRowError("a quotation mark is not closed") }
        bytes += rest[..<end]
        rest = rest[(end + 1)...]
        if rest.first != 34 { break }
        bytes.append(34)
        rest = rest.dropFirst()
      }
      rest = rest.drop { $0 == 32 || $0 == 9 }
      if let after = rest.first, after != 44 { throw DailyRowError("text after a closing quotation mark") }
      cell = bytes[...]
    } else {
      cell = rest.prefix { $0 != 44 }
      rest = rest[cell.endIndex...]
      while let last = cell.last, last == 32 || last == 9 { cell = cell.dropLast() }
    }
    if rest.isEmpty { hasEnded = true } else { rest = rest.dropFirst() }
    return cell
  }
}
