internal import StockbusConfig
internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusProgram

extension PastReader {
  /// Reads the file that a `history` sink writes.
  static let history = PastReader(fault: HistoryReader.faultOfReading) { past, limit throws(PastFault) in
    do throws(HistoryError) {
      let reader = try HistoryReader(past.path)
      let (known, symbols) = try reader.past(limit: limit) { error in
        Console.log("history: \(error); symbols that appear for the first time begin without a previous close")
      }
      if symbols > limit {
        StandardError.write(
          "\(past.mark.place): warning: 'history': \(past.shownPath) has \(symbols) symbols; only the first \(limit) are known ('symbols_per_source' in 'runtime' sets the limit)"
        )
      }
      return known
    } catch {
      // The first run of a configuration writes the file that the next one reads.
      if past.writer != nil, error.isWritableLater { return PastPrices(path: past.path) }
      throw PastFault(predicate: error.predicate)
    }
  }
}

extension HistoryError {
  /// True if a run that writes the file makes it readable: the file is missing, or has an older layout.
  fileprivate var isWritableLater: Bool {
    switch reason {
    case .missing, .older: true
    default: false
    }
  }
}
