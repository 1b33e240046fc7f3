public import StockbusPlugin

/// The events of one input, of any type.
public struct Feed: Sendable {
  public let type: any Event.Type
  public let count: Int
  let open: @Sendable (String) -> OpenFeed

  /// A feed of these events, in this order.
  public init<E: Event>(_ events: [E]) { self.init(events, capacity: max(2, events.count)) }

  init<E: Event>(_ events: [E], capacity: Int) {
    type = E.self
    count = events.count
    open = { name in
      let topic = Topic<E>(name, capacity: capacity)
      return OpenFeed(topic: topic, receipt: { E.schema.receipt(of: events[$0]) }) { range in
        // The ring holds all events, so nothing waits.
        var outlet = Outlet(topic)
        for event in events[range] { outlet.send(event) }
        outlet.commit()
      }
    }
  }
}

/// A feed with its topic.
struct OpenFeed: Sendable {
  let topic: any AnyTopic
  /// The receipt time of an event.
  let receipt: @Sendable (Int) -> Timestamp
  /// Publishes the events of a range at once.
  let publish: @Sendable (Range<Int>) -> Void
}
