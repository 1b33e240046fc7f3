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
    messages = context.counter("messages", "Messages received.")
    heartbeats = context.counter("heartbeats", "Heartbeats: messages that only show that the connection works.")
    refusals = context.counter("refusals", "Error messages of the venue.")
    unknown = context.counter("unknown", "Messages of an unknown kind, or that are not JSON.")
    malformed = context.counter("malformed", "Messages that are malformed or lack a needed value.")
  }
}
