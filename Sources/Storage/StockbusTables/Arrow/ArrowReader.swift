/// Reads an Arrow IPC stream batch by batch, also one that is still written or that was cut.
///
/// Reads what `ArrowWriter`, pyarrow and polars write without compression: whole numbers, decimals, floats that are exact decimals, times,
/// flags and texts, with dictionaries, replaced or grown. A column of another type is an error that names it. Where messages have this
/// module's checksum, it is checked before their bytes are used. After an error, `wholeEnd`, `batches` and `rows` still say what is whole.
///
/// Source: Arrow columnar format, "IPC Streaming Format".
package final class ArrowReader {
  /// How the stream ends, as far as it is known.
  package enum Ending: Hashable, Sendable {
    /// The bytes end behind a whole message, and may grow.
    case open
    /// The bytes end within a message, at `wholeEnd` or behind it.
    case cut
    /// There is a mark of the end.
    case finished
  }

  package let schema: TableSchema
  /// Names and values in the schema.
  package let metadata: [(name: String, value: String)]
  /// True if each message has a checksum, as `ArrowWriter` promises.
  package let isChecked: Bool
  /// The bytes up to the end of the last whole batch that was read, or of the schema: where a writer could go on.
  package private(set) var wholeEnd: Int
  /// The whole batches that were read, and their rows.
  package private(set) var batches = 0
  package private(set) var rows = 0
  package private(set) var ending = Ending.open

  private let source: TableSource
  private let limits: TableLimits
  private let fields: [ArrowField]
  private let batch: TableBatch
  private var message: ArrowInput
  private var decoder: ArrowDecoder?
  private var failure: TableError?

  /// Reads the schema. Throws `TableError`, also if there is no whole schema, and what the source throws.
  /// - Parameter batchRows: the most rows that `next` gives at a time.
  package init(_ source: TableSource, batchRows: Int = 1 << 16, limits: TableLimits = TableLimits()) throws {
    self.source = source
    self.limits = limits
    message = ArrowInput(source, limits)
    guard case .message(let description) = try message.read() else { throw TableError("there is no whole schema", offset: 0) }
    guard description.kind == ArrowMessage.Kind.schema.rawValue, let header = try description.root.table(2) else {
      throw TableError("the stream does not begin with a schema", offset: 0)
    }
    fields = try ArrowField.fields(of: header)
    schema = try TableSchema(fields.map(\.column))
    metadata = try header.pairs(2).map { (name: $0.name, value: $0.value) }
    isChecked = description.checksum != nil
    try message.check(isRequired: isChecked, description)
    batch = TableBatch(schema, capacity: max(1, min(batchRows, limits.rows, (32 << 20) / max(1, fields.count))))
    wholeEnd = message.offset
    for dictionary in batch.dictionaries { dictionary.checkedLimit = limits.text * 2 }
  }

  /// The next rows, in a batch that is used again by the next call; nil if there is no other whole batch (yet): `ending` says why.
  ///
  /// A large batch of the stream is given in parts.
  package func next() throws -> TableBatch? {
    if let failure { throw failure }
    do {
      while true {
        if let rows = try decoder?.fill(batch), rows > 0 { return batch }
        if let done = decoder {
          decoder = nil
          (batches, rows, wholeEnd) = (batches + 1, rows + done.rows, message.offset)
        }
        guard try advance() else { return nil }
      }
    } catch let error as TableError {
      let located = error.located(offset: message.start, group: batches, rows: decoder.map { rows..<rows + $0.rows })
      failure = located
      throw located
    }
  }

  /// Reads the next message; false if there is none.
  private func advance() throws -> Bool {
    if ending == .finished { return false }
    switch try message.read() {
    case .nothing: ending = .open
    case .cut: ending = .cut
    case .end:
      ending = .finished
      wholeEnd = message.offset
    case .message(let description):
      do throws(TableError) {
        try message.check(isRequired: isChecked, description)
        try use(description)
      } catch {
        // The number of rows may be what is damaged, but it is most likely right.
        let header = try? description.root.table(2)
        guard description.kind == ArrowMessage.Kind.batch.rawValue, let count = try? header?.number(0, default: Int64(0)),
          (0...Int64(limits.rows)).contains(count)
        else { throw error }
        throw error.located(rows: rows..<rows + Int(count))
      }
      return true
    }
    return false
  }

  private func use(_ description: ArrowInput.Description) throws(TableError) {
    guard let header = try description.root.table(2) else { throw TableError("the message has no content") }
    switch ArrowMessage.Kind(rawValue: description.kind) {
    case .batch: decoder = try ArrowDecoder(fields, header, message.body, limits, dictionaries)
    case .dictionary: try learn(header)
    default: throw TableError("a message is neither a batch nor a dictionary")
    }
  }

  /// For each dictionary of the stream, and each column that uses it: the number in the batch by that in the stream, -1 for a missing text.
  private var dictionaries: [Int: [Int64]] = [:]

  private func learn(_ header: FlatTable) throws(TableError) {
    let id = try header.number(0, default: Int64(0))
    guard let data = try header.table(1) else { throw TableError("the dictionary has no content") }
    let isDelta = try header.flag(2)
    for (column, field) in fields.enumerated() {
      guard case .dictionary(id, _, _, let text) = field.storage else { continue }
      let texts = batch.dictionary(column)
      do throws(TableError) {
        if !isDelta {
          dictionaries[column] = []
          if texts.byteCount > limits.text / 2 || texts.count > limits.text / 32 { texts.removeAll() }
        }
        var numbers = dictionaries.removeValue(forKey: column) ?? []
        try ArrowDecoder.readTexts(text, data, message.body, limits, into: texts, &numbers)
        dictionaries[column] = numbers
        // Columns may share a dictionary, and each has a copy.
        let known = schema.columns.indices.reduce(0) { $0 + batch.dictionary($1).byteCount }
        guard dictionaries.values.reduce(0, { $0 + $1.count }) <= limits.rows, known <= limits.text else {
          throw TableError("the dictionaries have too many texts")
        }
      } catch { throw error.located(column: field.column.name) }
    }
  }
}
