import MarketData
import TestSupport
import Testing

@testable import StockbusInstruments

@Suite struct SearchTests {
  private static func instrument(_ symbol: Symbol, _ name: String, _ industry: String = "") -> Instrument {
    var instrument = Instrument(symbol)
    instrument.name = name
    instrument.industry = industry
    return instrument
  }

  private static let some = Instruments(
    [
      instrument("PAA", "Plains All American"), instrument("AA", "Alcoa Corporation", "Metals"),
      instrument("AAPL", "Apple Inc.", "Computers"),
      instrument("APLE", "Apple Hospitality", "Hotels"), instrument("GRAPE", "Pineapple Farms", "Fruit"),
      instrument("AAL", "American Airlines", "Aviation"), instrument("BRK.B", "Berkshire Hathaway", "Insurance of computers"),
      instrument("MC", "Moët Hennessy", "Getränke"),
    ], calendars: [])

  private static func search(_ text: String, _ limit: Int = 10) -> [String] {
    some.search(text, limit: limit).map { some.all[$0].symbol.description }
  }

  @Test func `the best matches come first`() {
    // The symbol itself, symbols that begin so (short ones first), inside of a symbol.
    #expect(Self.search("aa") == ["AA", "AAL", "AAPL", "PAA"])
    // Words of names before the inside of one.
    #expect(Self.search("Apple") == ["AAPL", "APLE", "GRAPE"])
    // A word of a name before a word of an industry.
    #expect(Self.search("computers") == ["AAPL", "BRK.B"])
    #expect(Self.search("b") == ["BRK.B"] && Self.search("american") == ["AAL", "PAA"])
    #expect(Self.search("MOËT") == ["MC"] && Self.search("getränke") == ["MC"] && Self.search("tränke") == ["MC"])
  }

  @Test func `every word has to match`() {
    #expect(Self.search("apple inc") == ["AAPL"] && Self.search("inc  APPLE ") == ["AAPL"])
    #expect(Self.search("apple metals") == [] && Self.search("") == [] && Self.search(" \t") == [])
    #expect(Self.search("aa", 2) == ["AA", "AAL"] && Self.search("aa", 0) == [])
    // Nothing matches over the border between two fields.
    #expect(Self.search("aapple") == [] && Self.search("l\na") == Self.search("l a"))
    #expect(Instruments().search("aa", limit: 5) == [])
  }

  /// A slow search by the definition, on texts of few letters, so that all kinds of matches come up.
  @Test func `random instruments agree with a slow search`() throws {
    var random = SplitMix(11)
    func text(_ most: Int, blanks: Bool = true) -> String {
      String((0..<random.upTo(most)).map { _ in "abAB \u{e4}".dropLast(blanks ? 0 : 2).randomElement(using: &random) ?? "a" })
    }
    for _ in 0..<rounds(60) {
      var all: [Symbol: Instrument] = [:]
      for _ in 0..<20 {
        guard let symbol = try? Symbol(text(4, blanks: false)) else { continue }
        all[symbol] = Self.instrument(symbol, text(8), text(5))
      }
      let list = all.values.sorted { $0.symbol < $1.symbol }
      let instruments = Instruments(list, calendars: [])
      let query = text(2, blanks: false)
      if query.isEmpty { continue }
      let expected = list.compactMap { instrument in Self.rank(query.lowercased(), instrument).map { ($0, instrument.symbol) } }
        .sorted { ($0.0, $0.1.utf8.count, $0.1) < ($1.0, $1.1.utf8.count, $1.1) }.map(\.1)
      #expect(instruments.search(query, limit: 100).map { list[$0].symbol } == expected, "\(query)")
    }
  }

  private static func rank(_ word: String, _ instrument: Instrument) -> Int? {
    let (symbol, name, industry) = (
      "\(instrument.symbol)".lowercased(), instrument.name.lowercased(), instrument.industry.lowercased()
    )
    func hasWord(_ text: String) -> Bool { text.split(separator: " ").contains { $0.hasPrefix(word) } }
    if symbol == word { return 0 }
    if symbol.hasPrefix(word) { return 1 }
    if symbol.contains(word) { return 4 }
    if hasWord(name) { return 2 }
    if name.contains(word) { return 5 }
    if hasWord(industry) { return 3 }
    return industry.contains(word) ? 6 : nil
  }
}
