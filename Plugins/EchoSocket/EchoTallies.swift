internal import StockbusPlugin

/// The counters of the component.
struct EchoTallies {
  let sent: Counter
  let sentAgain: Counter
  let echoed: Counter
  let duplicates: Counter
  let connections: Counter

  init(_ context: Context) {
    sent = context.counter("sent", "Messages sent, including those sent again.")
    sentAgain = context.counter("sent again", "Messages sent again after a connection was lost.")
    echoed = context.counter("echoed", "Events that came back and were published.")
    duplicates = context.counter("duplicates", "Replies that came more than once.")
    connections = context.counter("connections", "Connections made.")
  }

  /// Adds the round trip times, at the end.
  func report(_ trips: RoundTrips, _ context: Context) {
    if trips.count == 0 { return }
    for (name, doc, time) in [
      ("round trip p50 (µs)", "Half of the round trips took no longer, from the last time the event was sent.", trips.quantile(0.5)),
      ("round trip p99 (µs)", "99 % of the round trips took no longer.", trips.quantile(0.99)),
      ("round trip max (µs)", "The longest round trip.", trips.most),
    ] {
      let counter = context.counter(name, doc)
      // After several instances, the figures are those of the last one.
      counter.add(Int(time.wholeNanoseconds / 1000) - counter.total)
    }
  }
}
