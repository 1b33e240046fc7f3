internal import StockbusFiles
package import StockbusPlugin
internal import StockbusSQLite
package import StockbusTrading

/// The file of a paper broker: accounts, positions, orders and fills, and up to where the prices have been booked. One writer at a time.
///
/// Each `write` is one transaction that is on the disk when it returns. Owned by one actor.
package final class TradingBook {
  private let connection: Connection
  private let lock: LockFile

  /// Opens the file, creating it if there is none.
  package init(_ path: String, files: RunFiles) throws(HistoryError) {
    if let reader = files.reader(of: path) { throw HistoryError(path, .inUse(reader)) }
    let file = DatabaseFile(path)
    // Before the lock, which leaves a file beside it.
    _ = try file.version()
    do throws(FileError) { lock = try LockFile(for: path) } catch { throw HistoryError(error, path) }
    connection = try file.openForWriting(isSynced: true)
  }

  /// Throws if the file at the path was moved, removed or replaced, so that writes would not reach it.
  package func checkPlace() throws(HistoryError) { try connection.checkPlace() }

  /// Throws if nothing can be written at present.
  package func probe() throws(HistoryError) { try connection.probe() }

  package func close() throws(HistoryError) {
    defer { lock.release() }
    try connection.close()
  }

  /// The saved state; nil if there is none.
  package func load() throws(HistoryError) -> SavedTrading? { try connection.reading { db in try Self.load(db) } }

  static func load(_ db: SQLiteConnection) throws -> SavedTrading? {
    var snapshot = BrokerSnapshot()
    let booked = try db.rows("SELECT time, count, last_order, last_fill FROM trading") { row in
      (snapshot.lastOrder, snapshot.lastFill) = (row.integer(2), row.integer(3))
      return BookedPosition(time: Timestamp(ns: row.integer(0)), count: Int(row.integer(1)))
    }
    guard let position = booked.first else { return nil }
    snapshot.accounts = try records(db, "SELECT record FROM trading_accounts ORDER BY number")
    snapshot.positions = try records(db, "SELECT record FROM trading_positions ORDER BY account, symbol")
    snapshot.orders = try records(db, "SELECT record FROM trading_orders WHERE is_open ORDER BY number")
    // The latest keys, the oldest first.
    let done: [Order] = try records(
      db,
      "SELECT record FROM (SELECT number, record FROM trading_orders WHERE NOT is_open ORDER BY number DESC LIMIT 1000000) ORDER BY number")
    var seen: Set<[String]> = []
    snapshot.keys = done.reversed().compactMap { order in
      // The first use of a key counts; a repetition is no order.
      guard !order.key.isEmpty, order.reason != .unknownAccount, order.reason != .badKey,
        seen.insert([order.account.description, order.key]).inserted
      else { return nil }
      return BrokerSnapshot.Key(
        account: order.account, key: order.key, number: order.number, reason: order.state == .rejected ? order.reason : .none)
    }.reversed()
    snapshot.instruments = try db.rows(
      "SELECT symbol, mark, has_quotes, has_trades, is_halted FROM trading_instruments ORDER BY symbol"
    ) { row in
      BrokerSnapshot.Instrument(
        symbol: try BookRecord.symbol(row.text(0) ?? ""), mark: Price(raw: row.integer(1)), hasQuotes: row.integer(2) != 0,
        hasTrades: row.integer(3) != 0, isHalted: row.integer(4) != 0)
    }
    return SavedTrading(snapshot: snapshot, position: position)
  }

  /// The last `limit` fills of an account, of all accounts if it is nil; the oldest first.
  package func lastFills(of account: String?, limit: Int) throws(HistoryError) -> [Fill] {
    try connection.reading { db in
      let newest: [Fill] =
        try account.map {
          try Self.records(
            db, "SELECT record FROM trading_fills WHERE account = ? ORDER BY number DESC LIMIT ?", .text($0), .integer(Int64(limit)))
        } ?? Self.records(db, "SELECT record FROM trading_fills ORDER BY number DESC LIMIT ?", .integer(Int64(limit)))
      return newest.reversed()
    }
  }

  fileprivate static func records<E: Event>(_ db: SQLiteConnection, _ sql: String, _ values: SQLiteValue...) throws -> [E] {
    try db.rows(sql, values) { try BookRecord.decode($0.text(0) ?? "") }
  }

  /// Saves the changed records, in order, and the changed instruments. After an error nothing of them is saved.
  package func write(
    _ changes: some Sequence<TradingChange>, _ instruments: [BrokerSnapshot.Instrument] = [], position: BookedPosition
  ) throws(HistoryError) {
    try connection.writing { db in
      var (lastOrder, lastFill): (Int64, Int64) = (0, 0)
      for change in changes {
        switch change {
        case .order(let order):
          lastOrder = max(lastOrder, order.number)
          try db.run(
            "INSERT OR REPLACE INTO trading_orders (number, account, key, is_open, record) VALUES (?, ?, ?, ?, ?)",
            .integer(order.number), .text(order.account.description), .text(order.key), .integer(order.state.isOpen ? 1 : 0),
            .text(BookRecord.text(order)))
        case .fill(let fill):
          lastFill = max(lastFill, fill.number)
          // Not "OR REPLACE": a fill that is booked twice is an error.
          try db.run(
            "INSERT INTO trading_fills (number, account, record) VALUES (?, ?, ?)", .integer(fill.number),
            .text(fill.account.description), .text(BookRecord.text(fill)))
        case .position(let position):
          try db.run(
            "INSERT OR REPLACE INTO trading_positions (account, symbol, record) VALUES (?, ?, ?)", .text(position.account.description),
            .text(position.symbol.description), .text(BookRecord.text(position)))
        case .account(let account):
          let (name, record) = (account.account.description, BookRecord.text(account))
          try db.run(
            """
            INSERT INTO trading_accounts (name, record) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET record = excluded.record
            """, .text(name), .text(record))
          try db.run("INSERT INTO trading_equity (account, record) VALUES (?, ?)", .text(name), .text(record))
        }
      }
      for instrument in instruments {
        try db.run(
          "INSERT OR REPLACE INTO trading_instruments (symbol, mark, has_quotes, has_trades, is_halted) VALUES (?, ?, ?, ?, ?)",
          .text(instrument.symbol.description), .integer(instrument.mark.raw), .integer(instrument.hasQuotes ? 1 : 0),
          .integer(instrument.hasTrades ? 1 : 0), .integer(instrument.isHalted ? 1 : 0))
      }
      try db.run(
        """
        INSERT INTO trading (id, time, count, last_order, last_fill) VALUES (1, ?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET
          time = ?1, count = ?2, last_order = max(last_order, ?3), last_fill = max(last_fill, ?4)
        """, .integer(position.time.ns), .integer(Int64(position.count)), .integer(lastOrder), .integer(lastFill))
    }
  }
}

