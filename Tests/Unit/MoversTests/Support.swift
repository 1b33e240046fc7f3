import EventBus
import MarketData

@testable import Movers

let second: Int64 = 1_000_000_000
let day: Int64 = 86_400 * second
/// Monday, 2013-10-07T00:00:00Z.
let monday = Timestamp(ns: 1_381_104_000 * second)

/// What a board sends.
struct Collected: MoverOutput {
  var events: [Mover] = []
  var filtered = 0

  mutating func send(_ event: Mover) { events.append(event) }
  mutating func filter(_ n: Int) { filtered += n }
}

/// A reader that stores the last event of every symbol and list, without those of rank 0.
struct LastWords {
  private struct Key: Hashable {
    var symbol: Symbol
    var list: MoverList
  }
  private var words: [Key: Mover] = [:]

  mutating func apply(_ event: Mover) { words[Key(symbol: event.symbol, list: event.list)] = event.rank == 0 ? nil : event }

  func list(_ list: MoverList) -> [Mover] { words.values.filter { $0.list == list }.sorted { $0.rank < $1.rank } }

  /// All lists as text.
  var text: [String] { MoverList.allCases.flatMap { self.list($0).map(figures) } }
}

/// Everything that a list shows of a symbol.
func figures(_ event: Mover) -> String {
  "\(event.list.fieldName) \(event.rank) \(event.symbol) \(event.price)/\(event.reference) \(event.percent)% \(event.volume) \(event.turnover) \(event.mark.fieldName)"
}

/// What an event says about ranks.
func move(_ event: Mover) -> String {
  let mark = event.mark == .unmarked ? "" : " \(event.mark.fieldName)"
  return "\(event.list.fieldName) \(event.symbol) \(event.previousRank)→\(event.rank) \(event.percent)%\(mark)"
}

/// A trade at `seconds` after Monday's beginning, received `delay` seconds later; price in hundredths.
func trade(_ symbol: Symbol, _ hundredths: Int64, size: Int64 = 1, at seconds: Int64, delay: Int64 = 0) -> Trade {
  let time = monday.ns + seconds * second
  return Trade(
    symbol: symbol, price: Price(raw: hundredths * 10_000_000), size: Quantity(raw: size * second), time: Timestamp(ns: time),
    received: Timestamp(ns: time + delay * second), priceDecimals: 2)
}

func feed(_ change: (inout MoversSettings) -> Void = { _ in }, _ reference: MarketReference? = nil) -> MoverFeed {
  var settings = MoversSettings()
  change(&settings)
  return MoverFeed(MoverBoard(settings, reference))
}

extension MoverFeed {
  /// The output of these events.
  mutating func take<E: PricedEvent>(_ events: [E]) -> [Mover] {
    var output = Collected()
    process(events.span, into: &output)
    return output.events
  }

  /// The output of time alone, up to `seconds` after Monday's beginning.
  mutating func advance(to seconds: Int64) -> [Mover] {
    var output = Collected()
    advance(to: Timestamp(ns: monday.ns + seconds * second), into: &output)
    return output.events
  }
}
