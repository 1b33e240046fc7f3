internal import MarketData

/// The columns of a file of daily bars, by its header.
struct DailyColumns: Hashable {
  static let names = ["date", "symbol", "open", "high", "low", "close", "volume"]
  /// Other names of these columns in end-of-day files.
  private static let aliases = ["ticker": "symbol", "vol": "volume"]
  /// The place in a row of each of `names`.
  private let places: [Int]
  /// The separator of the cells: a comma, or another character that the header has instead.
  private let delimiter: UInt8

  /// Throws `DailyImport.Fault.reason` in words if a column is missing or doubled; columns with other names are not read.
  init(header: [UInt8]) throws(DailyRowError) {
    delimiter = header.contains(44) ? 44 : [59, 9, 124].first { header.contains($0) } ?? 44
    let known = try Self.known(header, delimiter)
    if let missing = Self.names.first(where: { !known.contains($0) }) {
      throw DailyRowError("the header has no column '\(missing)'; it needs \(Self.names.joined(separator: ","))")
    }
    if let double = Self.names.first(where: { name in known.filter { $0 == name }.count > 1 }) {
      throw DailyRowError("the header names '\(double)' twice")
    }
    places = Self.names.map { name in known.firstIndex(of: name) ?? 0 }
  }

  private static func known(_ header: [UInt8], _ delimiter: UInt8) throws(DailyRowError) -> [String] {
    var names: [String] = []
    var cells = CSVCells(header[...], delimiter)
    while let cell = try cells.next() {
      let name = String(decoding: cell, as: UTF8.self).lowercased().filter { !" <>".contains($0) }
      names.append(aliases[name] ?? name)
    }
    return names
  }

  /// True for a row that names at least three of the columns: a repeated header, as in concatenated files.
  func isHeader(_ row: [UInt8]) -> Bool {
    guard let names = try? Self.known(row, delimiter) else { return false }
    return Self.names.count(where: names.contains) >= 3
  }

  /// The bar of a row, and whether its volume is 0 because the written one does not fit. It begins at midnight UTC of its date.
  func bar(
    _ row: ArraySlice<UInt8>, _ symbols: SymbolIntake, _ numbers: inout DailyNumbers
  ) throws(DailyRowError) -> (bar: Bar, isUnfit: Bool) {
    var found = [ArraySlice<UInt8>?](repeating: nil, count: Self.names.count)
    var cells = CSVCells(row, delimiter)
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
    let (open, high) = (try numbers.price(text(2), "open", &priceDecimals), try numbers.price(text(3), "high", &priceDecimals))
    let (low, close) = (try numbers.price(text(4), "low", &priceDecimals), try numbers.price(text(5), "close", &priceDecimals))
    let volume = try numbers.volume(try text(6), &sizeDecimals)
    if high < max(open, close, low) { throw DailyRowError("'high' is not the highest price") }
    if low > min(open, close) { throw DailyRowError("'low' is not the lowest price") }
    // Last, so that a malformed row makes no symbol.
    let symbol = try Self.symbol(try text(1), symbols)
    let bar = Bar(
      symbol: symbol, open: Price(raw: open), high: Price(raw: high), low: Price(raw: low), close: Price(raw: close),
      volume: Quantity(raw: volume ?? 0), time: start, received: start, priceDecimals: priceDecimals, sizeDecimals: sizeDecimals,
      length: .day)
    return (bar, volume == nil)
  }

  private static func start(of cell: ArraySlice<UInt8>) throws(DailyRowError) -> Timestamp {
    var cell = cell
    // 20240102 as in many end-of-day files.
    if cell.count == 8, cell.allSatisfy({ $0 &- 48 < 10 }) {
      var dashed = Array(cell)
      dashed.insert(45, at: 6)
      dashed.insert(45, at: 4)
      cell = dashed[...]
    }
    let days = try reading(cell, "date") { (reader) throws(TextError) in try reader.date().daysSinceEpoch }
    let (ns, overflow) = Int64(days).multipliedReportingOverflow(by: Timestamp.day)
    if overflow { throw DailyRowError("'date': the years are 1678 to 2262") }
    return Timestamp(ns: ns)
  }

  private static func symbol(_ cell: ArraySlice<UInt8>, _ symbols: SymbolIntake) throws(DailyRowError) -> Symbol {
    do throws(TextError) { return try cell.withUnsafeBufferPointer { (bytes) throws(TextError) in try symbols.symbol(utf8: bytes) } } catch
    {
      let isOver = error.code == .tooManySymbols
      throw DailyRowError(
        isOver ? "'symbol' is a new one beyond the limit of \(DailyImport.symbolLimit) in a file" : "'symbol': \(error.reason)")
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

  private let delimiter: UInt8

  init(_ row: ArraySlice<UInt8>, _ delimiter: UInt8) {
    rest = row
    self.delimiter = delimiter
  }

  mutating func next() throws(DailyRowError) -> ArraySlice<UInt8>? {
    if hasEnded { return nil }
    rest = rest.drop(while: isBlank)
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
      rest = rest.drop(while: isBlank)
      if let after = rest.first, after != delimiter { throw DailyRowError("text after a closing quotation mark") }
      cell = bytes[...]
    } else {
      cell = rest.prefix { $0 != delimiter }
      rest = rest[cell.endIndex...]
      while let last = cell.last, isBlank(last) { cell = cell.dropLast() }
    }
    if rest.isEmpty { hasEnded = true } else { rest = rest.dropFirst() }
    return cell
  }

  /// A tab between cells is no blank.
  private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (byte == 9 && delimiter != 9) }
}
