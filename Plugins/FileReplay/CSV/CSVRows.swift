internal import MarketData

/// Reads rows of delimited fields (RFC 4180). If a header gives the number of fields, rows without quotation marks are read in one pass.
///
/// Unsafe inside: values are pointers into the row.
struct CSVRows: ~Copyable {
  /// Why the last row was malformed.
  var reason = ""

  let format: CSVFormat
  var fields: [ReplayField]
  var mapping: [String: String]
  let hasSymbol: Bool
  let file: String

  var columns: CSVColumns?
  /// The names of the columns.
  var names: [String] = []
  /// In small letters, all words that name columns; found when they are needed.
  var words: Set<String> = []
  /// The header that has replaced the first one, with its line end.
  var laterHeader: [UInt8] = []
  var expected = -1
  var needed = 0
  /// The column of the date, if the time's has the time of day only.
  var date = -1
  var quoted = QuotedRecord()
  /// A date and its time of day, from two columns.
  var joined = Scratch()
  /// The lines that are still to be skipped.
  private var toSkip: Int
  private let hasIgnored: Bool
  // The slots and their columns; several slots may have the same column.
  let wanted: UnsafeMutablePointer<(slot: Int, column: Int)>
  var wantedCount = 0
  /// The shape of a row with the expected number of fields.
  var shape: RowShape
  private let delimiters: UInt64
  // ends[0] is -1, ends[i + 1] the offset after column i.
  private let ends: UnsafeMutablePointer<Int>

  init(format: CSVFormat, fields: [ReplayField], mapping: [String: String], hasSymbol: Bool, file: String) {
    self.format = format
    toSkip = format.skipped
    hasIgnored = !format.ignored.isEmpty
    self.fields = fields
    self.mapping = mapping
    self.hasSymbol = hasSymbol
    self.file = file
    wanted = .allocate(capacity: max(1, fields.count))
    wanted.initialize(repeating: (0, 0), count: max(1, fields.count))
    shape = RowShape(fields, hasSymbol: hasSymbol, pieces: 0, bytes: 0)
    delimiters = ByteWords.all(format.delimiter.rawValue)
    ends = .allocate(capacity: CSVFormat.columnLimit + 2)
    ends.initialize(repeating: -1, count: CSVFormat.columnLimit + 2)
  }

  deinit {
    wanted.deallocate()
    ends.deallocate()
  }

  /// If the row at `start` has the expected number of fields and no quotation marks, reads it into the values and returns the position of
  /// its newline.
  @inline(always)
  mutating func quick(_ start: UnsafePointer<UInt8>, into values: inout ValueDecoder) -> UnsafePointer<UInt8>? {
    if !shape.isComplete { return nil }
    let delimiters = delimiters
    return RowShape.read(shape.pieces, shape.bytes, start, into: &values) { piece, p, values in
      Self.value(piece, &p, &values, delimiters)
    }
  }

  /// Reads a field in an unusual form, or an unused one; returns false if it is malformed.
  @inline(never)
  private static func value(
    _ piece: UnsafePointer<RowShape.Piece>, _ p: inout UnsafePointer<UInt8>, _ values: inout ValueDecoder, _ delimiters: UInt64
  ) -> Bool {
    let start = p
    p = ByteWords.fieldEnd(start, delimiters)
    if p.pointee == 34 { return false }
    // A carriage return before the newline belongs to the line end.
    if p.pointee == 10, p > start, p[-1] == 13 { p -= 1 }
    if piece.pointee.use == .nothing { return true }
    let slot = RowSlot(start: start, count: p - start, kind: .text)
    do throws(FieldProblem) { try values.read(slot, Int(piece.pointee.field), piece.pointee.kind) } catch { return false }
    return true
  }

  /// Reads the next row into `slots`. Throws errors of reading, and `badColumns` at the header.
  mutating func next(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    switch try reader.next() {
    case .line:
      if columns == nil, skips() { return .blank }
      if reader.count == 0 || (hasIgnored && format.ignores(reader.bytes)) { return .blank }
      if columns == nil { return try firstRow(&reader, slots) }
      return row(&reader, slots)
    case .end: return .end
    case .later: return .later
    case .tooLong:
      if columns == nil, skips() { return .blank }
      if columns == nil { try refuseBareReturns(reader) }
      reason = "the line is longer than \(reader.limit) bytes ('row_limit')"
      return .malformed
    }
  }

  /// True for a line before the header or the first row.
  private mutating func skips() -> Bool {
    if toSkip == 0 { return false }
    toSkip -= 1
    return true
  }

