public import StockbusPlugin

/// The events of one input, of any type.
public struct Feed: Sendable {
  public let type: any Event.Type
  public let count: Int
  /// The columns beside the events.
  let columns: ColumnLayout
  let open: @Sendable (String) -> OpenFeed

  /// A feed of these events, in this order.
  public init<E: Event>(_ events: [E]) { self.init(events, capacity: max(2, events.count)) }

  /// A feed of these events with columns: for each event a row, whose numbers are in the units of the columns' kinds.
  public init<E: Event>(_ events: [E], columns: ColumnLayout, rows: [[Int64?]]) {
    precondition(rows.count == events.count && rows.allSatisfy { $0.count == columns.columns.count }, "each event has a row")
    self.init(events, capacity: max(2, events.count), columns: columns, rows: rows)
  }

  init<E: Event>(_ events: [E], capacity: Int, columns: ColumnLayout = ColumnLayout(), rows: [[Int64?]] = []) {
    self.columns = columns
    type = E.self
    count = events.count
    open = { name in
      let topic = Topic<E>(name, capacity: capacity, columns: columns)
      return OpenFeed(topic: topic, receipt: { E.schema.receipt(of: events[$0]) }) { range in
        // The ring holds all events, so nothing waits.
        var outlet = Outlet(topic)
        for i in range {
          outlet.send(events[i])
          for (name, value) in zip(columns.names, columns.isEmpty ? [] : rows[i]) {
            if let column = outlet.column(name) { outlet.set(column, value) }
          }
        }
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
