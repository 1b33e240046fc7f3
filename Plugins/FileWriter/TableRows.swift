internal import MarketData
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusTables

/// Events that wait until they are a batch of an Arrow stream: one message for each text column and one for the rows, which are one record
/// of the file for all of their events.
///
/// Each batch has all of its texts, so it can stand behind any other, in whatever file it comes to: rotation, a file that was moved away and
/// a stream that is gone on with need no care.
final class TableRows<E: Event>: WaitingRecords {
  private final class Output {
    var text = RecordText(capacity: 1 << 12)
  }

  private let table: EventTable<E>
  private let writer: ArrowWriter
  /// A batch that the file has not taken yet.
  private let output: Output
  private let context: Context
  /// The schema, with which each file begins.
  let header: [UInt8]

  static var metadata: [(String, String)] { [("stockbus.event", E.eventName)] }

  init(_ settings: FileWriterSettings, _ context: Context) throws {
    // A file that rotates early has small batches, so that it does not grow far beyond its limit.
    let capacity = settings.file.rotation.rotate.map { max(1, min(8192, $0.bytes >> 8)) } ?? 8192
    guard
      let table = EventTable<E>(fields: settings.fields, columns: context.columns.layout, decimals: true, capacity: capacity)
    else { throw TableError("a field does not exist") }
    let output = Output()
    writer = try ArrowWriter(table.schema, metadata: Self.metadata) { bytes in
      output.text.bytes.append(bytes.assumingMemoryBound(to: UInt8.self))
    }
    header = output.text.bytes.withBytes { Array($0) }
    output.text.clear()
    (self.table, self.output, self.context) = (table, output, context)
  }

  var schema: TableSchema { table.schema }
  /// True if the rows have to be given away before there is room for more.
  var isFull: Bool { table.isFull }
  var count: Int { output.text.count + table.batch.rows }

  /// Adds events from `next` on until the batch is full, or none is left.
  func add(_ events: Span<E>, from next: inout Int, _ columns: BatchColumns?) { table.add(events, from: &next, columns: columns) }

  func give(_ take: (borrowing RecordText) throws(FileError) -> Void) throws(FileError) {
    if output.text.count > 0 {
      try take(output.text)
      output.text.clear()
    }
    let rows = table.batch.rows
    if rows == 0 { return }
    do { try writer.write(table.batch) } catch {
      output.text.clear()
      table.beginAnew()
      return context.lose(rows, "they are no batch: \(error)")
    }
    table.beginAnew()
    for _ in 0..<rows { output.text.endRecord() }
    try take(output.text)
    output.text.clear()
  }
}

/// An Arrow stream on the disk, as this plugin goes on with it.
enum TableStream {
  /// Looks through the file at a path.
  static func contents(_ path: String, _ header: [UInt8], _ schema: TableSchema, _ metadata: [(String, String)]) -> StreamFile.Contents {
    // A piece of the header is no stream yet.
    if let bytes = try? FileBytes.whole(path, atMost: header.count + 1), bytes.count < header.count, header.starts(with: bytes) {
      return .whole(upTo: 0, isTorn: true)
    }
    do {
      let reader = try ArrowReader(try TableFile(path: path).source)
      guard reader.schema == schema, reader.metadata.elementsEqual(metadata, by: { $0.name == $1.0 && $0.value == $1.1 }) else {
        return .strange("has other columns")
      }
      while try reader.next() != nil {}
      // A stream that has ended is gone on with in the place of its end.
      let isFinished = reader.ending == .finished
      return .whole(upTo: reader.wholeEnd - (isFinished ? ArrowStream.end.count : 0), isTorn: reader.ending == .cut)
    } catch { return .strange("is no whole stream (\(error))") }
  }

  /// Why a file cannot be one that these settings write, by its first bytes.
  static func fault(in file: FileUse, _ settings: FileWriterSettings) -> String? {
    guard settings.file.rotation.append, let bytes = try? FileBytes.whole(file.path, atMost: 4) else { return nil }
    let isParquet = file.path != settings.streamPath
    if (isParquet ? Array("PAR1".utf8) : [255, 255, 255, 255]).starts(with: bytes) { return nil }
    return
      "is no \(isParquet ? "Parquet file" : "Arrow stream"): use another path to keep it, or 'append: false' to empty it first"
  }
}
