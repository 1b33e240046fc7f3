package import EventBus

/// A reader of one input, for tests of what components do with the columns of a batch.
package struct ColumnReader<E: Event> {
  package let columns: BatchColumns
  private let topic: Topic<E>
  private let inlet: Inlet<E>

  /// - Parameters:
  ///   - layout: the columns of the input.
  ///   - all: those of all inputs of the component.
  package init(_ layout: ColumnLayout, among all: ColumnLayout? = nil) {
    topic = Topic("input", capacity: 64, columns: layout)
    inlet = topic.attach(Parker())
    columns = BatchColumns(all ?? layout)
    inlet.columns = columns
  }

  /// The same component's reader of another input.
  package func other<Other: Event>(_: Other.Type, _ layout: ColumnLayout) -> ColumnReader<Other> {
    ColumnReader<Other>(layout, sharing: columns)
  }

  private init(_ layout: ColumnLayout, sharing columns: BatchColumns) {
    topic = Topic("other", capacity: 64, columns: layout)
    inlet = topic.attach(Parker())
    self.columns = columns
    inlet.columns = columns
  }

  /// Shows batches of these events, each with its row; an event without one has no values.
  package func read(_ events: [E], _ rows: [[Int64?]] = [], by take: (Span<E>) -> Void) {
    var outlet = Outlet(topic)
    let places = topic.columns.names.compactMap { outlet.column($0) }
    for (i, event) in events.enumerated() {
      outlet.send(event)
      for (place, value) in zip(places, i < rows.count ? rows[i] : []) { outlet.set(place, value) }
    }
    outlet.commit()
    var left = events.count
    while left > 0 {
      let batch = inlet.nextBatch(limit: left)
      if batch.isEmpty { preconditionFailure("at most 64 events are read at once") }
      inlet.begin(batch)
      take(batch.span)
      inlet.finish(batch.count)
      left -= batch.count
    }
  }
}
