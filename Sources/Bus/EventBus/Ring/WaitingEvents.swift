/// The events that wait at a reader, as a run leaves them to the next one: copies, in order, with their columns.
@usableFromInline package struct WaitingEvents: Sendable, Codable {
  /// In a struct, as a closure that is stored by itself gets another wrapper at each access.
  private struct Source: Sendable { let events: @Sendable () -> [SavedEvent] }

  private let source: Source
  package let count: Int
  private let columns: ColumnLayout
  /// One row after the other.
  private let rows: [Int64]

  init<E: Event>(_ copies: EventCopies<E>, _ columns: ColumnLayout = ColumnLayout()) {
    let events = copies.events
    count = events.count
    // They become texts where they are written, and not while the run waits.
    source = Source { events.map { SavedEvent($0) } }
    self.columns = columns
    rows = Array(copies.rows)
  }

  private enum Key: String, CodingKey { case events, columns, rows }

  @usableFromInline package init(from decoder: any Decoder) throws {
    let events: [SavedEvent]
    if let container = try? decoder.container(keyedBy: Key.self) {
      events = try container.decode([SavedEvent].self, forKey: .events)
      columns = try container.decode(ColumnLayout.self, forKey: .columns)
      rows = try container.decode([Int64].self, forKey: .rows)
      guard rows.count == events.count * columns.columns.count else {
        throw DecodingError.dataCorruptedError(forKey: .rows, in: container, debugDescription: "the rows are not those of the events")
      }
    } else {
      events = try decoder.singleValueContainer().decode([SavedEvent].self)
      (columns, rows) = (ColumnLayout(), [])
    }
    count = events.count
    source = Source { events }
  }

  /// Without columns a list of the events.
  @usableFromInline package func encode(to encoder: any Encoder) throws {
    if columns.isEmpty {
      var container = encoder.singleValueContainer()
      return try container.encode(source.events())
    }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(source.events(), forKey: .events)
    try container.encode(columns, forKey: .columns)
    try container.encode(rows, forKey: .rows)
  }

  /// The events with the rows of a topic with these columns; nil if they are no events of this type.
  func events<E: Event>(_: E.Type, _ wanted: ColumnLayout) -> EventCopies<E>? {
    let events = source.events().map { $0.event(E.self) }
    if events.contains(where: { $0 == nil }) { return nil }
    let width = columns.columns.count
    // A column of another kind has other numbers.
    let places = wanted.columns.map { column in columns.columns.firstIndex { $0.name == column.name && $0.kind == column.kind } }
    let rows = (0..<events.count).flatMap { i in
      places.map { place in place.map { self.rows[i * width + $0] } ?? ColumnLayout.missing }
    }
    return EventCopies(events: ContiguousArray(events.compactMap(\.self)), rows: ContiguousArray(rows))
  }
}
