internal import StockbusPlugin

/// A column of a file of instruments, or a key of an instrument in YAML.
struct InstrumentField: Sendable {
  let name: String
  let sentence: String
  /// The expected value, for messages: `a price such as 0.01`.
  let phrase: String
  let schema: JSONValue
  /// Sets the field from its text.
  let set: @Sendable (inout Instrument, String) throws(OptionTextError) -> Void

  /// All fields except the symbol, which creates the instrument, and the splits, which are a list.
  static let all: [InstrumentField] = [
    text("name", "Its full name, such as Apple Inc.", limit: InstrumentLimits.name) { $0.name = $1 },
    InstrumentField(
      name: "kind", sentence: "The kind of instrument.", phrase: InstrumentKind.phrase, schema: InstrumentKind.schema,
      set: { instrument, text throws(OptionTextError) in instrument.kind = try InstrumentKind(word: text) }),
    text("industry", "Its industry or sector.", limit: InstrumentLimits.text) { $0.industry = $1 },
    text("venue", "The exchange or venue.", limit: InstrumentLimits.text) { $0.venue = $1 },
    amount("tick_size", "The tick size: the step of its prices.", Price.self) { $0.tickSize = $1 },
    amount("lot", "The lot size: the step of its quantities.", Quantity.self) { $0.lot = $1 },
    amount("multiplier", "The value of a price of 1 for a quantity of 1, such as 50 for a future; 1 by default.", Quantity.self) {
      $0.multiplier = $1
    },
    InstrumentField(
      name: "currency", sentence: "The currency of its prices, such as USD.", phrase: "a currency such as USD",
      schema: OptionPattern.text("[A-Za-z0-9]{1,\(InstrumentLimits.currency)}"),
      set: { instrument, text throws(OptionTextError) in
        let isPlain = text.utf8.allSatisfy { ($0 | 32) &- 97 < 26 || $0 &- 48 < 10 }
        guard isPlain, text.utf8.count <= InstrumentLimits.currency else {
          throw .because("at most \(InstrumentLimits.currency) letters and digits")
        }
        instrument.currency = text
      }),
    text("calendar", "The name of its calendar: 24/7, us_equities, or one of 'calendars'.", limit: InstrumentLimits.text) {
      $0.calendar = $1
    },
  ]

  /// All names, in the order of their description.
  static let names = ["symbol"] + all.map(\.name) + ["splits"]
  static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  private static func text(
    _ name: String, _ sentence: String, limit: Int, _ set: @escaping @Sendable (inout Instrument, String) -> Void
  ) -> InstrumentField {
    InstrumentField(
      name: name, sentence: sentence, phrase: "text", schema: ["type": ["string", "number", "boolean"]],
      set: { instrument, text throws(OptionTextError) in
        guard text.utf8.count <= limit else { throw .because("at most \(limit) bytes") }
        guard text.unicodeScalars.allSatisfy({ $0.terminalEffect == .none }) else { throw .because("it holds control characters") }
        set(&instrument, text)
      })
  }

  private static func amount<Amount: FixedPoint & ScalarOption>(
    _ name: String, _ sentence: String, _: Amount.Type, _ set: @escaping @Sendable (inout Instrument, Amount) -> Void
  ) -> InstrumentField {
    InstrumentField(
      name: name, sentence: sentence, phrase: "a number such as 0.01", schema: Amount.optionSchema,
      set: { instrument, text throws(OptionTextError) in
        let value = try Amount(option: text)
        guard value.raw > 0 else { throw .because("it must be more than zero") }
        set(&instrument, value)
      })
  }
}

extension InstrumentKind {
  private static var words: [String] { allCases.map(\.rawValue) }
  static var phrase: String { "one of \(words.joined(separator: ", "))" }
  static var schema: JSONValue { ["anyOf": [["enum": .array(words.map { .string($0) })], ["type": "string", "pattern": "\\$\\{"]]] }

  init(word: String) throws(OptionTextError) {
    if let kind = InstrumentKind(rawValue: word) {
      self = kind
    } else if let near = suggestion(for: word, among: Self.words) {
      throw .hint("did you mean '\(near)'?")
    } else {
      throw .mismatch
    }
  }
}
