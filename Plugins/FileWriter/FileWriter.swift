internal import StockbusFiles
public import StockbusPlugin
internal import StockbusTables

extension Plugin {
  /// Writes events to a file.
  public static let fileWriter = Plugin(
    "file_writer", "Writes events of any type to a file: JSON lines, CSV, Parquet or an Arrow stream.", FileWriterPlugin.self,
    hot: [.sink(FileWriter<Trade>.self), .sink(FileWriter<Quote>.self), .sink(FileWriter<Bar>.self), .sink(FileWriter<Ranked>.self)]
  ).example("path: prices.csv")
}

enum FileWriterPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(FileWriter<E>.self) }
}

/// Writes events to a file: one record for each event, or tables, whose rows wait until they are a batch.
package actor FileWriter<E: Event>: Sink, BackgroundComponent, FileWritingComponent {
  private let executor = BlockingExecutor(label: "file_writer")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FileWriterSettings
  private let encoder: EventEncoder<E>
  /// Computed once, because it is derived from the path.
  private let isCSV: Bool
  private let file: RetryingFile
  private var out = RecordText(capacity: 1 << 16)
  /// Nil if the events have no columns.
  private let columns: BatchColumns?
  /// Nil for text.
  private let rows: TableRows<E>?
  /// Nil if a stream stays one.
  private let parquet: ParquetWork?
  private let context: Context

  package static func textFaults(in settings: FileWriterSettings, reading columns: ColumnLayout) -> [TextFault] {
    let known = E.schema.fields.map(\.name) + columns.names
    guard let fields = settings.fields else { return [] }
    if fields.isEmpty { return [TextFault("fields", "'fields' names no field; there are \(known.joined(separator: ", "))", character: 0)] }
    var seen: Set<String> = []
    return fields.enumerated().compactMap { item, name in
      func fault(_ message: String) -> TextFault { TextFault("fields", item: item, message) }
      if !known.contains(name) {
        let hint = suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? "; there are \(known.joined(separator: ", "))"
        return fault("'fields': \(E.eventName) has no field '\(name)'\(hint)")
      }
      return seen.insert(name).inserted ? nil : fault("'fields' names '\(name)' twice")
    }
  }

  /// An existing file must have the same format and columns; otherwise the new records would be misread.
  package static func fault(in file: FileUse, _ settings: FileWriterSettings) -> String? {
    if settings.isTable { return TableStream.fault(in: file, settings) }
    guard settings.isCSV else { return settings.file.faultOfJSONLines(in: file) }
    if !settings.header { return nil }
    // Which columns there are is known only in the run.
    let known = E.schema.fields.map(\.name)
    let fields = settings.fields.map { chosen in chosen.filter(known.contains) + chosen.filter { !known.contains($0) } }
    let header = (fields ?? known).joined(separator: ",")
    return settings.file.fault(in: file) {
      $0.elementsEqual(header.utf8) || fields == nil && $0.starts(with: (header + ",").utf8) ? nil : "and the header is \(shown(header))"
    }
  }

  private static func encoder(_ settings: FileWriterSettings, _ columns: ColumnLayout) -> EventEncoder<E> {
    let style = settings.times.style
    var encoder: EventEncoder<E> =
      settings.fields.flatMap { EventEncoder(fields: $0, times: style, columns: columns) } ?? EventEncoder(times: style, columns: columns)
    encoder.defusesFormulas = settings.formulas == .defuse
    return encoder
  }

  package init(_ settings: FileWriterSettings, _ context: Context) throws {
    self.settings = settings
    isCSV = settings.isCSV
    encoder = Self.encoder(settings, context.columns.layout)
    columns = context.columns.layout.isEmpty ? nil : context.columns
    self.context = context
    file = RetryingFile(path: settings.streamPath, settings.file, context)
    rows = settings.isTable ? try TableRows(settings, context) : nil
    parquet =
      settings.form == .parquet
      ? ParquetWork(stream: settings.streamPath, ending: settings.parquetEnding, settings.file, context) : nil
  }

  package func start() throws {
    guard let rows else { return try file.open(header: isCSV && settings.header ? Array((encoder.csvHeader + "\n").utf8) : []) }
    let (header, schema) = (rows.header, rows.schema)
    var stream = StreamFile { TableStream.contents($0, header, schema, TableRows<E>.metadata) }
    if let parquet {
      stream.finish = parquet.finish
      stream.putAside = { parquet.look() }
    } else {
      stream.end = ArrowStream.end
    }
    try file.open(header: header, stream: stream, waiting: rows)
    parquet?.keep(isOpening: true)
  }

  package func receive(_ events: Span<E>) async throws {
    file.beginBatch()
    if let rows { return try await receive(events, rows) }
    let chunk = file.chunk
    var next = 0
    out.clear()
    while next < events.count {
      let first = next
      encode(events, &next, beyond: chunk, to: &out)
      try await file.write(out, of: next - first)
      out.clear()
    }
    try await file.endBatch()
  }

  private func receive(_ events: Span<E>, _ rows: TableRows<E>) async throws {
    var next = 0
    while next < events.count {
      if rows.isFull || file.isFailing { try await file.settle() }
      let first = next
      rows.add(events, from: &next, columns)
      file.take(next - first)
    }
    try await file.endBatch()
  }

  /// Encodes the events from `next` on until there are more than `size` bytes, or no more events.
  ///
  /// Not isolated, so that the buffer is one access to the actor's state for all of them: checking one access for each event took a quarter
  /// of the time.
  private nonisolated func encode(_ events: Span<E>, _ next: inout Int, beyond size: Int, to out: inout RecordText) {
    if let columns { return encode(events, columns, &next, beyond: size, to: &out) }
    repeat {
      if isCSV { encoder.encodeCSV(events[next], to: &out.bytes) } else { encoder.encodeJSON(events[next], to: &out.bytes) }
      out.bytes.reserve(1)
      out.bytes.put(10)
      out.endRecord()
      next += 1
    } while next < events.count && out.bytes.count <= size
  }

  private nonisolated func encode(
    _ events: Span<E>, _ columns: BatchColumns, _ next: inout Int, beyond size: Int, to out: inout RecordText
  ) {
    var row: [Int64] = []
    repeat {
      columns.copyRow(next, to: &row)
      if isCSV {
        encoder.encodeCSV(events[next], row: row, to: &out.bytes)
      } else {
        encoder.encodeJSON(events[next], row: row, to: &out.bytes)
      }
      out.bytes.reserve(1)
      out.bytes.put(10)
      out.endRecord()
      next += 1
    } while next < events.count && out.bytes.count <= size
  }

  package func drain() async throws {
    try await file.finish()
    guard let parquet, !context.goesOnInAnotherRun else { return }
    try await PatientWriting(settings.file.patience, context).insist(mayPass: { $0.mayPass }) { () async throws(FileError) in
      try await parquet.finishAll()
    }
  }

  package func background() async {
    guard let parquet else { return await file.flushRegularly() }
    async let work: Void = parquet.work()
    await file.flushRegularly()
    await work
  }

  package func renewFiles() -> [String] { [file.renew()].compactMap(\.self) }

  package func keepMemory() throws {
    try file.keepMemory()
    parquet?.keep(isOpening: false)
  }

  package func stop() { file.close() }
}
