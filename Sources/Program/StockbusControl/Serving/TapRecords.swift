internal import StockbusExpressions
internal import StockbusPlugin
internal import StockbusTables

/// The records that wait for one client.
///
/// Unchecked because the compiler does not follow the addresses of a batch's events: everything is used under the lock.
final class TapRecords<E: Event>: @unchecked Sendable {
  private let lock = Guarded(())
  private let condition: Expression<E>?
  private let output: any TapOutput<E>
  private var left: Int
  private var leftOut = 0
  /// The number of left-out events that was last sent to the client.
  private var reported = 0
  private var end: String?
  private var row: [Int64] = []

  init(_ request: TapRequest, _ columns: ColumnLayout) throws(TapRequest.Mistake) {
    do throws(ExpressionError) {
      condition = try request.condition.map { text throws(ExpressionError) in
        try Expression<E>(
          text, in: .withoutMemory("a tap sees each event by itself; a filter in the configuration remembers them"), reading: columns)
      }
    } catch {
      throw TapRequest.Mistake(code: "where", message: "'where': \(error)")
    }
    let encoder: EventEncoder<E>
    if let fields = request.fields {
      let known = E.schema.fields.map(\.name) + columns.names
      guard !fields.isEmpty, Set(fields).count == fields.count, let chosen = EventEncoder<E>(fields: fields, columns: columns) else {
        let wrong = fields.first { !known.contains($0) }.map { shown($0) } ?? "no field, or a field twice"
        throw TapRequest.Mistake(code: "fields", message: "'fields' names \(wrong); there are \(known.joined(separator: ", "))")
      }
      encoder = chosen
    } else {
      encoder = EventEncoder(columns: columns)
    }
    left = request.limit
    if request.format == .arrow {
      guard let table = TapTable<E>(request.fields, columns) else {
        throw TapRequest.Mistake(code: "format", message: "these events do not fit into a table; 'format' can be json or csv")
      }
      output = table
    } else {
      output = TapText(encoder, isCSV: request.format == .csv)
    }
  }

  /// Returns true if the client is to be written to.
  func take(_ batch: UnsafeBufferPointer<E>, _ columns: BatchColumns) -> Bool {
    guard let first = batch.baseAddress else { return false }
    return lock.withLock { _ in
      let wasEmpty = output.isEmpty
      for i in batch.indices where left > 0 {
        columns.copyRow(i, to: &row)
        if let condition, !condition.matches(batch[i], row: row) { continue }
        if output.isFull {
          leftOut += 1
          continue
        }
        left -= 1
        output.add(first + i, row)
      }
      if left == 0 { end = end ?? "the limit is reached" }
      return end != nil || wasEmpty && !output.isEmpty
    }
  }

  func end(_ reason: String) { lock.withLock { _ in end = end ?? reason } }

  /// The bytes to be written; never empty, so that a closed client is noticed.
  /// - Parameter alsoLeftOut: the events that were lost before they reached this client's queue.
  func drain(alsoLeftOut: Int) -> (bytes: [UInt8], isOver: Bool) {
    lock.withLock { _ in
      let leftOut = leftOut + alsoLeftOut
      defer { reported = leftOut }
      // What cannot be written is not shortened: the client sees that the end is missing.
      guard let bytes = try? output.drain(leftOut: leftOut, isNews: leftOut > reported, end: end) else { return ([], true) }
      return (bytes, end != nil)
    }
  }
}

/// How a client gets its records.
private protocol TapOutput<E>: AnyObject {
  associatedtype E: Event

  var isEmpty: Bool { get }
  /// True if no record may be added until what waits was drained.
  var isFull: Bool { get }

  /// - Parameter row: the columns beside the event.
  func add(_ event: UnsafePointer<E>, _ row: [Int64])

  /// The bytes of the records so far, which are forgotten.
  /// - Parameters:
  ///   - leftOut: the number of events that were left out so far; `isNews` if the client has not heard of it.
  ///   - end: why these are the last; nil if others may follow.
  func drain(leftOut: Int, isNews: Bool, end: String?) throws -> [UInt8]
}

/// Server-sent events (the HTML standard, 9.2): each record is a `data:`; `header` has the names of CSV; `left_out` is the number of events
/// left out so far; `end` is last.
private final class TapText<E: Event>: TapOutput {
  private var out: [UInt8] = []
  private let encoder: EventEncoder<E>
  private let isCSV: Bool

  init(_ encoder: EventEncoder<E>, isCSV: Bool) {
    (self.encoder, self.isCSV) = (encoder, isCSV)
    if isCSV { out = Array("event: header\ndata: \(encoder.csvHeader)\n\n".utf8) }
  }

  var isEmpty: Bool { out.isEmpty }
  var isFull: Bool { out.count > 1 << 20 }

  func add(_ event: UnsafePointer<E>, _ row: [Int64]) { out += Array("data: \(record(event.pointee, row))\n\n".utf8) }

  private func record(_ event: E, _ row: [Int64]) -> String {
    var out = ByteWriter()
    if !isCSV {
      encoder.encodeJSON(event, row: row, to: &out)
      return out.string
    }
    encoder.encodeCSV(event, row: row, to: &out)
    // A quoted text may have several lines; each is a line of the event.
    return out.string.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }.map { String($0) }
      .joined(separator: "\ndata: ")
  }

  func drain(leftOut: Int, isNews: Bool, end: String?) -> [UInt8] {
    defer { out = [] }
    if isNews { out += Array("event: left_out\ndata: \(leftOut)\n\n".utf8) }
    if let end { out += Array("event: end\ndata: \(end)\n\n".utf8) }
    return out.isEmpty ? Array(":\n\n".utf8) : out
  }
}

/// An Arrow stream, a batch for each time that the client can take one. The metadata of a batch's message has the number of events left out
/// so far (`stockbus.left_out`); without rows a batch only says this number, or that the connection is open. The last one has no rows, and
/// why it is the last (`stockbus.end`).
private final class TapTable<E: Event>: TapOutput {
  private final class Bytes {
    var bytes: [UInt8] = []
  }

  private let table: EventTable<E>
  private let writer: ArrowWriter
  private let out = Bytes()

  /// Nil if there is no such table.
  init?(_ fields: [String]?, _ columns: ColumnLayout) {
    guard let table = EventTable<E>(fields: fields, columns: columns, capacity: 1 << 16),
      let writer = try? ArrowWriter(
        table.schema, metadata: [("stockbus.event", E.eventName)], sink: { [out] in out.bytes.append(contentsOf: $0) })
    else { return nil }
    (self.table, self.writer) = (table, writer)
  }

  var isEmpty: Bool { table.batch.rows == 0 }
  var isFull: Bool { table.isFull }

  func add(_ event: UnsafePointer<E>, _ row: [Int64]) { table.add(at: event, row: row) }

  func drain(leftOut: Int, isNews _: Bool, end: String?) throws -> [UInt8] {
    defer { out.bytes = [] }
    let metadata = [("stockbus.left_out", "\(leftOut)")]
    if !isEmpty || end == nil {
      try writer.write(table.batch, metadata: metadata)
      table.clear()
    }
    if let end {
      try writer.write(table.batch, metadata: metadata + [("stockbus.end", end)])
      try writer.finish()
    }
    return out.bytes
  }
}
