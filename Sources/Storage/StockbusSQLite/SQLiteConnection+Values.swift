/// Statements that callers need not prepare themselves.
extension SQLiteConnection {
  /// Runs a statement with values; returns the number of rows that were changed.
  @discardableResult
  package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    statement.bind(values)
    return try statement.run()
  }

  /// The results of `body` for each row.
  package func rows<Value>(
    _ sql: String, _ values: SQLiteValue..., each body: (borrowing SQLiteRow) throws -> Value
  ) throws -> [Value] { try rows(sql, values, each: body) }

  package func rows<Value>(
    _ sql: String, _ values: [SQLiteValue], each body: (borrowing SQLiteRow) throws -> Value
  ) throws -> [Value] {
    let statement = try statement(sql)
    statement.bind(values)
    var found: [Value] = []
    try statement.forEachRow { row in
      found.append(try body(row))
      return true
    }
    return found
  }

  /// The first column of the first row; nil if there is none, or NULL.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    try first(sql) { $0.isNull(0) ? nil : $0.integer(0) }
  }

  /// The first column of the first row; nil if there is none, or NULL.
  package func text(_ sql: String) throws(SQLiteError) -> String? { try first(sql) { $0.text(0) } }

  private func first<Value>(_ sql: String, _ body: (borrowing SQLiteRow) -> Value?) throws(SQLiteError) -> Value? {
    let statement = try statement(sql)
    var found: Value?
    do {
      try statement.forEachRow { row in
        found = body(row)
        return false
      }
    } catch { throw error as? SQLiteError ?? .misuse("\(error)") }
    return found
  }
}
