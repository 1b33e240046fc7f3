/// What becomes of a column.
struct CSVColumnPlan {
  /// The slot that takes it, or -1.
  var slot: Int
  /// It was a number in the rows before.
  var isNumber: Bool
}

/// Reads rows of delimited fields (RFC 4180): in place where they have no quotation marks.
///
/// Unsafe inside: values are pointers into the row.
struct CSVRows: ~Copyable {
  /// Why the last row was malformed.
  var reason = ""

  let format: CSVFormat
  let fields: [ReplayField]
  let mapping: [String: String]
  let hasSymbol: Bool
  let file: String

  var columns: CSVColumns?
  var expected = -1
  var needed = 0
  var quoted = QuotedRecord()
  // Which slot takes which column; a column may serve several.
  let wanted: UnsafeMutablePointer<(slot: Int, column: Int)>
  var wantedCount = 0
  // By column: what to do with it where a row is read in one pass; unused where the count of columns is not known.
  let plan: UnsafeMutablePointer<CSVColumnPlan>
  var hasShared = false
  // ends[0] is -1, ends[i + 1] the offset behind column i.
  private let ends: UnsafeMutablePointer<Int>

  init(format: CSVFormat, fields: [ReplayField], mapping: [String: String], hasSymbol: Bool, file: String) {
    self.format = format
    self.fields = fields
    self.mapping = mapping
    self.hasSymbol = hasSymbol
    self.file = file
    wanted = .allocate(capacity: max(1, fields.count))
    wanted.initialize(repeating: (0, 0), count: max(1, fields.count))
    plan = .allocate(capacity: CSVFormat.columnLimit)
    plan.initialize(repeating: CSVColumnPlan(slot: -1, isNumber: false), count: CSVFormat.columnLimit)
    ends = .allocate(capacity: CSVFormat.columnLimit + 2)
    ends.initialize(repeating: -1, count: CSVFormat.columnLimit + 2)
  }

  deinit {
    wanted.deallocate()
    plan.deallocate()
    ends.deallocate()
  }

  /// Reads the next row into `slots`. Throws what reading throws, and `badColumns` at the header.
  @inline(always)
  mutating func next(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    switch try reader.next() {
    case .line:
      if reader.count == 0 { return .blank }
      if columns == nil { return try firstRow(&reader, slots) }
      return row(&reader, slots)
    case .end: return .end
    case .tooLong:
      reason = "the line is longer than \(reader.limit) bytes"
      return .malformed
    }
  }

  @inline(always)
  mutating func row(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    if expected > 0, !hasShared, inOnePass(reader.start, reader.count, slots.base) { return .row }
    return inTwoPasses(&reader, slots)
  }

  /// Reads a row of the expected count of fields, numbers at once; false, with some slots perhaps filled, where it is none or has
  /// quotation marks.
  @inline(always)
  private mutating func inOnePass(_ row: UnsafePointer<UInt8>, _ length: Int, _ slots: UnsafeMutablePointer<FieldSlot>) -> Bool {
    let delimiter = format.delimiter.rawValue
    let delimiters = Words.all(delimiter)
    let end = row + length
    let last = plan + (expected &- 1)
    var column = plan
    var p = row
    while true {
      let field = p
      if column.pointee.isNumber {
        if let number = Decimal.scan(&p, .loose), p == end || p.pointee == delimiter {
          slots[column.pointee.slot] = FieldSlot(start: field, count: p - field, number: number, kind: .number)
        } else {
          // Text now, text in the next rows: a time, or an empty field.
          if field < end, field.pointee != delimiter { column.pointee.isNumber = false }
          p = Words.fieldEnd(field, delimiters)
          slots[column.pointee.slot] = FieldSlot(start: field, count: min(p, end) - field, kind: .text)
        }
      } else {
        p = Words.fieldEnd(field, delimiters)
        if column.pointee.slot >= 0 {
          slots[column.pointee.slot].start = field
          slots[column.pointee.slot].count = min(p, end) - field
          slots[column.pointee.slot].kind = .text
        }
      }
      if column == last { return p >= end }
      if p.pointee != delimiter { return false }
      p += 1
      column += 1
    }
  }

  /// Any row: finds the fields first.
  @inline(never)
  private mutating func inTwoPasses(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    let start = reader.start
    let count = split(start, reader.count)
    guard count == expected || (expected < 0 && count >= needed) else {
      return count < 0 ? quotedRow(&reader, slots) : wrongCount(count)
    }
    for i in 0..<wantedCount {
      let (slot, column) = wanted[i]
      let from = ends[column] &+ 1
      slots.base[slot] = FieldSlot(start: start + from, count: ends[column &+ 1] &- from, kind: .text)
    }
    return .row
  }

  /// How many fields a row has, with `ends` set; -1 where it has a quotation mark.
  private mutating func split(_ row: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let delimiters = SIMD16<UInt8>(repeating: format.delimiter.rawValue)
    let quotes = SIMD16<UInt8>(repeating: 34)
    let newlines = SIMD16<UInt8>(repeating: 10)
    var count = 0
    var base = 0
    while true {
      let bytes = UnsafeRawPointer(row + base).loadUnaligned(as: SIMD16<UInt8>.self)
      // A comparison gives 0xff or 0 for each byte; as two words the marks can be walked through.
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
    guard readQuoted(&reader) else { return .malformed }
    let count = quoted.ends.count
    guard count == expected || (expected < 0 && count >= needed) else { return wrongCount(count) }
    for i in 0..<wantedCount {
      let (slot, column) = wanted[i]
      let from = column == 0 ? 0 : quoted.ends[column - 1] + 1
      slots.base[slot] = FieldSlot(start: UnsafePointer(quoted.scratch.base) + from, count: quoted.ends[column] - from, kind: .text)
    }
    return .row
  }

  /// Reads the record that begins on this line into `quoted`; false, with the reader back on this line, where it breaks the rules.
  mutating func readQuoted(_ reader: inout LineReader) -> Bool {
    quoted.reset()
    while true {
      switch quoted.step(reader.bytes, delimiter: format.delimiter.rawValue) {
      case .complete: return true
      case .unfinished:
        if reader.extend() { continue }
        reason = "a quotation mark is not closed by the end of the file or within \(reader.limit) bytes"
      case .malformed(.strayQuote(let byte)): reason = "byte \(byte): a quotation mark inside a field that does not begin with one"
      case .malformed(.textAfterQuote(let byte)): reason = "byte \(byte): text between a closing quotation mark and the next field"
      }
      reader.rewindToFirstLine()
      return false
    }
  }

  private mutating func wrongCount(_ count: Int) -> RowFound {
    let has = count > CSVFormat.columnLimit ? "more than \(CSVFormat.columnLimit) fields" : count == 1 ? "1 field" : "\(count) fields"
    reason = expected < 0 ? "\(has), but column \(needed) is needed" : "\(has), but the header has \(expected)"
    return .malformed
  }
}
