import MarketData
import StockbusConfig
import StockbusHistory
import StockbusPlugin

extension Topology {
  /// Checks a configuration with what this program has: its plugins, and what it can say about histories.
  static func checked(
    _ config: LoadedConfig, looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = []
  ) throws(Problems) -> Topology {
    try check(
      config, catalogue: builtIn, looksAtFiles: looksAtFiles, outerFiles: outerFiles, historyFault: HistoryReader.faultOfReading)
  }

  /// What the file under `history` knows now. If it cannot be read, prints why and exits with status 78.
  func knownPast() throws -> PastPrices {
    guard let past else { return PastPrices() }
    do throws(HistoryError) {
      let reader = try HistoryReader(past.path)
      let (known, symbols) = try reader.past(limit: settings.symbolsPerSource) { error in
        Console.log("history: \(error); symbols that come for the first time begin without a previous close")
      }
      if symbols > settings.symbolsPerSource {
        StandardError.write(
          "\(past.mark.place): warning: 'history': \(past.shownPath) has \(symbols) symbols; only the first \(settings.symbolsPerSource) are known ('symbols_per_source' in 'runtime' sets the limit)"
        )
      }
      return known
    } catch {
      // The first run of a configuration writes the file that the next one reads.
      if past.writer != nil, error.isOfNoUseYet { return PastPrices(path: past.path) }
      var problems = Problems()
      problems.add(past.problem(error.predicate).message, at: past.mark)
      StandardError.write(ConfigArguments.report(problems, "; nothing was started"))
      throw ExitStatus.config
    }
  }
}

extension HistoryError {
  /// True if a run that writes the file makes it readable: there is none yet, or it has an older layout.
  fileprivate var isOfNoUseYet: Bool {
    switch reason {
    case .missing, .older: true
    default: false
    }
  }
}
