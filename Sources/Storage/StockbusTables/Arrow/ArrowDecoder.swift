/// Reads the columns of a record batch, some rows at a time.
///
/// Unsafe memory: it points to the message's body, whose owner keeps it until the batch is read. All lengths are checked when it is made.
struct ArrowDecoder {
  private struct Column {
    let field: ArrowField
    let present: UnsafeRawBufferPointer?
    let values: UnsafeRawBufferPointer
    /// The bytes of texts, and those that views refer to.
    var blocks: [UnsafeRawBufferPointer] = []
    let numbers: [Int64]
  }

  private static let lacking = TableError("a value is missing, and the column is not optional")

  let rows: Int
  private var done = 0
  private var columns: [Column] = []
  private let textLimit: Int

  init(_ fields: [ArrowField], _ header: FlatTable, _ body: UnsafeRawBufferPointer, _ limits: TableLimits, _ dictionaries: [Int: [Int64]])
    throws(TableError)
  {
    var parts = try Parts(header, body)
    rows = parts.rows
    textLimit = limits.text
    guard rows <= limits.rows else { throw TableError("the batch has \(rows) rows") }
    for (i, field) in fields.enumerated() {
      do throws(TableError) {
        let length: Int
        switch field.storage {
        case .signed(let bytes), .unsigned(let bytes), .scaled(let bytes, _), .divided(let bytes, _), .float(let bytes):
          length = rows * bytes
        case .dictionary(_, let bytes, _, _): length = rows * bytes
        case .bits: length = (rows + 7) / 8
        case .text(let text):
          let (present, values, blocks) = try parts.texts(text)
          columns.append(Column(field: field, present: present, values: values, blocks: blocks, numbers: []))
          continue
        }
        let present = try parts.presence()
        columns.append(Column(field: field, present: present, values: try parts.buffer(atLeast: length), numbers: dictionaries[i] ?? []))
      } catch { throw error.located(column: field.column.name) }
    }
  }

  /// Puts the next rows into a batch, as many as it holds; 0 at the end.
  mutating func fill(_ batch: TableBatch) throws(TableError) -> Int {
    let count = min(batch.capacity, rows - done)
    batch.refill(rows: count)
    for (i, column) in columns.enumerated() {
      let cells = batch.cells[i]
      for word in 0..<(count + 63) / 64 {
        var bits = UInt64.max
        if let present = column.present {
          bits = 0
          for bit in 0..<min(64, count - word * 64) {
            let row = done + word * 64 + bit
            bits |= UInt64(present[row >> 3] >> UInt8(row & 7) & 1) << UInt64(bit)
          }
        } else if count - word * 64 < 64 {
          bits = 1 << UInt64(count - word * 64) - 1
        }
        if !column.field.column.isOptional, bits.nonzeroBitCount < min(64, count - word * 64) {
          throw Self.lacking.located(column: column.field.column.name)
        }
        cells.present[word] = bits
      }
      do throws(TableError) { try read(column, count, cells, batch.dictionary(i)) } catch {
        throw error.located(column: column.field.column.name)
      }
      // What stands under a missing value means nothing.
      if column.present != nil || column.field.column.isOptional {
        for row in 0..<count where cells.present[row >> 6] >> UInt64(row & 63) & 1 == 0 { cells.words[row] = 0 }
      }
    }
    done += count
    return count
  }

