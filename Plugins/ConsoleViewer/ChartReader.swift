internal import StockbusHistory
internal import StockbusInstruments
internal import StockbusPlugin

/// Reads charts from the history beside its writer, on a separate thread, so that a slow disk delays no frame.
actor ChartReader {
  private let executor = BlockingExecutor(label: "console_viewer.history")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String
  private let instruments: Instruments
  private var reader: HistoryReader?

  init(path: String, _ instruments: Instruments = Instruments()) {
    self.path = path
    self.instruments = instruments
  }

  /// The present answer of the file. After an error it is reopened for the next request.
  func read(_ request: PastRequest) -> PastAnswer {
    do throws(HistoryError) {
      let reader: HistoryReader
      if let known = self.reader { reader = known } else { reader = try HistoryReader(path) }
      self.reader = reader
      let instruments = instruments
      return .chart(
        try reader.chart(of: request.symbol, request.span, atMost: request.count) { instruments.adjusted($0) })
    } catch {
      reader = nil
      return .fault("\(error)")
    }
  }
}
