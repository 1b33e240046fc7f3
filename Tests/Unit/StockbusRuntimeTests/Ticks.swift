import EventBus
import MarketData

/// A numbered event.
struct Tick: SymbolEvent, Hashable {
  var symbol: Symbol
  var number: Int64
  var time: Timestamp

  init(_ number: Int64, symbol: Symbol = "A") {
    self.symbol = symbol
    self.number = number
    time = Timestamp(ns: 0)
  }

  static let schema = EventSchema<Tick>(
    "tick", "A number.", key: \.symbol, time: \.time, example: Tick(1),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("number", \.number, "The number."), .init("time", \.time, "The time."),
    ])
}

/// Another numbered event, without a symbol.
struct Tock: Event, Hashable {
  var number: Int64
  var time = Timestamp(ns: 0)

  init(_ number: Int64) { self.number = number }

  static let schema = EventSchema<Tock>(
    "tock", "Another number.", time: \.time, example: Tock(1),
    fields: [.init("number", \.number, "The number."), .init("time", \.time, "The time.")])
}

struct Poison: Error, CustomStringConvertible {
  let number: Int64
  var description: String { "\(number) is poison" }
}

struct Broken: Error, CustomStringConvertible {
  let description: String
}
