/// The events that wait at a reader, as a run leaves them to the next one: copies, in order.
@usableFromInline package struct WaitingEvents: Sendable, Codable {
  /// In a struct, as a closure that is stored by itself gets another wrapper at each access.
  private struct Source: Sendable { let events: @Sendable () -> [SavedEvent] }

  private let source: Source
  package let count: Int

  init<E: Event>(_ events: ContiguousArray<E>) {
    count = events.count
    // They become texts where they are written, and not while the run waits.
    source = Source { events.map { SavedEvent($0) } }
  }

  @usableFromInline package init(from decoder: any Decoder) throws {
    let events = try decoder.singleValueContainer().decode([SavedEvent].self)
    count = events.count
    source = Source { events }
  }

  @usableFromInline package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(source.events())
  }

  /// Nil if they are no events of this type.
  func events<E: Event>(_: E.Type) -> ContiguousArray<E>? {
    let events = source.events().map { $0.event(E.self) }
    return events.contains { $0 == nil } ? nil : ContiguousArray(events.compactMap(\.self))
  }
}