  private func read(_ column: Column, _ count: Int, _ cells: TableBatch.Cells, _ texts: TextDictionary) throws(TableError) {
    func each(_ value: (_ row: Int) throws(TableError) -> Int64?) throws(TableError) {
      for row in 0..<count where cells.present[row >> 6] >> UInt64(row & 63) & 1 == 1 {
        guard let word = try value(done + row) else {
          if !column.field.column.isOptional { throw Self.lacking }
          cells.present[row >> 6] &= ~(1 << UInt64(row & 63))
          continue
        }
        cells.words[row] = word
      }
    }
    let values = column.values
    switch column.field.storage {
    case .signed(let bytes): try each { row throws(TableError) in try Self.signed(values, row, bytes) }
    case .unsigned(let bytes):
      try each { row throws(TableError) in
        let word = try Self.signed(values, row, bytes)
        if bytes == 8, word < 0 { throw TableError("the number needs more than 63 bits") }
        return bytes == 8 ? word : word & (1 << Int64(bytes * 8) - 1)
      }
    case .scaled(let bytes, let factor):
      try each { row throws(TableError) in
        let (word, overflow) = try Self.signed(values, row, bytes).multipliedReportingOverflow(by: factor)
        if overflow { throw TableError("the value is out of range") }
        return word
      }
    case .divided(let bytes, let divisor):
      try each { row throws(TableError) in
        let (low, high) = Self.wide(values, row, bytes)
        return try Wide.divided(high, low, by: divisor)
      }
    case .float(let bytes):
      try each { row throws(TableError) in
        let value =
          bytes == 4
          ? Double(values.loadUnaligned(fromByteOffset: row * 4, as: Float.self))
          : values.loadUnaligned(fromByteOffset: row * 8, as: Double.self)
        if value.isNaN { return nil }
        let units = bytes == 4 ? FloatUnits.units(values.loadUnaligned(fromByteOffset: row * 4, as: Float.self)) : FloatUnits.units(value)
        guard let units else { throw TableError("\(value) is not a decimal with at most nine decimals that 64 bits hold") }
        return units
      }
    case .bits: try each { row throws(TableError) in Int64(values[row >> 3] >> UInt8(row & 7) & 1) }
    case .text(let text):
      if texts.byteCount > textLimit || texts.count > textLimit / 32 { texts.removeAll() }
      try each { row throws(TableError) in try texts.number(checking: try Self.text(text, values, column.blocks, row)) }
    case .dictionary(_, let bytes, let isSigned, _):
      try each { row throws(TableError) in
        var number = try Self.signed(values, row, bytes)
        if !isSigned, bytes < 8 { number &= 1 << Int64(bytes * 8) - 1 }
        guard number >= 0, number < column.numbers.count else { throw TableError("a text is not in the dictionary") }
        let known = column.numbers[Int(number)]
        return known < 0 ? nil : known
      }
    }
  }

  @inline(__always)
  private static func signed(_ values: UnsafeRawBufferPointer, _ row: Int, _ bytes: Int) throws(TableError) -> Int64 {
    switch bytes {
    case 1: return Int64(values.loadUnaligned(fromByteOffset: row, as: Int8.self))
    case 2: return Int64(values.loadUnaligned(fromByteOffset: row * 2, as: Int16.self))
    case 4: return Int64(values.loadUnaligned(fromByteOffset: row * 4, as: Int32.self))
    case 8: return values.loadUnaligned(fromByteOffset: row * 8, as: Int64.self)
    default:
      let (low, high) = wide(values, row, bytes)
      guard high == Int64(bitPattern: low) >> 63 else { throw TableError("the decimal has more than 64 bits") }
      return Int64(bitPattern: low)
    }
  }

  private static func wide(_ values: UnsafeRawBufferPointer, _ row: Int, _ bytes: Int) -> (low: UInt64, high: Int64) {
    if bytes == 16 {
      return (
        values.loadUnaligned(fromByteOffset: row * 16, as: UInt64.self), values.loadUnaligned(fromByteOffset: row * 16 + 8, as: Int64.self)
      )
    }
    let word =
      bytes == 4
      ? Int64(values.loadUnaligned(fromByteOffset: row * 4, as: Int32.self)) : values.loadUnaligned(fromByteOffset: row * 8, as: Int64.self)
    return (UInt64(bitPattern: word), word >> 63)
  }

  /// A text by its row; throws if it lies outside of its bytes.
  private static func text(
    _ text: ArrowField.Storage.Text, _ values: UnsafeRawBufferPointer, _ blocks: [UnsafeRawBufferPointer], _ row: Int
  ) throws(TableError) -> UnsafeRawBufferPointer {
    var part: UnsafeRawBufferPointer?
    switch text {
    case .utf8:
      if let start = values.little(row * 4, Int32.self), let end = values.little(row * 4 + 4, Int32.self) {
        part = blocks[0].part(Int(start), Int(end) - Int(start))
      }
    case .largeUTF8:
      if let start = values.little(row * 8, Int64.self), let end = values.little(row * 8 + 8, Int64.self), start >= 0, end >= start {
        part = blocks[0].part(Int(start), Int(end - start))
      }
    case .view:
      if let size = values.little(row * 16, Int32.self) {
        if size <= 12 {
          part = values.part(row * 16 + 4, Int(size))
        } else if let block = values.little(row * 16 + 8, Int32.self), let start = values.little(row * 16 + 12, Int32.self),
          blocks.indices.contains(Int(block))
        {
          part = blocks[Int(block)].part(Int(start), Int(size))
        }
      }
    }
    guard let part else { throw TableError("a text lies outside of its column") }
    return part
  }

