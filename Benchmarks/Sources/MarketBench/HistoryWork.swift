internal import History
internal import Measuring
internal import StockbusHistory
internal import StockbusPlugin

extension MarketBench {
  /// Writes bars into a new history file. They are read again and compared, and then a year of days and a day of minutes are read.
  static func history(_ count: Int, symbols symbolCount: Int, path: String) async throws {
    let symbols = try Workload.symbols(symbolCount)
    let bars = Workload.bars(count, symbols: symbols)
    let (topic, fill) = filled(bars)
    let subject = try Subject(.history, options: "{ path: \"\(path)\" }", reading: [topic])
    fill()
    var report = Report()
    report.add("cpu", try await seconds { try await subject.live() })
    report.add("events", subject.done)
    report.add("right", try isKept(bars, of: symbols, in: path))
    report.print()
  }

  /// Whether the file has each of these bars.
  private static func isKept(_ bars: [Bar], of symbols: [Symbol], in path: String) throws -> Bool {
    let reader = try HistoryReader(path)
    var own: [Symbol: [Bar]] = [:]
    for bar in bars { own[bar.symbol, default: []].append(bar) }
    return try symbols.allSatisfy { try reader.bars($0, .time(Workload.minute)) == own[$0] ?? [] }
  }
}
