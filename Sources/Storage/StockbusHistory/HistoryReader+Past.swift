package import StockbusPlugin
internal import StockbusSQLite

extension HistoryReader {
  /// The newest close and the last price of every symbol, read now; earlier closes are read on demand.
  ///
  /// - Parameters:
  ///   - limit: the most symbols, in the order of their arrival. The second value is their total number.
  ///   - whenFailing: called once with the reason if a later read fails; the symbol then has no close.
  package func past(
    limit: Int = SymbolIntake.usualLimit, whenFailing: @escaping @Sendable (HistoryError) -> Void = { _ in }
  ) throws(HistoryError) -> (past: PastPrices, symbols: Int) {
    var closes: [Symbol: PastPrices.Close] = [:]
    var prices: [Symbol: PastPrices.Last] = [:]
    let symbols = try connection.reading { db in
      let select = try db.statement(
        """
        SELECT name, closes.date, closes.close, closes.price_decimals, price, time, last_prices.price_decimals
        FROM (SELECT id, name FROM symbols ORDER BY id LIMIT ?1)
        LEFT JOIN closes ON closes.symbol = id AND closes.date = (SELECT max(date) FROM closes WHERE symbol = id)
        LEFT JOIN last_prices ON last_prices.symbol = id ORDER BY id
        """)
      select.bind(1, Int64(limit))
      try select.forEachRow { row in
        let isClosed = !row.isNull(1)
        let isPriced = !row.isNull(4)
        if !isClosed, !isPriced { return true }
        let symbol = try symbol(row, 0, .open)
        if isClosed { closes[symbol] = try close(row.integer(1), row.integer(2), row.integer(3), of: symbol) }
        if isPriced {
          guard let decimals = UInt8(exactly: row.integer(6)) else { throw damaged("the price of \(symbol)") }
          prices[symbol] = PastPrices.Last(Price(raw: row.integer(4)), at: Timestamp(ns: row.integer(5)), decimals: decimals)
        }
        return true
      }
      return Int(try db.integer("SELECT count(*) FROM symbols") ?? 0)
    }
    let fault = Once(whenFailing)
    let past = PastPrices(path: path, closes: closes, prices: prices) { symbol, day in
      do throws(HistoryError) {
        return try self.previousClose(of: symbol, before: CivilDate(daysSinceEpoch: day)).map {
          PastPrices.Close(day: $0.date.daysSinceEpoch, price: $0.close, decimals: $0.priceDecimals)
        }
      } catch {
        fault.report(error)
        return nil
      }
    }
    return (past, symbols)
  }

  func close(_ date: Int64, _ price: Int64, _ decimals: Int64, of symbol: Symbol) throws -> PastPrices.Close {
    guard Self.days.contains(date), let decimals = UInt8(exactly: decimals) else { throw damaged("a close of \(symbol)") }
    return PastPrices.Close(day: Int(date), price: Price(raw: price), decimals: decimals)
  }

  /// The days of all times that can be written.
  static var days: ClosedRange<Int64> { -150_000...150_000 }
}

/// Passes on the first of many errors.
private final class Once: Sendable {
  private let report: @Sendable (HistoryError) -> Void
  private let isReported = Guarded(false)

  init(_ report: @escaping @Sendable (HistoryError) -> Void) { self.report = report }

  func report(_ error: HistoryError) {
    let isFirst = isReported.withLock { reported in
      defer { reported = true }
      return !reported
    }
    if isFirst { report(error) }
  }
}
