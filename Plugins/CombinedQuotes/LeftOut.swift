internal import StockbusPlugin

/// Why an event is not followed by a quote.
enum LeftOut: String, CaseIterable {
  case other = "other symbols"
  case unpriced
  case late
  case incomplete
  case withheld
  case unchanged
  case beyond
  case unscaled

  var doc: String {
    switch self {
    case .other: "Events of symbols that are no legs."
    case .unpriced: "Events without a price of the market: trades that do not count for the last price, symbols that have left a ranking."
    case .late: "Events older than the one before them of the same leg, or of the same venue and symbol; they replace nothing."
    case .incomplete: "Events before every leg, or a side of the combination, has a price."
    case .withheld: "Events while a leg is stale."
    case .unchanged: "Events after which the quote is the same as before."
    case .beyond: "Events after which a value does not fit into a price."
    case .unscaled: "Events before the first value above zero, to which 'base' can be applied."
    }
  }
}

/// How many events were left out, by reason, since they were last told.
struct LeftOuts {
  private var counts = [Int](repeating: 0, count: LeftOut.allCases.count)
  private var isEmpty = true

  mutating func add(_ reason: LeftOut) {
    counts[LeftOut.allCases.firstIndex(of: reason) ?? 0] += 1
    isEmpty = false
  }

  mutating func tell(_ context: Context) {
    if isEmpty { return }
    for (place, reason) in LeftOut.allCases.enumerated() where counts[place] > 0 {
      context.counter(reason.rawValue, reason.doc).add(counts[place])
      counts[place] = 0
    }
    isEmpty = true
  }
}
