/// Why a table cannot be read or written, and where.
package struct TableError: Error, Hashable, Sendable {
  /// A sentence without a full stop.
  package var reason: String
  /// The byte of the file, from 0.
  package var offset: Int?
  /// The row group of a Parquet file or the record batch of an Arrow stream, from 0.
  package var group: Int?
  package var column: String?
  /// The rows of the file that are concerned, from 0.
  package var rows: Range<Int>?

  package init(_ reason: String, offset: Int? = nil, group: Int? = nil, column: String? = nil, rows: Range<Int>? = nil) {
    self.reason = reason
    self.offset = offset
    self.group = group
    self.column = column
    self.rows = rows
  }

  /// The same error with the places that it does not have yet.
  func located(offset: Int? = nil, group: Int? = nil, column: String? = nil, rows: Range<Int>? = nil) -> TableError {
    TableError(
      reason, offset: self.offset ?? offset, group: self.group ?? group, column: self.column ?? column, rows: self.rows ?? rows)
  }
}

extension TableError: CustomStringConvertible {
  /// The error in one line: `group 0, column 'price', rows 0..<1000, byte 4: the page differs from its checksum`.
  package var description: String {
    var places: [String] = []
    if let group { places.append("group \(group)") }
    if let column { places.append("column '\(column)'") }
    if let rows { places.append("rows \(rows)") }
    if let offset { places.append("byte \(offset)") }
    return places.isEmpty ? reason : places.joined(separator: ", ") + ": " + reason
  }
}
