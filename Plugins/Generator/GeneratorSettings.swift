package import StockbusPlugin

/// How prices change.
package enum PriceModel: String, Choice {
  /// Up or down by at most `volatility`, from the last price.
  case randomWalk = "random_walk"
  /// A new random price between `lowest` and `highest` each time.
  case uniform
  /// Up or down by exactly `increment`.
  case step
}

package struct GeneratorSettings: Options {
  @Setting("The symbols: a list of names, or how many (well-known US tickers first, then S00026 and so on).", count: 1...1_000_000)
  package var symbols: [Symbol] = ["25"]
  @Setting("Time between two rounds of all symbols.", in: .milliseconds(1) ... .seconds(86_400))
  package var interval = Duration.seconds(2)
  @Setting("Trades a second, or max for as fast as the bus takes them; instead of an interval.")
  package var rate: Rate?
  @Setting("Ends after this many trades; by default never.", in: 1...)
  package var count: Int?
  @Setting("How prices move.")
  package var model = PriceModel.randomWalk
  @Setting("The lowest first price; with the uniform model, the lowest of all prices.", in: Price(raw: 1)...SimulatedMarket.highest)
  package var lowest: Price = 50
  @Setting("The highest first price; with the uniform model, the highest of all prices.", in: Price(raw: 1)...SimulatedMarket.highest)
  package var highest: Price = 500
  @Setting("The largest step of a random walk.", in: Percent(raw: 1)...Percent(raw: 50_000_000_000))
  package var volatility = Percent(raw: 500_000_000)
  @Setting("The step of the step model.", in: Price(raw: 1)...SimulatedMarket.highest)
  package var increment: Price = 1
  @Setting("The smallest price step; prices are multiples of it.", in: Price(raw: 1)...Price(raw: 1_000_000_000_000))
  package var tick = Price(raw: 10_000_000)
  @Setting(
    "The seed of the random numbers, which makes the run reproducible; by default it follows from the run's seed and the component's name.")
  package var seed: Int?
  @Setting("The time of the first event; later times follow by the interval (or the rate), not by the clock.")
  package var start: Timestamp?
  @Setting(
    "Begins with the trades of so long before the start, at once, so that charts and lists are filled; only with an interval.",
    in: .zero ... .seconds(31 * 86_400))
  package var past = Duration.zero

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if problems.isGiven("rate"), problems.isGiven("interval") { problems.add("either 'interval' or 'rate', not both", at: "interval") }
    if past > .zero, rate != nil { problems.add("'past' goes with 'interval', not with 'rate'", at: "past") }
    if past > .zero, start != nil { problems.add("either 'past' or 'start', not both", at: "past") }
    if lowest > highest { problems.add("'lowest' must not be above 'highest'", at: "lowest") }
    if tick > lowest {
      problems.add("'tick' must not be above 'lowest'", at: "tick")
    } else if highest >= lowest, highestTicks < lowestTicks {
      problems.add("no multiple of 'tick' lies between 'lowest' and 'highest'", at: "tick")
    }
    if model == .step, increment.raw % tick.raw != 0 { problems.add("'increment' must be a multiple of 'tick'", at: "increment") }
    if symbols.count == 1, let count = Int(symbols[0].description), !(1...1_000_000).contains(count) {
      problems.add("'symbols' must be between 1 and 1000000, got \(count)", at: "symbols")
    }
    if Set(symbols).count != symbols.count { problems.add("'symbols' names a symbol twice", at: "symbols") }
  }

  /// The first and the last price, in ticks.
  var lowestTicks: Int64 { (lowest.raw + tick.raw - 1) / tick.raw }
  var highestTicks: Int64 { highest.raw / tick.raw }
}
