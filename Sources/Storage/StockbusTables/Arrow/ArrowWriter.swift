/// Writes an Arrow IPC stream: a table as a sequence of batches, which other programs read while it grows.
///
/// Decimals are `decimal128(19, d)`, texts `dictionary<int32, utf8>`. New texts of a column are written as a whole dictionary that replaces the
/// former one, because polars reads no delta dictionaries; of a large dictionary only the texts of the batch are written. Each message carries
/// an XXH64 of all its bytes. Nothing is kept back: after `write` the sink has the whole batch.
///
/// Source: Arrow columnar format, "IPC Streaming Format".
package final class ArrowWriter {
  package let schema: TableSchema
  private let sink: TableSink
  private var out = ByteBuffer(capacity: 1 << 16)
  private var sent: [SentDictionary]
  /// The rows that were written.
  package private(set) var rows = 0
  private var hasBatch = false

  /// The texts of a column that the stream's reader knows.
  private struct SentDictionary {
    /// Kept, so that no other dictionary is taken for it.
    var dictionary: TextDictionary?
    var generation = 0
    var count = 0
    /// The numbers of the batch's texts, by those of the dictionary, if only these were written; -1 for the others.
    var local: [Int32] = []
  }

  /// Writes the schema.
  /// - Parameters:
  ///   - metadata: names and values in the schema.
  ///   - isContinued: writes no schema, because the sink goes on where the whole batches of a stream of this schema end
  ///     (`ArrowReader.wholeEnd`).
  ///   - sink: gets the bytes of the stream; what it throws ends the stream.
  package init(
    _ schema: TableSchema, metadata: [(String, String)] = [], isContinued: Bool = false, sink: @escaping TableSink
  ) throws {
    self.schema = schema
    self.sink = sink
    sent = schema.columns.map { _ in SentDictionary() }
    if isContinued { return }
    out.append(ArrowMessage.schema(schema, metadata: metadata))
    try seal(from: 0)
    try sink(out.bytes)
  }

  /// Writes the batch. Throws `TableError` if a value is missing that has to be there, and what the sink throws.
  /// - Parameter metadata: names and values in the batch's message. Without any, an empty batch writes nothing.
  package func write(_ batch: TableBatch, metadata: [(String, String)] = []) throws {
    precondition(batch.schema == schema, "the batch has the columns of the writer")
    if batch.rows == 0, metadata.isEmpty { return }
    try batch.validate()
    out.clear()
    for column in schema.columns.indices where schema.columns[column].type == .text { try putDictionary(column, of: batch) }
    try putBatch(batch, metadata)
    rows += batch.rows
    try sink(out.bytes)
  }

  /// Ends the stream. A stream without a batch gets an empty one, so that a schema that lost its checksum is noticed.
  package func finish() throws {
    out.clear()
    if !hasBatch {
      let batch = TableBatch(schema, capacity: 1)
      for column in schema.columns.indices where schema.columns[column].type == .text { try putDictionary(column, of: batch) }
      try putBatch(batch, [])
    }
    out.append(ArrowMessage.end)
    try sink(out.bytes)
  }

  /// Writes the checksum into the message that begins at `start`.
  private func seal(from start: Int) throws(TableError) {
    let message = UnsafeRawBufferPointer(rebasing: out.bytes[start...])
    guard let place = try ArrowMessage.checksumPlace(message) else { return }
    var sum = XXH64()
    sum.update(message)
    out.replace(at: start + place, with: Checksum.digits(sum))
  }

  private func putBatch(_ batch: TableBatch, _ metadata: [(String, String)]) throws(TableError) {
    hasBatch = true
    let rows = batch.rows
    var (nodes, buffers, body): ([Int64], [Int64], Int) = ([], [], 0)
    func reserve(_ size: Int) {
      buffers += [Int64(body), Int64(size)]
      body += (size + 7) & ~7
    }
    for (column, info) in schema.columns.enumerated() {
      let missing = batch.missing(column)
      nodes += [Int64(rows), Int64(missing)]
      reserve(missing == 0 ? 0 : (rows + 7) / 8)
      switch info.type {
      case .decimal: reserve(rows * 16)
      case .integer, .timestamp, .duration: reserve(rows * 8)
      case .flag: reserve((rows + 7) / 8)
      case .text: reserve(rows * 4)
      }
    }
    let start = out.count
    out.append(ArrowMessage.batch(rows: rows, nodes: nodes, buffers: buffers, body: body, metadata: metadata))
    _ = out.room(body)
    for (column, info) in schema.columns.enumerated() {
      if nodes[column * 2 + 1] > 0 {
        out.putBits(batch.present(column), count: rows)
        out.pad(to: 8)
      }
      let words = batch.words(column)
      switch info.type {
      case .decimal: out.putWide(words)
      case .integer, .timestamp, .duration: out.append(UnsafeRawBufferPointer(words))
      case .flag: out.putFlags(words)
      case .text: out.putNumbers(words, sent[column].local)
      }
      out.pad(to: 8)
    }
    try seal(from: start)
  }

  private func putDictionary(_ column: Int, of batch: TableBatch) throws(TableError) {
    let dictionary = batch.dictionary(column)
    let known = sent[column]
    if known.dictionary === dictionary, known.local.isEmpty, known.generation == dictionary.generation, known.count == dictionary.count {
      return
    }
    sent[column] = SentDictionary(dictionary: dictionary, generation: dictionary.generation, count: dictionary.count)
    // Writing all for each new text would take time and room with the square of their number.
    if dictionary.count > max(1024, 2 * batch.rows) {
      var (local, used) = ([Int32](repeating: -1, count: dictionary.count), [Int]())
      let present = batch.present(column)
      for (row, word) in batch.words(column).enumerated() where present[row >> 6] >> UInt64(row & 63) & 1 == 1 && local[Int(word)] < 0 {
        local[Int(word)] = Int32(used.count)
        used.append(Int(word))
      }
      sent[column].local = local
      try putTexts(column, dictionary, used)
      return
    }
    try putTexts(column, dictionary, 0..<dictionary.count)
  }

  private func putTexts(_ column: Int, _ dictionary: TextDictionary, _ numbers: some Collection<Int>) throws(TableError) {
    var size = 0
    for number in numbers { size += dictionary[number].count }
    guard size <= Int(Int32.max) else { throw TableError("the texts have more than 2 GiB", column: schema.columns[column].name) }
    let offsets = 4 * (numbers.count + 1)
    let bodyStart = (offsets + 7) & ~7
    let start = out.count
    out.append(
      ArrowMessage.dictionary(
        id: column, texts: numbers.count, buffers: [0, 0, 0, Int64(offsets), Int64(bodyStart), Int64(size)],
        body: bodyStart + (size + 7) & ~7))
    var end: Int32 = 0
    out.put(end)
    for number in numbers {
      end += Int32(dictionary[number].count)
      out.put(end)
    }
    out.pad(to: 8)
    for number in numbers { out.append(dictionary[number]) }
    out.pad(to: 8)
    try seal(from: start)
  }
}

