import EventBus
import MarketData
import StockbusExpressions

/// An event with a field of every kind that an expression can read.
struct Reading: SymbolEvent {
  var symbol: Symbol
  var other: Symbol
  var price: Price
  var size: Quantity
  var percent: Percent
  var rank: UInt32
  var count: Int64
  var time: Timestamp
  var received: Timestamp
  var side: Side
  var mood: Mood
  var previous: Mood
  var sole: Sole
  var note: String

  static let schema = EventSchema<Reading>(
    "reading", "For tests.", key: \.symbol, time: \.time,
    example: Reading(
      symbol: "AAPL", other: "NVDA", price: 100, size: 5, percent: 1, rank: 3, count: 7, time: Timestamp(ns: 1_381_239_000_000_000_000),
      received: Timestamp(ns: 1_381_239_000_250_000_000), side: .buy, mood: .calm, previous: .wild, sole: .only, note: "all quiet"),
    fields: [
      .init("symbol", \.symbol, "A symbol."), .init("other", \.other, "Another one."), .init("price", \.price, "A price."),
      .init("size", \.size, "A quantity."), .init("percent", \.percent, "A percentage."), .init("rank", \.rank, "A 32-bit number."),
      .init("count", \.count, "A 64-bit number."), .init("time", \.time, "A time."), .init("received", \.received, "A later time."),
      .init("side", \.side, "A choice."), .init("mood", \.mood, "A choice whose raw values are not its bytes."),
      .init("previous", \.previous, "Another of these."), .init("sole", \.sole, "A choice without room."), .init("note", \.note, "A text."),
    ])
}

/// A type whose raw values differ from the bytes in memory.
enum Mood: UInt8, FieldChoice {
  case wild = 200
  case calm = 7
  case dull = 100

  var fieldName: String {
    switch self {
    case .wild: "wild"
    case .calm: "calm"
    case .dull: "dull"
    }
  }
}

/// A type of size zero.
enum Sole: UInt8, FieldChoice {
  case only
  var fieldName: String { "only" }
}

extension Reading {
  /// The example with some changes.
  static func with(_ change: (inout Reading) -> Void) -> Reading {
    var event = schema.example
    change(&event)
    return event
  }
}

func verdict<E: Event>(_ text: String, _ event: E) throws(ExpressionError) -> Verdict { try Expression<E>(text).verdict(of: event) }

func error<E: Event>(_ text: String, _: E.Type = Trade.self, _ place: ExpressionPlace = .singleEvents) -> ExpressionError? {
  do throws(ExpressionError) {
    _ = try Expression<E>(text, in: place)
    return nil
  } catch { return error }
}
