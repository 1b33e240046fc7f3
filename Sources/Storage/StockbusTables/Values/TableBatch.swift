/// Rows of a table, column by column: a word and a bit of presence for each value.
///
/// A row is made by `set` for each value that it has and then `endRow`, a few nanoseconds a value, without allocation:
///
///     batch.set(0, batch.dictionary(0).number(of: "AAPL"))
///     batch.set(1, price.raw)
///     batch.endRow()
///
/// Unsafe memory for that reason: arrays would check bounds, uniqueness and exclusive access for each value. `set` and `endRow` check the
/// column and the row, whose violation is the caller's mistake and traps.
package final class TableBatch {
  /// The words of a column and their bits of presence, 64 to a word, the first row in the lowest bit.
  @usableFromInline
  struct Cells {
    @usableFromInline let words: UnsafeMutablePointer<Int64>
    @usableFromInline let present: UnsafeMutablePointer<UInt64>
  }

  package let schema: TableSchema
  /// The most rows of the batch.
  package let capacity: Int
  @usableFromInline let width: Int
  @usableFromInline let cells: UnsafeMutablePointer<Cells>
  /// One for each column of text, empty ones for the others.
  let dictionaries: [TextDictionary]
  /// Unchecked, since it is read for each value; a batch has one user at a time, as every class that is not `Sendable`.
  @usableFromInline @exclusivity(unchecked) var filled = 0

  /// The whole rows.
  @inlinable package var rows: Int { filled }
  @inlinable package var isFull: Bool { filled == capacity }

  /// - Parameter capacity: at least 1.
  package convenience init(_ schema: TableSchema, capacity: Int) {
    self.init(schema, capacity: capacity, dictionaries: schema.columns.map { _ in TextDictionary() })
  }

  /// - Parameter dictionaries: those of another batch of the same schema, so that numbers keep their meaning.
  init(_ schema: TableSchema, capacity: Int, dictionaries: [TextDictionary]) {
    precondition(capacity > 0, "a batch has room for a row")
    self.schema = schema
    self.capacity = capacity
    width = schema.columns.count
    cells = .allocate(capacity: max(1, width))
    self.dictionaries = dictionaries
    for column in 0..<width {
      let words = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
      words.initialize(repeating: 0, count: capacity)
      let present = UnsafeMutablePointer<UInt64>.allocate(capacity: (capacity + 63) / 64)
      present.initialize(repeating: 0, count: (capacity + 63) / 64)
      cells[column] = Cells(words: words, present: present)
    }
  }

  deinit {
    for column in 0..<width {
      cells[column].words.deallocate()
      cells[column].present.deallocate()
    }
    cells.deallocate()
  }

  /// Sets a value of the row that is being made; without it the value is missing.
  @inlinable @inline(__always)
  package func set(_ column: Int, _ value: Int64) {
    precondition(column >= 0 && column < width && filled < capacity)
    let cells = cells[column]
    cells.words[filled] = value
    cells.present[filled >> 6] |= 1 << UInt64(filled & 63)
  }

  /// Ends the row that is being made.
  @inlinable @inline(__always)
  package func endRow() {
    precondition(filled < capacity)
    filled += 1
  }

  /// Removes all rows, and what was set of an unfinished one; the dictionaries stay.
  package func removeAll() {
    let used = min(capacity, filled + 1)
    for column in 0..<width {
      cells[column].words.update(repeating: 0, count: used)
      cells[column].present.update(repeating: 0, count: (used + 63) / 64)
    }
    filled = 0
  }

  /// A value; nil if it is missing.
  package subscript(_ row: Int, _ column: Int) -> Int64? {
    precondition(row >= 0 && row < filled && column >= 0 && column < width)
    return cells[column].present[row >> 6] >> UInt64(row & 63) & 1 == 1 ? cells[column].words[row] : nil
  }

  /// A text; nil if it is missing, or its number unknown.
  package func text(_ row: Int, _ column: Int) -> String? {
    guard let number = self[row, column], number >= 0, number < dictionaries[column].count else { return nil }
    return dictionaries[column].string(Int(number))
  }

  package func dictionary(_ column: Int) -> TextDictionary { dictionaries[column] }

  /// The words of a column, 0 where a value is missing; valid until the batch changes.
  package func words(_ column: Int) -> UnsafeBufferPointer<Int64> {
    precondition(column >= 0 && column < width)
    return UnsafeBufferPointer(start: cells[column].words, count: filled)
  }

  /// The bits of presence of a column, 64 to a word, the first row in the lowest bit; valid until the batch changes.
  package func present(_ column: Int) -> UnsafeBufferPointer<UInt64> {
    precondition(column >= 0 && column < width)
    return UnsafeBufferPointer(start: cells[column].present, count: (filled + 63) / 64)
  }

  /// The values of a column that are missing.
  func missing(_ column: Int) -> Int {
    var count = 0
    // A row that is not ended may have set a bit behind the last row.
    for (i, word) in present(column).enumerated() {
      let rest = filled - i * 64
      count += (rest >= 64 ? word : word & (1 << UInt64(rest) - 1)).nonzeroBitCount
    }
    return filled - count
  }

  /// Throws if a value is missing that has to be there, or a text is not in its dictionary.
  func validate() throws(TableError) {
    for (column, info) in schema.columns.enumerated() {
      let missing = missing(column)
      if !info.isOptional, missing > 0 {
        let row = (0..<filled).first { self[$0, column] == nil } ?? 0
        throw TableError("the value is missing, and the column is not optional", column: info.name, rows: row..<row + 1)
      }
      let limit: UInt64
      switch info.type {
      case .text: limit = UInt64(dictionaries[column].count)
      case .flag: limit = 2
      default: continue
      }
      // Missing values are words of 0, which need no text.
      var largest: UInt64 = 0
      for word in words(column) { largest = max(largest, UInt64(bitPattern: word)) }
      if largest >= limit, missing < filled {
        throw TableError(info.type == .flag ? "a flag is 0 or 1" : "a text is not in the column's dictionary", column: info.name)
      }
    }
  }

  /// For readers, which fill whole columns: memory for `rows` rows, without presence.
  func refill(rows: Int) {
    removeAll()
    precondition(rows <= capacity)
    filled = rows
  }
}
