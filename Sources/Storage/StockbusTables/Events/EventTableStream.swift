package import EventBus

/// How events are written as a table.
package enum EventTableForm: Sendable {
  /// A stream, each batch of which can be read as soon as it was written.
  case arrow
  /// A file that can be read when it has ended.
  case parquet
}

/// Events as an Arrow stream or a Parquet file, whose bytes the owner takes piece by piece.
package final class EventTableStream<E: Event> {
  private enum Writer {
    case arrow(ArrowWriter)
    case parquet(ParquetWriter)
  }

  private let table: EventTable<E>
  private let writer: Writer
  private let out: Bytes

  private final class Bytes {
    var bytes: [UInt8] = []
  }

  /// Nil if a field does not exist.
  package init?(_ form: EventTableForm, fields: [String]? = nil, columns: ColumnLayout = ColumnLayout(), decimals: Bool = false) throws {
    guard let table = EventTable<E>(fields: fields, columns: columns, decimals: decimals, capacity: 8192) else { return nil }
    let out = Bytes()
    let metadata = [("stockbus.event", E.eventName)]
    let sink: TableSink = { out.bytes.append(contentsOf: $0) }
    writer =
      switch form {
      case .arrow: .arrow(try ArrowWriter(table.schema, metadata: metadata, sink: sink))
      case .parquet: .parquet(try ParquetWriter(table.schema, metadata: metadata, sink: sink))
      }
    (self.table, self.out) = (table, out)
  }

  /// - Parameter row: the columns beside the event.
  package func add(_ event: E, row: [Int64]) throws {
    table.add(event, row: row)
    if table.isFull { try endBatch() }
  }

  private func endBatch() throws {
    switch writer {
    case .arrow(let writer): try writer.write(table.batch)
    case .parquet(let writer): try writer.write(table.batch)
    }
    table.clear()
  }

  package func finish() throws {
    try endBatch()
    switch writer {
    case .arrow(let writer): try writer.finish()
    case .parquet(let writer): try writer.finish()
    }
  }

  /// Gives what can be written so far to `body`, perhaps nothing; of an Arrow stream that is all events.
  package func take<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) throws -> Result? {
    if case .arrow = writer { try endBatch() }
    defer { out.bytes.removeAll(keepingCapacity: true) }
    return out.bytes.withUnsafeBytes(body)
  }
}
