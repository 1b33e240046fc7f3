internal import StockbusDecoding
internal import StockbusPlugin

/// The counters of a feed, shown under the ledger.
struct FeedTallies: Sendable {
  let connections: Counter
  let messages: Counter
  let heartbeats: Counter
  let refusals: Counter
  let unknown: Counter
  let malformed: Counter

  init(_ context: Context) {
    connections = context.counter("connections", "Connections that were made.")
    messages = context.counter("messages", "Messages that came.")
    heartbeats = context.counter("heartbeats", "Messages that only say that the venue is there.")
    refusals = context.counter("refusals", "Messages in which the venue refuses something.")
    unknown = context.counter("unknown", "Messages of no known kind, and what is no JSON.")
    malformed = context.counter("malformed", "Messages that are damaged or lack what is needed.")
  }
}