  /// Adds the texts of a dictionary's batch to `texts`, and their numbers to `numbers`.
  static func readTexts(
    _ text: ArrowField.Storage.Text, _ header: FlatTable, _ body: UnsafeRawBufferPointer, _ limits: TableLimits,
    into texts: TextDictionary, _ numbers: inout [Int64]
  ) throws(TableError) {
    var parts = try Parts(header, body)
    let (present, values, blocks) = try parts.texts(text)
    guard numbers.count + parts.rows <= limits.rows else { throw TableError("the dictionaries have too many texts") }
    for row in 0..<parts.rows {
      if let present, present[row >> 3] >> UInt8(row & 7) & 1 == 0 {
        numbers.append(-1)
        continue
      }
      numbers.append(try texts.number(checking: try self.text(text, values, blocks, row)))
      guard texts.byteCount <= limits.text else { throw TableError("the dictionaries have too many texts") }
    }
  }
}

extension ArrowDecoder {
  /// The buffers of a record batch, column by column.
  struct Parts {
    let rows: Int
    private let header: FlatTable
    private let body: UnsafeRawBufferPointer
    private let nodes: (start: Int, count: Int)
    private let buffers: (start: Int, count: Int)
    private let blocks: (start: Int, count: Int)
    private var (node, buffer, view) = (0, 0, 0)

    init(_ header: FlatTable, _ body: UnsafeRawBufferPointer) throws(TableError) {
      if try header.table(3) != nil { throw TableError("compressed batches are not read") }
      guard let rows = Int(exactly: try header.number(0, default: Int64(0))), rows >= 0, rows <= 1 << 40 else {
        throw TableError("the number of rows is not possible")
      }
      self.rows = rows
      self.header = header
      self.body = body
      nodes = try header.list(1, size: 16) ?? (0, 0)
      buffers = try header.list(2, size: 16) ?? (0, 0)
      blocks = try header.list(4, size: 8) ?? (0, 0)
    }

    /// The next buffer.
    mutating func buffer(atLeast length: Int = 0) throws(TableError) -> UnsafeRawBufferPointer {
      guard buffer < buffers.count, let offset = header.bytes.little(buffers.start + buffer * 16, Int64.self),
        let size = header.bytes.little(buffers.start + buffer * 16 + 8, Int64.self), let part = body.part(Int(offset), Int(size))
      else { throw TableError("a buffer lies outside of the message") }
      buffer += 1
      guard part.count >= length else { throw TableError("a buffer is too short") }
      return part
    }

    /// The next column's bits of presence; nil if all values are there.
    mutating func presence() throws(TableError) -> UnsafeRawBufferPointer? {
      guard node < nodes.count, let length = header.bytes.little(nodes.start + node * 16, Int64.self),
        let missing = header.bytes.little(nodes.start + node * 16 + 8, Int64.self), length == rows
      else { throw TableError("a column has another number of rows than its batch") }
      node += 1
      let bits = try buffer()
      if missing == 0 || bits.isEmpty && rows == 0 { return nil }
      guard bits.count >= (rows + 7) / 8 else { throw TableError("the bits of presence are too few") }
      return bits
    }

    /// The next column of texts: its presence, its offsets or views, and the bytes they refer to.
    mutating func texts(_ text: ArrowField.Storage.Text) throws(TableError) -> (
      present: UnsafeRawBufferPointer?, values: UnsafeRawBufferPointer, blocks: [UnsafeRawBufferPointer]
    ) {
      let present = try presence()
      switch text {
      // An empty column may have no offsets.
      case .utf8: return (present, try buffer(atLeast: rows == 0 ? 0 : (rows + 1) * 4), [try buffer()])
      case .largeUTF8: return (present, try buffer(atLeast: rows == 0 ? 0 : (rows + 1) * 8), [try buffer()])
      case .view:
        let values = try buffer(atLeast: rows * 16)
        guard view < blocks.count, let count = header.bytes.little(blocks.start + view * 8, Int64.self), count >= 0,
          count <= buffers.count - buffer
        else { throw TableError("the number of a column's buffers is not possible") }
        view += 1
        var parts: [UnsafeRawBufferPointer] = []
        for _ in 0..<count { parts.append(try buffer()) }
        return (present, values, parts)
      }
    }
  }
}

/// Numbers of 128 bits, of which only those are kept that 64 bits hold.
enum Wide {
  /// Divides by a power of ten; throws if there is a remainder, since a value is never rounded.
  static func divided(_ high: Int64, _ low: UInt64, by divisor: Int64) throws(TableError) -> Int64 {
    let value = Int128(high) << 64 | Int128(low)
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: Int128(divisor))
    guard remainder == 0 else { throw TableError("the decimal has more than nine decimals") }
    guard let result = Int64(exactly: quotient) else { throw TableError("the decimal has more than 64 bits") }
    return result
  }
}
