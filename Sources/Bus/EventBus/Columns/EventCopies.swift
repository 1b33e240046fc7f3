/// Copies of events outside of a ring, with their rows.
package struct EventCopies<E: Event>: Sendable {
  package var events: ContiguousArray<E>
  /// One row after the other; empty without columns.
  package var rows: ContiguousArray<Int64>

  package init(events: ContiguousArray<E> = [], rows: ContiguousArray<Int64> = []) { (self.events, self.rows) = (events, rows) }

  static func + (a: Self, b: Self) -> Self { Self(events: a.events + b.events, rows: a.rows + b.rows) }
}
