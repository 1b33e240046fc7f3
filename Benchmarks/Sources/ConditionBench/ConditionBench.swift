internal import EventBus
internal import MarketData
internal import Measuring
internal import StockbusExpressions

/// `ConditionBench TRADES SYMBOLS FUNCTION`: judges trades in memory by a condition on a function, on one thread, and prints a line of JSON:
/// the processor's nanoseconds a trade, those of a plain comparison, and sums of the function's results. The trades are those of
/// `Peers/python/conditions.py`; their first half only fills the windows where `steady` is given.
///
/// `ConditionBench series FUNCTION…` reads daily bars, each a line of high, low, close and volume in billionths, and writes the functions'
/// results for each, for `indicators.py`.
@main
struct ConditionBench {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "series" { return try series(Array(arguments.dropFirst())) }
    guard arguments.count >= 3, let count = Int(arguments[0]), let symbols = Int(arguments[1]), count > 0, symbols > 0 else {
      fatalError("usage: ConditionBench TRADES SYMBOLS FUNCTION [steady]")
    }
    let trades = Numbered.trades(count, symbols: try Numbered.symbols(symbols))
    let isSteady = arguments.contains("steady")
    let function = arguments[2]
    var report = Report()
    report.add("events", count)
    report.add("base", try nanoseconds("price > 100", trades, isSteady))
    report.add("cpu", try nanoseconds(condition(on: function), trades, isSteady))
    try sum(function, trades, &report)
    report.print()
  }

  private static func series(_ functions: [String]) throws {
    var bars: [Bar] = []
    while let line = readLine() {
      let parts = line.split(separator: " ").compactMap { Int64($0) }
      guard parts.count == 4 else { fatalError("not a bar: \(line)") }
      let time = Timestamp(ns: 1_199_232_000_000_000_000 + Int64(bars.count) * 86_400_000_000_000)
      bars.append(
        Bar(
          symbol: "S", open: Price(raw: parts[2]), high: Price(raw: parts[0]), low: Price(raw: parts[1]), close: Price(raw: parts[2]),
          volume: Quantity(raw: parts[3]), time: time, received: time, length: .day))
    }
    // A mean of one value is the value, also of what is computed from several functions, such as a Bollinger band.
    let conditions = functions.map { "sma(\($0), 1)" }
    var runner = ExpressionRunner(try conditions.map { try Expression<Bar>("\($0) > 0", in: .withMemory) })
    for begin in stride(from: 0, to: bars.count, by: 256) {
      let batch = bars.span.extracting(begin..<min(begin + 256, bars.count))
      runner.judge(batch) { _, _ in }
      let columns = conditions.map { runner.results(of: $0, batch.count) }
      for i in batch.indices { print(columns.map { $0[i].map(String.init) ?? "-" }.joined(separator: " ")) }
    }
  }

  private static func condition(on function: String) -> String { function.hasPrefix("crosses") ? function : "\(function) > 100" }

  /// The processor's time a trade: of all together, or in the steady state, when windows are full: the least of groups of batches. Each batch
  /// is as large as a topic's ring, and warm, as it is when a reader takes what was just written.
  private static func nanoseconds(_ text: String, _ trades: [Trade], _ isSteady: Bool) throws -> Double {
    var runner = ExpressionRunner(try Expression<Trade>(text, in: .withMemory))
    let (size, group) = (8192, 8)
    var (least, total, ofGroup, verdicts) = (Int64.max, Int64(0), Int64(0), 0)
    for (number, begin) in stride(from: 0, to: trades.count, by: size).enumerated() {
      let batch = Array(trades[begin..<min(begin + size, trades.count)])
      let began = processorNanoseconds()
      // Without a branch on the verdict, which would be mispredicted and measured.
      runner.judge(batch.span) { _, chunk in for i in chunk.indices { verdicts &+= Int(chunk[i].rawValue) } }
      let took = processorNanoseconds() - began
      total += took
      ofGroup = number % group == 0 ? took : ofGroup + took
      if number % group == group - 1, batch.count == size, begin >= trades.count / 2 { least = min(least, ofGroup) }
    }
    guard verdicts >= 0 else { return 0 }
    return isSteady ? Double(least) / Double(size * group) : Double(total) / Double(trades.count)
  }

  /// How many results there are, and their sum with weights that tell their order; of a crossing how many there were.
  private static func sum(_ function: String, _ trades: [Trade], _ report: inout Report) throws {
    var runner = ExpressionRunner(try Expression<Trade>(condition(on: function), in: .withMemory))
    let isCondition = function.hasPrefix("crosses")
    var (ready, sum) = (0, Int64(0))
    for begin in stride(from: 0, to: trades.count, by: 256) {
      let batch = trades.span.extracting(begin..<min(begin + 256, trades.count))
      runner.judge(batch) { _, chunk in
        if isCondition { for i in chunk.indices where chunk[i] == .yes { ready += 1 } }
      }
      if isCondition { continue }
      for (i, result) in runner.results(of: function, batch.count).enumerated() {
        guard let result else { continue }
        ready += 1
        sum &+= result &* Int64((begin + i) % 1009 + 1)
      }
    }
    report.add("ready", ready)
    report.add("sum", Int(sum))
  }
}
