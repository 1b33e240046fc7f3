internal import CLibSQLite

/// A prepared statement: values are bound to its question marks, and it is run any number of times.
///
/// Bound values stay bound. A value that could not be bound is an error of the run. It belongs to its connection's actor or thread.
package final class SQLiteStatement {
  private let handle: SQLiteHandle
  /// Nil once the statement is finalized; SQLite's functions report that as a misuse, and read nothing.
  private var pointer: OpaquePointer?
  /// The first error of binding since the last run.
  private var fault = SQLITE_OK
  /// True while the statement's rows are read.
  private(set) var isRunning = false

  private init(_ pointer: OpaquePointer, _ handle: SQLiteHandle) {
    self.pointer = pointer
    self.handle = handle
  }

  /// Prepares exactly one statement.
  ///
  /// - Parameter isKept: true for many runs, so that SQLite takes the statement's memory from elsewhere than for short-lived ones.
  convenience init(_ sql: String, _ handle: SQLiteHandle, isKept: Bool) throws(SQLiteError) {
    let text = ContiguousArray(sql.utf8)
    let (pointer, length) = try Self.prepare(text[...], handle, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0)
    guard let pointer else { throw .misuse("there is no statement", sql) }
    self.init(pointer, handle)
    if text[length...].contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }) {
      throw .misuse("there is more than one statement", sql)
    }
  }

  /// The first statement of a text, nil for a comment or blanks, and the number of bytes up to the next one.
  static func first(
    of text: ArraySliceOfText, _ handle: SQLiteHandle
  ) throws(SQLiteError) -> (statement: SQLiteStatement?, length: Int) {
    let (pointer, length) = try prepare(text, handle, 0)
    // Text that SQLite does not consume, such as that behind a zero byte, would be passed to it endlessly.
    return (pointer.map { SQLiteStatement($0, handle) }, length > 0 ? length : text.count)
  }

  typealias ArraySliceOfText = ContiguousArray<UInt8>.SubSequence

  private static func prepare(
    _ text: ArraySliceOfText, _ handle: SQLiteHandle, _ flags: UInt32
  ) throws(SQLiteError) -> (OpaquePointer?, Int) {
    guard let database = handle.pointer else { throw .closed }
    var pointer: OpaquePointer?
    var length = 0
    // SQLite reads the bytes and returns where it has ended, which is inside them.
    let code = text.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var end: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(database, start, Int32(clamping: bytes.count), flags, &pointer, &end)
      if let start, let end { length = end - start }
      return code
    }
    if code != SQLITE_OK { throw handle.error(code, String(decoding: text, as: UTF8.self)) }
    return (pointer, length)
  }

  deinit { sqlite3_finalize(pointer) }

  /// Ends the statement permanently, so that its connection can be closed.
  func finalize() {
    sqlite3_finalize(pointer)
    pointer = nil
  }

  /// The statement's text, without the bound values.
  private var text: String? { sqlite3_sql(pointer).map { String(cString: $0) } }

  private func note(_ code: Int32) { if code != SQLITE_OK, fault == SQLITE_OK { fault = code } }

  private func begin() throws(SQLiteError) {
    if isRunning { throw .misuse("the statement's rows are being read", text) }
    if pointer == nil || handle.pointer == nil { throw .closed }
    if fault != SQLITE_OK {
      let code = fault
      fault = SQLITE_OK
      throw SQLiteError(
        code: code, message: "a value cannot be bound: \(sqlite3_errstr(code).map { String(cString: $0) } ?? "")", statement: text)
    }
    isRunning = true
  }

  private func end() {
    sqlite3_reset(pointer)
    isRunning = false
    fault = SQLITE_OK
  }

  @inline(never)
  private func failure(_ code: Int32) -> SQLiteError { handle.error(code, text) }
}

extension SQLiteStatement {
  /// Runs the statement once; returns the number of changed rows. It must not return rows.
  @discardableResult
  package func run() throws(SQLiteError) -> Int {
    try begin()
    defer { end() }
    let code = sqlite3_step(pointer)
    if code == SQLITE_ROW { throw .misuse("the statement has rows", text) }
    guard code == SQLITE_DONE else { throw failure(code) }
    return Int(sqlite3_changes(handle.pointer))
  }

  /// Runs the statement once with bytes at a question mark, which SQLite reads in place; afterwards nothing is bound there.
  @discardableResult
  package func run(lending bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) -> Int {
    // Not copied: the bytes stay where they are during this call, and are not bound after it.
    note(Self.bind(pointer, index, bytes, nil))
    defer { sqlite3_bind_null(pointer, index) }
    return try run()
  }

  /// Calls `body` for each row; `body` returns false to end early.
  package func forEachRow(_ body: (borrowing SQLiteRow) throws -> Bool) throws {
    try begin()
    defer { end() }
    guard let pointer else { return }
    let row = SQLiteRow(pointer)
    while true {
      let code = sqlite3_step(pointer)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code) }
      if try !body(row) { return }
    }
  }

  /// Runs the statement to its end, and ignores its rows.
  func runToEnd() throws(SQLiteError) {
    try begin()
    defer { end() }
    while true {
      let code = sqlite3_step(pointer)
      if code == SQLITE_DONE { return }
      if code != SQLITE_ROW { throw failure(code) }
    }
  }
}

/// Question marks are counted from 1.
extension SQLiteStatement {
  package func bind(_ index: Int32, _ value: Int64) { note(sqlite3_bind_int64(pointer, index, value)) }

  /// Binds a text, zero bytes included.
  package func bind(_ index: Int32, _ text: String) {
    note(
      text.withCString { sqlite3_bind_text64(pointer, index, $0, UInt64(text.utf8.count), clibsqlite_copied(), UInt8(SQLITE_UTF8)) })
  }

  /// Binds a text whose bytes stay in place for the life of the process, such as the name of a symbol.
  package func bind(_ index: Int32, immortal text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return bind(index, "") }
    // Not copied, as the caller promises that the bytes stay. SQLite's type of a byte has another sign.
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      note(sqlite3_bind_text64(pointer, index, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8)))
    }
  }

  package func bind(_ index: Int32, _ value: SQLiteValue) {
    switch value {
    case .null: note(sqlite3_bind_null(pointer, index))
    case .integer(let number): bind(index, number)
    case .real(let number): note(sqlite3_bind_double(pointer, index, number))
    case .text(let text): bind(index, text)
    case .bytes(let bytes): note(bytes.withUnsafeBytes { Self.bind(pointer, index, $0, clibsqlite_copied()) })
    }
  }

  /// Binds values to the first question marks, and NULL to those after them.
  package func bind(_ values: [SQLiteValue]) {
    // SQLite's function would read a finalized statement.
    guard let pointer else { return }
    // Removes the values of an earlier run.
    sqlite3_clear_bindings(pointer)
    var index: Int32 = 0
    for value in values {
      index += 1
      bind(index, value)
    }
  }

  /// SQLite takes a null address for NULL; no bytes are not NULL.
  private static func bind(
    _ pointer: OpaquePointer?, _ index: Int32, _ bytes: UnsafeRawBufferPointer, _ kept: sqlite3_destructor_type?
  ) -> Int32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(pointer, index, 0) }
    return sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), kept)
  }
}
