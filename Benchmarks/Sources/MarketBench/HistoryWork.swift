internal import History
internal import Measuring
internal import StockbusHistory
internal import StockbusPlugin

extension MarketBench {
  /// Writes bars into a new history file. They are read again and compared.
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

  /// Writes `count` bars of each symbol, of a length in nanoseconds, into a new file, and reads each symbol's by a reader of its own, as a
  /// page or a command that begins does.
  static func historyReads(_ count: Int, length: Int, symbols symbolCount: Int, path: String) async throws {
    let symbols = try Workload.symbols(symbolCount)
    let bars = Workload.bars(count * symbolCount, symbols: symbols, length: Int64(length))
    let (topic, fill) = filled(bars)
    let subject = try Subject(.history, options: "{ path: \"\(path)\" }", reading: [topic])
    fill()
    try await subject.live()
    var own: [Symbol: [Bar]] = [:]
    for bar in bars { own[bar.symbol, default: []].append(bar) }
    var isRight = true
    var cpu = 0.0
    for symbol in symbols {
      var read: [Bar] = []
      cpu += try await seconds { read = try HistoryReader(path).bars(symbol, .time(Int64(length))) }
      isRight = isRight && read == own[symbol] ?? []
    }
    var report = Report()
    report.add("cpu", cpu / Double(symbolCount))
    report.add("events", count)
    report.add("right", isRight)
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
