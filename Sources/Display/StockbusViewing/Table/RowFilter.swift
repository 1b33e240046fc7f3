internal import StockbusExpressions
package import StockbusPlugin

/// The text typed after `/`: either words, at least one of which must be part of a symbol's name, or a condition such as `price > 100 and
/// change < 0`.
package struct RowFilter {
  package let text: String
  private let words: [NamePart]
  private let condition: Expression<ScreenRow>?
  /// What is wrong with the text, or still missing; nil if the text is complete.
  package let problem: Problem?

  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The problem in a few words.
    package let description: String
    /// The first wrong character of the text, as a Unicode scalar counted from 0.
    package let character: Int
  }

  private let readsColumns: Bool

  /// - Parameter columns: those of the market whose rows are filtered.
  package init(_ text: String = "", reading columns: ColumnLayout = ColumnLayout()) {
    self.text = text
    readsColumns = !columns.isEmpty
    guard Self.looksLikeCondition(text, columns) else {
      words = text.split { $0 == " " || $0 == "," }.map { NamePart(String($0)) }
      condition = nil
      problem = nil
      return
    }
    words = []
    do throws(ExpressionError) {
      condition = try Expression(
        text, in: .withoutMemory("a filter of rows sees only the last event of each symbol"), reading: columns)
      problem = nil
    } catch {
      // While a condition is incomplete or wrong, all rows are shown.
      condition = nil
      problem = Problem(description: error.message, character: error.range.lowerBound)
    }
  }

  /// A text with operators or names of fields is a condition; names of symbols do not contain these.
  private static func looksLikeCondition(_ text: String, _ columns: ColumnLayout) -> Bool {
    if text.contains(where: { "<>=!()".contains($0) }) { return true }
    let first = text.lowercased().split(separator: " ").first.map(String.init) ?? ""
    return first == "not" || ScreenRow.schema.fields.contains { $0.name == first } || columns.names.contains { $0.lowercased() == first }
  }

  /// Parts of names, in capitals; empty if it is a condition.
  package var names: [NamePart] { words }

  package var isEmpty: Bool { words.isEmpty && condition == nil }

  package func matches(_ at: Int, of market: Market) -> Bool {
    let row = market.rows[at]
    if let condition {
      if readsColumns, let beside = market.beside { return condition.matches(ScreenRow(row), row: beside.row(at)) }
      return condition.matches(ScreenRow(row))
    }
    if words.isEmpty { return true }
    return words.contains { $0.isIn(row.symbol) }
  }
}

/// A row of the table with the names that a condition may use.
package struct ScreenRow: SymbolEvent {
  package var symbol: Symbol
  package var price: Price
  package var change: Price
  package var percent: Percent
  package var open: Price
  package var high: Price
  package var low: Price
  package var volume: Quantity
  package var bid: Price
  package var ask: Price
  package var spread: Price
  package var rank: UInt32
  package var updates: Int64
  package var time: Timestamp

  package init(_ row: Row) {
    symbol = row.symbol
    price = row.price
    change = row.change
    percent = row.percent
    open = row.reference
    high = row.high
    low = row.low
    volume = row.volume
    bid = row.bid
    ask = row.ask
    spread = row.spread ?? Price(raw: 0)
    rank = UInt32(max(0, row.rank))
    updates = Int64(row.updates)
    time = row.time
  }

  package static let schema = EventSchema<ScreenRow>(
    "row", "A row of the viewer's table.", key: \.symbol, time: \.time,
    example: ScreenRow(Row("AAPL", price: Price(raw: 189_250_000_000), decimals: 2, time: Timestamp(ns: 1_381_239_000_012_000_000))),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("price", \.price, "The last price."),
      .init("change", \.change, "Price minus the reference price."), .init("percent", \.percent, "The change in per cent."),
      .init("open", \.open, "The reference price of the change."), .init("high", \.high, "The highest price seen."),
      .init("low", \.low, "The lowest price seen."), .init("volume", \.volume, "Units traded."),
      .init("bid", \.bid, "Highest price a buyer offers."), .init("ask", \.ask, "Lowest price a seller asks."),
      .init("spread", \.spread, "Ask minus bid."), .init("rank", \.rank, "The rank in the feed."),
      .init("updates", \.updates, "The number of prices received."), .init("time", \.time, "The venue's time of the last price."),
    ])
}
