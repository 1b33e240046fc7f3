internal import History
internal import Measuring
internal import StockbusHistory
internal import StockbusPlugin

/// `HistoryBench BARS SYMBOLS FILE`: writes this number of bars into a new history file on one thread and prints a line of JSON.
@main
struct HistoryBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[1]), count > 0, let symbolCount = Int(arguments[2]), symbolCount > 0 else {
      throw HotPathError("usage: HistoryBench BARS SYMBOLS FILE")
    }
    let path = arguments[3]
    let symbols = try Workload.symbols(symbolCount)
    let bars = Workload.bars(count, symbols: symbols)
    let (topic, fill) = filled(bars)
    let subject = try Subject(.history, options: "{ path: \"\(path)\" }", reading: topic)
    fill()
    let began = processorNanoseconds()
    try await subject.live()
    var report = Report()
    report.add("cpu", Double(processorNanoseconds() - began) / 1e9)
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
