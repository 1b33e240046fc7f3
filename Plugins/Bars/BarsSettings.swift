package import StockbusInstruments
package import StockbusPlugin

/// Which price of a quote a bar is made of.
package enum QuotePrice: String, Choice {
  case mid, bid, ask
}

package struct BarsSettings: Options {
  @Setting(
    "The lengths of the bars, one or several: a time from 1s to 1d, or 1w; a number of trades such as 100t; a volume such as 5000v.",
    count: 1...16)
  package var lengths: [BarLength] = [.time(60_000_000_000)]
  @Setting("How long a bar waits for late trades after its end.", in: .zero ... .seconds(3600))
  package var wait = Duration.milliseconds(200)
  @Setting(
    "How long after that a late trade still sends its bar again, with the next revision; later trades become dead letters.",
    in: .zero ... .seconds(3600))
  package var late = Duration.seconds(60)
  @Setting("Which sessions of instruments with a calendar count: all (pre, regular, post), or regular ones only.")
  package var sessions = CountedSessions.all
  @Setting("If nothing was traded in a period, sends a bar with the last close and a volume of 0.")
  package var fill = false
  @Setting("How many bars in a row are filled in this way; then no bar is sent until the symbol trades again.", in: 1...10_000)
  package var fillLimit = 400
  @Setting("Which price of quotes counts: mid (the default), bid or ask.")
  package var price: QuotePrice?

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    for (i, length) in lengths.enumerated() {
      if lengths.firstIndex(of: length) != i { problems.add("'lengths': \(length) is given twice", at: "lengths", item: i) }
      guard let nanoseconds = length.nanoseconds else { continue }
      if nanoseconds < 1_000_000_000 { problems.add("'lengths': the shortest time is 1s, got \(length)", at: "lengths", item: i) }
      if nanoseconds > BarLength.day.raw, length != .week {
        problems.add("'lengths': the only time longer than a day is a week, 1w, got \(length)", at: "lengths", item: i)
      }
    }
  }

  func rules(keepsComponents: Bool) -> BarRules {
    BarRules(
      lengths: lengths, wait: wait.wholeNanoseconds, late: late.wholeNanoseconds, fills: fill ? UInt16(clamping: fillLimit) : 0,
      keepsComponents: keepsComponents)
  }
}