/// Columns as Arrow lays them out. Unsafe, because the bytes are written by pointer into space that was reserved for the whole column.
extension ByteBuffer {
  /// Numbers of 128 bits.
  mutating func putWide(_ words: UnsafeBufferPointer<Int64>) {
    let out = room(words.count * 16).assumingMemoryBound(to: Int64.self)
    for i in 0..<words.count {
      out[2 * i] = words[i]
      out[2 * i + 1] = words[i] >> 63
    }
    advance(words.count * 16)
  }

  /// Numbers of 32 bits; if `local` is not empty, what it has for each.
  mutating func putNumbers(_ words: UnsafeBufferPointer<Int64>, _ local: [Int32]) {
    let out = room(words.count * 4).assumingMemoryBound(to: Int32.self)
    if local.isEmpty {
      for i in 0..<words.count { out[i] = Int32(truncatingIfNeeded: words[i]) }
    } else {
      for i in 0..<words.count { out[i] = max(0, local[Int(words[i])]) }
    }
    advance(words.count * 4)
  }

  /// The lowest bit of each word.
  mutating func putFlags(_ words: UnsafeBufferPointer<Int64>) {
    for start in stride(from: 0, to: words.count, by: 8) {
      var byte: UInt8 = 0
      for i in start..<min(start + 8, words.count) { byte |= UInt8(truncatingIfNeeded: words[i] & 1) << UInt8(i - start) }
      append(byte)
    }
  }

  /// The first `count` bits, the rest of the last byte 0.
  mutating func putBits(_ bits: UnsafeBufferPointer<UInt64>, count bitCount: Int) {
    let bytes = (bitCount + 7) / 8
    append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bits)[..<bytes]))
    if bitCount % 8 != 0 { writable[count - 1] &= UInt8(1 << UInt(bitCount % 8) - 1) }
  }
}
