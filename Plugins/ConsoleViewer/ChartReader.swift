internal import MarketData
internal import StockbusHistory
internal import StockbusPlugin

/// Reads charts from the history beside its writer, on a thread of its own, so that a slow disk delays no frame.
actor ChartReader {
  private let executor = BlockingExecutor(label: "console_viewer.history")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String
  private var reader: HistoryReader?

  init(path: String) { self.path = path }

  /// What the file says now. After an error it is opened again the next time.
  func read(_ request: PastRequest) -> PastAnswer {
    do throws(HistoryError) {
      let reader: HistoryReader
      if let known = self.reader { reader = known } else { reader = try HistoryReader(path) }
      self.reader = reader
      return .chart(try reader.chart(of: request.symbol, request.span, atMost: request.count))
    } catch {
      reader = nil
      return .fault("\(error)")
    }
  }
}
