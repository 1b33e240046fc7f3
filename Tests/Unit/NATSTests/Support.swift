import TestSupport
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

/// Distinguishable trades: sizes 1, 2, 3 and so on, over some symbols.
func trades(_ range: Range<Int>, symbols: Int = 5) -> [Trade] {
  let names = (0..<symbols).map { n -> Symbol in (try? Symbol("SYM\(n)")) ?? "ANY" }
  return range.map { i in
    var trade = Trade.schema.example
    trade.symbol = names[i % symbols]
    trade.size = Quantity(raw: Int64(i + 1) * 1_000_000_000)
    return trade
  }
}

extension FakeNATS {
  /// The options of a component that is connected to it. Only pauses are short; everything else lasts until a test lets it pass.
  func options(_ more: String = "", replyDeadline: String = "600s") -> String {
    "servers: ['nats://127.0.0.1:\(port)']\n"
      + "connection: { backoff: 2ms, max_backoff: 2ms, ping: 24h, connect_deadline: 600s, reply_deadline: \(replyDeadline) }\n" + more
  }

  /// The sizes of the trades that it holds, which are their numbers from 1 on.
  var sizes: [Int] { stored.compactMap { Self.size($0.payload) } }

  static func size(_ payload: String) -> Int? {
    guard let begin = payload.firstRange(of: #""size":"#) else { return nil }
    return Int(payload[begin.upperBound...].filter { $0 != "\"" }.prefix { $0.isNumber })
  }

  var positions: [StreamPosition] { stored.compactMap { $0.header("Stockbus-Position").flatMap { StreamPosition($0) } } }
}

extension PluginHarness {
  /// Runs `body` while short pauses pass by themselves.
  nonisolated(nonsending) func withShortPauses<R>(_ body: nonisolated(nonsending) () async throws -> R) async rethrows -> R {
    try await clock.running(within: .milliseconds(100), body)
  }
}

/// What the body throws, as text.
nonisolated(nonsending) func failure(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "nothing was thrown"
  } catch { return "\(error)" }
}
