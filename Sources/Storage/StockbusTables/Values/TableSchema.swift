/// What a column holds. Every value is a 64-bit integer; nothing passes through floating point.
package enum ColumnType: Hashable, Sendable {
  /// A decimal number in units of 10^-decimals, with 0 to 9 decimals: `DECIMAL(19, decimals)` in files.
  case decimal(Int)
  case integer
  /// Nanoseconds since 1970, UTC.
  case timestamp
  /// Nanoseconds.
  case duration
  /// 0 or 1.
  case flag
  /// The index of a text in the column's `TextDictionary`.
  case text

  /// Decimals of prices and sizes: units of 1e-9.
  package static let price = ColumnType.decimal(9)
}

/// A named column of a table.
package struct TableColumn: Hashable, Sendable {
  package var name: String
  package var type: ColumnType
  /// True if values may be missing.
  package var isOptional: Bool

  package init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

/// The columns of a table, in their order.
package struct TableSchema: Hashable, Sendable {
  package let columns: [TableColumn]

  /// The most columns of a table.
  package static let columnLimit = 1000

  /// Throws if there are too many columns, a name comes twice or is empty, or a decimal has not 0 to 9 decimals.
  package init(_ columns: [TableColumn]) throws(TableError) {
    if columns.count > Self.columnLimit { throw TableError("a table has at most \(Self.columnLimit) columns, not \(columns.count)") }
    var names: Set<String> = []
    for column in columns {
      if column.name.isEmpty { throw TableError("a column has no name") }
      if !names.insert(column.name).inserted { throw TableError("two columns have this name", column: column.name) }
      if case .decimal(let decimals) = column.type, !(0...9).contains(decimals) {
        throw TableError("a decimal has 0 to 9 decimals, not \(decimals)", column: column.name)
      }
    }
    self.columns = columns
  }

  /// The place of a column; nil if there is none of this name.
  package func index(of name: String) -> Int? { columns.firstIndex { $0.name == name } }
}