  /// Reads any row: finds the fields first.
  mutating func row(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    let start = reader.start
    let count = split(start, reader.count)
    // This check is first, because `expected` is -1 too if there is no header.
    if count < 0 { return quotedRow(&reader, slots) }
    guard count == expected || (expected < 0 && count >= needed) else { return wrongCount(count) }
    for i in 0..<wantedCount {
      let (slot, column) = wanted[i]
      let from = ends[column] &+ 1
      slots.base[slot] = RowSlot(start: start + from, count: ends[column &+ 1] &- from, kind: .text)
    }
    if date >= 0 { join(RowSlot(start: start + ends[date] + 1, count: ends[date + 1] - ends[date] - 1, kind: .text), slots) }
    return .row
  }

  /// Sets `ends` and returns the number of fields of a row; -1 if it has a quotation mark.
  private mutating func split(_ row: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let delimiters = SIMD16<UInt8>(repeating: format.delimiter.rawValue)
    let quotes = SIMD16<UInt8>(repeating: 34)
    let newlines = SIMD16<UInt8>(repeating: 10)
    var count = 0
    var base = 0
    while true {
      let bytes = UnsafeRawPointer(row + base).loadUnaligned(as: SIMD16<UInt8>.self)
      // A comparison gives 0xff or 0 for each byte; as two words the result can be scanned bit by bit.
      let marks = unsafeBitCast((bytes .== delimiters) .| (bytes .== quotes) .| (bytes .== newlines), to: SIMD2<UInt64>.self)
      for half in 0..<2 {
        var word = marks[half]
        while word != 0 {
          let shift = word.trailingZeroBitCount & ~7
          let at = base &+ half &* 8 &+ shift >> 3
          let byte = row[at]
          if byte == 10 {
            count &+= 1
            ends[count] = length
            return count
          }
          if byte == 34 || count >= CSVFormat.columnLimit { return byte == 34 ? -1 : CSVFormat.columnLimit &+ 1 }
          count &+= 1
          ends[count] = at
          word &= ~(0xff &<< UInt64(truncatingIfNeeded: shift))
        }
      }
      base &+= 16
    }
  }

  @inline(never)
  private mutating func quotedRow(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    switch readQuoted(&reader) {
    case .whole: break
    case .malformed: return .malformed
    case .later: return .later
    }
    let count = quoted.ends.count
    guard count == expected || (expected < 0 && count >= needed) else { return wrongCount(count) }
    for i in 0..<wantedCount {
      let (slot, column) = wanted[i]
      let from = column == 0 ? 0 : quoted.ends[column - 1] + 1
      slots.base[slot] = RowSlot(start: UnsafePointer(quoted.scratch.base) + from, count: quoted.ends[column] - from, kind: .text)
    }
    if date >= 0 {
      let from = date == 0 ? 0 : quoted.ends[date - 1] + 1
      join(RowSlot(start: UnsafePointer(quoted.scratch.base) + from, count: quoted.ends[date] - from, kind: .text), slots)
    }
    return .row
  }

  enum QuotedFound {
    case whole
    /// The record is malformed; the reader is back on its first line.
    case malformed
    /// The record's end has not arrived yet, and the reader must not wait for it; it will be read again.
    case later
  }

  /// Reads the record that begins on this line into `quoted`.
  mutating func readQuoted(_ reader: inout LineReader) -> QuotedFound {
    quoted.reset()
    while true {
      switch quoted.step(reader.bytes, delimiter: format.delimiter.rawValue) {
      case .complete: return .whole
      case .unfinished:
        if reader.isHurried {
          reader.giveBack()
          return .later
        }
        if reader.extend() { continue }
        reason = "a quotation mark is not closed by the end of the file or within \(reader.limit) bytes ('row_limit')"
      case .malformed(.strayQuote(let byte)): reason = "byte \(byte): a quotation mark inside a field that does not begin with one"
      case .malformed(.textAfterQuote(let byte)): reason = "byte \(byte): text between a closing quotation mark and the next field"
      }
      reader.rewindToFirstLine()
      return .malformed
    }
  }

  private mutating func wrongCount(_ count: Int) -> RowFound {
    let has = count > CSVFormat.columnLimit ? "more than \(CSVFormat.columnLimit) fields" : count == 1 ? "1 field" : "\(count) fields"
    reason = expected < 0 ? "\(has), but column \(needed) is needed" : "\(has), but the header has \(expected)"
    return .malformed
  }
}
