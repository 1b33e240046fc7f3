import MarketData

@testable import FileReplay

/// The whole result of a replay.
struct Outcome<E: ReplayEvent & Equatable>: Equatable {
  var events: [E] = []
  var malformed: [MalformedRow] = []
  var error: ReplayError?
  var counts = ReplayCounts()

  var reasons: [String] { malformed.map { "\($0.line): \($0.reason)" } }
}

/// Reads a replay to its end, a few events at a time.
func run<E: ReplayEvent & Equatable>(
  as type: E.Type = Trade.self, _ inputs: [ReplayInput], _ options: ReplayOptions = FileReplayTests.options(), limit: Int = 3,
  policy: MalformedPolicy = .skip, remark: (NotedRemark) -> Void = { _ in }
) -> Outcome<E> {
  var outcome = Outcome<E>()
  do throws(ReplayError) {
    var replay = try Replay<E>(inputs, options)
    defer { outcome.counts = replay.counts }
    while true {
      let before = outcome.events.count
      let count = try replay.next(limit: limit) {
        outcome.events.append($0)
      } noted: {
        switch $0 {
        case .malformed(let row): outcome.malformed.append(row)
        case .remark(let said): remark(said)
        }
        return policy
      }
      assert(count == outcome.events.count - before)
      if count == 0 { break }
    }
  } catch { outcome.error = error }
  return outcome
}

/// The same for one file in memory.
func run<E: ReplayEvent & Equatable>(
  as type: E.Type = Trade.self, _ text: String, _ options: ReplayOptions = FileReplayTests.options(), limit: Int = 3,
  policy: MalformedPolicy = .skip,
  remark: (NotedRemark) -> Void = { _ in }
) -> Outcome<E> {
  run(as: type, [ReplayInput(name: "f", contents: .bytes(Array(text.utf8)))], options, limit: limit, policy: policy, remark: remark)
}

/// Options that take numbers of any size for times, because most rows of tests have small ones.
func options(_ change: (inout ReplayOptions) -> Void = { _ in }) -> ReplayOptions {
  var options = ReplayOptions()
  options.earliest = Timestamp(ns: 0)
  change(&options)
  return options
}

/// `AAPL 189.25 x100 @2024-01-02T00:00:00Z`, as an event prints with its own decimals.
func line(_ trade: Trade) -> String {
  let side = trade.side == .unknown ? "" : " \(trade.side)"
  return "\(trade.symbol) \(trade.price.formatted(decimals: Int(trade.priceDecimals)))"
    + " x\(trade.size.formatted(decimals: Int(trade.sizeDecimals))) @\(trade.time)\(side)"
}

extension Timestamp {
  /// A time written in a test.
  static func at(_ text: String) throws -> Timestamp { try Timestamp(iso8601: text) }
}

extension Array {
  /// A run of events.
  mutating func append(_ batch: Span<Element>) { for i in batch.indices { append(batch[i]) } }
}
