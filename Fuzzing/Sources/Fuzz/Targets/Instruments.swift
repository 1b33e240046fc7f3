internal import MarketData
internal import StockbusInstruments
internal import StockbusPlugin

extension Target {
  /// Every file gives instruments or problems. Each problem has a location inside of the file; each symbol is there once; a date has at
  /// most one split; what was read is found again by its symbol.
  static let instruments = Target(
    "instruments", "CSV files of instruments", limit: 4096,
    words: [
      "symbol", "name", "kind", "industry", "venue", "tick_size", "lot", "multiplier", "currency", "calendar", "splits", ",", "\n", "\r\n",
      "\"", "\"\"", "2014-06-09 7:1", "1:20", "; ", "24/7", "us_equities", "equity", "0.01", "USD", "\u{feff}",
    ]
  ) { bytes in
    var builder = InstrumentsBuilder()
    builder.add(csv: bytes, file: "f.csv")
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    for problem in builder.problems.list {
      let mark = problem.mark
      law((1...lines.count).contains(mark.line) && (1...(lines[mark.line - 1].count + 1)).contains(mark.column), "\(problem) lies outside")
    }
    let instruments = builder.finish()
    law(instruments.all.count <= lines.count, "\(instruments.all.count) instruments on \(lines.count) lines")
    for (place, instrument) in instruments.all.enumerated() {
      law(instruments.place(of: instrument.symbol) == place, "\(instrument.symbol) is found elsewhere")
      let splits = instrument.splits.map(\.date)
      law(zip(splits, splits.dropFirst()).allSatisfy { $0 < $1 }, "the splits of \(instrument.symbol) are not in order")
      law(instrument.multiplier.raw > 0 && instrument.tickSize.map { $0.raw > 0 } ?? true, "a step of zero")
      let found = instruments.search("\(instrument.symbol)", limit: instruments.all.count)
      // A symbol with blanks is several words.
      law(found.contains(place) || instrument.symbol.description.allSatisfy(\.isWhitespace), "\(instrument.symbol) is not found")
    }
  }
}
