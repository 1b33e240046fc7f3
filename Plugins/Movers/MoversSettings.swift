package import StockbusPlugin

/// The measure by which movers are ranked.
package enum MoverMeasure: String, Choice {
  /// Gives the gainers and the losers.
  case percent
  /// Gives the most active by units traded.
  case volume
  /// Gives the most active by price times size.
  case turnover
}

/// The reference of a symbol that has no price from before the period.
package enum MoverReference: String, Choice {
  /// None: the symbol is ranked from the next period on.
  case close
  /// The symbol's own first price.
  case firstPrice
}

/// A period of a calendar, or a number of past hours.
package enum MoverSpan: ScalarOption, Hashable, Sendable {
  case session, day, week
  case rolling(Duration)

  package init(option text: String) throws(OptionTextError) {
    switch text {
    case "session": self = .session
    case "day": self = .day
    case "week": self = .week
    default:
      guard text.first?.isNumber == true || text.first == "-" else {
        throw suggestion(for: text, among: ["session", "day", "week"]).map { .hint("did you mean '\($0)'?") } ?? .mismatch
      }
      self = .rolling(try Duration(option: text))
    }
  }

  var kind: MoverPeriod {
    switch self {
    case .session: .session
    case .day: .day
    case .week: .week
    case .rolling: .rolling
    }
  }

  package static var optionType: OptionType {
    OptionType("period", plural: "periods", phrase: "session, day, week or a duration such as 24h")
  }
  package static var optionSample: String { "day" }
  package static var optionSchema: JSONValue { ["type": "string"] }
  package var optionText: String {
    switch self {
    case .session: "session"
    case .day: "day"
    case .week: "week"
    case .rolling(let duration): duration.optionText
    }
  }
}

package struct MoversSettings: Options {
  @Setting("What to rank by: percent gives the gainers and the losers, volume or turnover the most active.", count: 1...2)
  package var by = [MoverMeasure.percent, .volume]
  @Setting("The period of a comparison: session, day, week, or a duration such as 24h for a sliding window.")
  package var period = MoverSpan.day
  @Setting("How many ranks a list has.", in: 1...1000)
  package var top = 20
  @Setting("Symbols below this price are not ranked; by default every price is ranked, even one below zero.")
  package var minPrice: Price?
  @Setting("Symbols of which less was traded in the period are not ranked.", in: Quantity(raw: 0)...)
  package var minVolume: Quantity = 0
  @Setting(
    "The reference of a symbol without a price before the period: close leaves it without one, first_price takes its first price in the period."
  )
  package var reference = MoverReference.close
  @Setting(
    "A larger change between two successive prices that no split explains is marked as a jump, and the symbol is not ranked by per cent.",
    in: Percent(raw: 1)...)
  package var jumpLimit: Percent = 40
  @Setting("A jump after a pause of at least this time is marked as a reused ticker.", in: .zero...)
  package var reusedAfter = Duration.seconds(30 * 86_400)
  @Setting("The number of steps in which a period such as 24h slides. More steps are more precise and need more memory.", in: 1...10_000)
  package var buckets = 60
  @Setting("How long after the end of a period late events still count in it.", in: .zero ... .seconds(60))
  package var wait = Duration.milliseconds(200)

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if Set(by).count < by.count { problems.add("'by' names a measure twice", at: "by") }
    if by.contains(.volume), by.contains(.turnover) {
      problems.add("'by' names volume and turnover, but there is one list of the most active; use two components", at: "by")
    }
    if case .rolling(let duration) = period {
      if duration < .seconds(1) || duration > .seconds(366 * 86_400) {
        problems.add("'period' must be between 1s and 366d, got \(duration.optionText)", at: "period")
      }
    }
  }
}