/// Reads a paper broker's file, also while it is written.
package struct TradingReader {
  private let connection: Connection

  package init(_ path: String) throws(HistoryError) { connection = try DatabaseFile(path).openForReading() }

  /// The names of the accounts, in the order in which they were opened.
  package func accounts() throws(HistoryError) -> [String] {
    try connection.reading { db in try db.rows("SELECT name FROM trading_accounts ORDER BY number") { $0.text(0) ?? "" } }
  }

  /// All fills of an account, and its states over time, in order.
  package func history(of account: String) throws(HistoryError) -> (fills: [Fill], states: [AccountState]) {
    try connection.reading { db in
      let fills: [Fill] = try TradingBook.records(db, "SELECT record FROM trading_fills WHERE account = ? ORDER BY number", .text(account))
      let states: [AccountState] = try TradingBook.records(
        db, "SELECT record FROM trading_equity WHERE account = ? ORDER BY number", .text(account))
      return (fills, states)
    }
  }

  /// The last saved state; nil if there is none.
  package func saved() throws(HistoryError) -> SavedTrading? { try connection.reading { db in try TradingBook.load(db) } }
}

/// Events as text in the file: their JSON, which is exact.
private enum BookRecord {
  static func text<E: Event>(_ event: E) -> String { E.schema.json(event) }

  static func decode<E: Event>(_ text: String) throws -> E {
    var text = text
    let result: Result<E, TextError> = text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) { return .success(try E.schema.decodeJSON(&reader)) } catch { return .failure(error) }
    }
    do { return try result.get() } catch { throw DamagedRecord(kind: E.eventName, reason: error.description) }
  }

  static func symbol(_ name: String) throws -> Symbol {
    do { return try Symbol(name) } catch { throw DamagedRecord(kind: "instrument", reason: "\(error)") }
  }
}

/// A record of the file that is not an event of its kind.
private struct DamagedRecord: Error, CustomStringConvertible {
  let kind: String
  let reason: String
  var description: String { "a damaged \(kind): \(reason)" }
}
