internal import MarketData
internal import StockbusInstruments
internal import StockbusViewing

/// The names of the rows, and the words by which they are found.
struct RowTexts {
  /// The longest name that a frame has, in bytes.
  static let longest = 255

  private let instruments: Instruments
  private var rows: ContiguousArray<Entry> = []

  private struct Entry {
    let name: String
    let kind: String
    /// Symbol, name, industry and kind in lower case, with a space before each word.
    let words: [UInt8]
  }

  init(_ instruments: Instruments) { self.instruments = instruments }

  mutating func add(_ symbol: Symbol) {
    guard let instrument = instruments[symbol] else {
      let text = symbol.description
      return rows.append(Entry(name: text.cut(toBytes: Self.longest), kind: "", words: RowSearch.words(text)))
    }
    let name = instrument.name.isEmpty ? symbol.description : "\(symbol)\t\(instrument.name)"
    let kind = instrument.kind.rawValue
    let words = RowSearch.words("\(symbol) \(instrument.name) \(instrument.industry) \(kind)")
    rows.append(Entry(name: name.cut(toBytes: Self.longest), kind: kind, words: words))
  }

  /// The symbol, followed by a tab and the instrument's name, if that is known.
  func name(of row: Int32) -> String { rows[Int(row)].name }

  func matches(_ search: RowSearch, _ row: Int32) -> Bool {
    let entry = rows[Int(row)]
    return (search.kind.isEmpty || search.kind == entry.kind) && search.parts.allSatisfy { $0.span.isIn(entry.words.span) }
  }
}

/// Words to find rows by.
struct RowSearch {
  let kind: String
  /// Each part with a space before it, so that it is found where a word begins.
  let parts: [[UInt8]]

  init(_ text: String, kind: String) {
    self.kind = kind
    parts = text.split(whereSeparator: \.isWhitespace).prefix(8).map { [32] + Array($0.lowercased().utf8) }
  }

  /// A text in lower case with a space before each word; a word is a run of letters and digits.
  static func words(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var isInside = false
    for byte in text.lowercased().utf8 {
      let isOfWord = (byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte >= 128
      if isOfWord, !isInside { bytes.append(32) }
      isInside = isOfWord
      bytes.append(byte)
    }
    return bytes
  }
}
