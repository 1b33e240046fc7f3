public import EventBus
internal import StockbusPlugin

/// The events of one input, of any type.
public struct Feed: Sendable {
  public let type: any Event.Type
  public let count: Int
  let open: @Sendable (String) -> OpenFeed

  /// These events, in this order.
  public init<E: Event>(_ events: [E]) {
    type = E.self
    count = events.count
    open = { name in
      let topic = Topic<E>(name, capacity: max(2, events.count))
      return OpenFeed(topic: topic) { range in
        // The ring holds them all, so nothing waits.
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
  /// Publishes the events at these places, at once.
  let publish: @Sendable (Range<Int>) -> Void
}
