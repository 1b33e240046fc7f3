import StockbusPlugin
import StockbusTables

/// Writes events according to their schema: JSON lines, CSV with a header, an aligned table, an Arrow stream or a Parquet file.
struct EventRecords<E: Event>: ~Copyable {
  private let format: EventFormat
  private let encoder: EventEncoder<E>
  private let isStream: Bool
  private var out = ByteWriter()
  private var hasHeader = false
  /// Nil for text.
  private let stream: EventTableStream<E>?
  /// Why there cannot be more.
  private var failure: String?

  // For tables: one encoder per column, the widths so far, and the rows that wait until the widths are known.
  private let columns: [Column]
  private var widths: [Int]
  private var rows: [[String]] = []

  private struct Column {
    let encoder: EventEncoder<E>
    let name: String
    let kind: FieldKind
    /// True if it is no field of the event, but a column beside it.
    let isBeside: Bool

    /// Numbers are aligned at their ends.
    var isNumber: Bool { kind == .decimal || kind == .integer }

    /// The initial width of a column in a stream.
    var usualWidth: Int {
      switch kind {
      case .symbol: 8
      case .decimal: 12
      case .integer: 8
      case .time: 30
      case .choice: 8
      case .text: 16
      }
    }
  }

  /// `fields` must be declared. Rows of a stream are written after every batch; each column has at least its usual width and never gets
  /// narrower.
  init(
    _ format: EventFormat, fields: [String]?, isStream: Bool, formulas: FormulaCells = .keep, columns layout: ColumnLayout = ColumnLayout()
  ) {
    self.format = format
    self.isStream = isStream
    do {
      stream = try format.form.flatMap { try EventTableStream($0, fields: fields, columns: layout) }
    } catch { (stream, failure) = (nil, "\(error)") }
    var encoder: EventEncoder<E> =
      fields.flatMap { EventEncoder(fields: $0, columns: layout) } ?? EventEncoder(columns: layout)
    encoder.defusesFormulas = formulas == .defuse
    self.encoder = encoder
    columns =
      format != .table
      ? []
      : encoder.fields.compactMap { name in
        guard let encoder = EventEncoder<E>(fields: [name], columns: layout) else { return nil }
        if let field = E.schema.fields.first(where: { $0.name == name }) {
          return Column(encoder: encoder, name: name, kind: field.kind, isBeside: false)
        }
        let kind: FieldKind =
          switch layout.columns[layout.place(of: name) ?? 0].kind {
          case .time: .time
          case .flag: .choice
          case .number, .percent, .duration: .decimal
          }
        return Column(encoder: encoder, name: name, kind: kind, isBeside: true)
      }
    widths = columns.map { max($0.name.count, isStream ? $0.usualWidth : 0) }
  }

  /// - Parameter row: the columns beside the event.
  mutating func add(_ event: E, row: [Int64] = []) {
    switch format {
    case .arrow, .parquet: attempt { try $0.add(event, row: row) }
    case .json:
      encoder.encodeJSON(event, row: row, to: &out)
      out.append("\n")
    case .csv:
      addHeader()
      encoder.encodeCSV(event, row: row, to: &out)
      out.append("\n")
    case .table:
      addHeader()
      let row = columns.map { Self.cell($0, event, row) }
      for (i, cell) in row.enumerated() { widths[i] = max(widths[i], cell.count) }
      rows.append(row)
    }
  }

  private mutating func addHeader() {
    if hasHeader { return }
    hasHeader = true
    if format == .csv { return out.append(encoder.csvHeader + "\n") }
    rows.append(columns.map { $0.name.uppercased() })
  }

  /// Ends the output: writes rows that wait for their widths, and the header even if there were no events.
  mutating func complete() {
    switch format {
    case .arrow, .parquet: attempt { try $0.finish() }
    case .json: break
    case .csv, .table: addHeader()
    }
    appendRows()
  }

  private mutating func attempt(_ work: (EventTableStream<E>) throws -> Void) {
    guard failure == nil, let stream else { return }
    do { try work(stream) } catch { failure = "\(error)" }
  }

  private mutating func appendRows() {
    for row in rows { append(row) }
    rows = []
  }

  private mutating func append(_ row: [String]) {
    var line = ""
    for (i, cell) in row.enumerated() {
      let margin = String(repeating: " ", count: max(0, widths[i] - cell.count))
      line += (i == 0 ? "" : "  ") + (columns[i].isNumber ? margin + cell : cell + margin)
    }
    while line.last == " " { line.removeLast() }
    out.append(line + "\n")
  }

  private static func cell(_ column: Column, _ event: E, _ row: [Int64]) -> String {
    if column.isBeside { return column.encoder.text(event, row) }
    let text = column.encoder.plainText(event)
    return column.isNumber || column.kind == .time ? text : visible(text, limit: 200)
  }

  /// Passes the finished bytes to `write`, and returns its result. Without any it is called too, so that a reader that has gone is noticed.
  mutating func hand(to write: (UnsafeRawBufferPointer) -> PrintJob.End?) -> PrintJob.End? {
    if let stream, failure == nil {
      do { return try stream.take(write) } catch { failure = "\(error)" }
    }
    if let failure { return .failed(failure) }
    if isStream { appendRows() }
    if out.count == 0 { return write(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let end = out.withBytes { write(UnsafeRawBufferPointer($0)) }
    out.clear()
    return end
  }
}

extension EventEncoder {
  /// The columns as in CSV.
  func text(_ event: E, _ row: [Int64]) -> String {
    var out = ByteWriter(capacity: 64)
    encodeCSV(event, row: row, to: &out)
    return out.string
  }

  /// The fields as in CSV; without its quotation marks, where there is one field.
  func plainText(_ event: E) -> String {
    var out = ByteWriter(capacity: 64)
    encodeCSV(event, to: &out)
    let text = out.string
    guard text.first == "\"", text.count >= 2 else { return text }
    return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
  }
}
