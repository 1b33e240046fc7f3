package import StockbusPlugin

package struct CombineSettings: Options {
  @Setting("The symbol of the combination; required with 'legs'.")
  package var symbol: Symbol?
  @Setting(
    "The symbols of which it is made, each with its weight, as in { KO: 1, PEP: -0.4 }; nothing is sent before each has a price.",
    in: -1_000_000...1_000_000, count: 1...1000)
  package var legs: Mapping<LegWeight>?
  @Setting("Scales the values so that the first one is this number, as of an index; sizes are then 0.", in: Price(raw: 1)...)
  package var base: Price?
  @Setting(
    "While the last event of a leg is older than this, nothing is sent; with 'best', a quote older than this is left out.",
    in: .milliseconds(1)...)
  package var stale: Duration?
  @Setting("Sends, for each symbol, the highest bid and the lowest ask among the inputs, each of which is a venue.")
  package var best = false

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    guard let legs else {
      if !best { return problems.add("'legs' or 'best: true' is needed") }
      if symbol != nil { problems.add("'symbol' is for 'legs'; with 'best' each symbol keeps its name", at: "symbol") }
      if base != nil { problems.add("'base' is for 'legs'; with 'best' there is nothing to scale", at: "base") }
      return
    }
    if best { return problems.add("'legs' and 'best' exclude each other: use two components", at: "best") }
    guard let symbol else { return problems.add("'symbol' is needed with 'legs': the name of the combination", at: "legs") }
    if legs[symbol.description] != nil {
      problems.add("'symbol': \(symbol) is also a leg; the combination needs a name of its own", at: "symbol")
    }
  }

  /// What is wrong with the names of the legs.
  var legFaults: [(option: String, message: String)] {
    (legs?.entries ?? []).compactMap { entry in
      Symbol.fault(in: entry.name).map { ("legs.\(entry.name)", "'legs': \(shown(entry.name)) is no symbol: \($0)") }
    }
  }

  /// The nanoseconds after which something is stale; nil if nothing is.
  var staleAfter: Int64? { stale?.wholeNanoseconds }
}

/// What a price is multiplied by: billionths, as in a price.
package struct LegWeight: FixedPoint, ScalarOption {
  package var raw: Int64

  package init(raw: Int64) { self.raw = raw }

  package init(option text: String) throws(OptionTextError) {
    raw = try Quantity(option: text).raw
    if raw == 0 { throw .because("a leg of weight 0 would have no effect") }
  }

  package static func < (a: LegWeight, b: LegWeight) -> Bool { a.raw < b.raw }

  package static var optionType: OptionType { OptionType("weight", plural: "weights", phrase: "a weight such as 1 or -0.4") }
  package static var optionSample: String { "1" }
}
