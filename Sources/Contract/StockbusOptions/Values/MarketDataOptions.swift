internal import EventBus
public import MarketData

extension Price: ScalarOption {
  public init(option text: String) throws(OptionTextError) { self = try .init(exactly: text) }
  public static var optionType: OptionType { OptionType("price", plural: "prices", phrase: "a price such as 189.25") }
  public static var optionSample: String { "189.25" }
}

extension Quantity: ScalarOption {
  public init(option text: String) throws(OptionTextError) { self = try .init(exactly: text) }
  public static var optionType: OptionType { OptionType("quantity", plural: "quantities", phrase: "a quantity such as 100") }
  public static var optionSample: String { "100" }
}

extension Percent: ScalarOption {
  /// Accepts a text with or without the sign: `0.5%` and `0.5` are the same.
  public init(option text: String) throws(OptionTextError) {
    var number = text[...]
    if number.last == "%" { number = number.dropLast() }
    if number.last == " " { number = number.dropLast() }
    self = try .init(exactly: String(number), written: text, for: .percentage)
  }
  public static var optionType: OptionType { OptionType("percentage", plural: "percentages", phrase: "a percentage such as 0.5%") }
  public static var optionSample: String { "0.5%" }
  public static var optionSchema: JSONValue { OptionSchema.text(exactNumber + " ?%?", or: ["number"]) }
  public var optionText: String { "\(self)%" }
  public var optionJSON: JSONValue { .string(optionText) }
}

extension FixedPoint {
  /// `written` is the whole text with the unit, for the hint.
  fileprivate init(exactly text: String, written: String? = nil, for use: NumberText.Use = .amount) throws(OptionTextError) {
    do throws(TextError) { try self.init(text) } catch {
      switch error.code {
      case .outOfRange, .tooManyDecimals: throw .because(error.reason)
      default: throw NumberText.advice(written ?? text, for: use).map(OptionTextError.hint) ?? .mismatch
      }
    }
  }
}

private let exactNumber = #"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"#

extension ScalarOption where Self: FixedPoint {
  public static var optionSchema: JSONValue { OptionSchema.text(exactNumber, or: ["number"]) }
  public var optionText: String { description }
  public var optionJSON: JSONValue { .number(description) }
}

extension Symbol: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    do throws(TextError) { try self.init(text) } catch { throw .because(error.reason) }
  }
  public static var optionType: OptionType { OptionType("symbol", plural: "symbols", phrase: "a symbol") }
  public static var optionSample: String { "AAPL" }
  // A symbol such as 0700 or TRUE looks like a number or a boolean to YAML.
  public static var optionSchema: JSONValue { ["type": ["string", "number", "boolean"]] }
  public var optionText: String { OptionText.scalar(description) }
  public var optionJSON: JSONValue { .string(description) }
}

extension Timestamp: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    do throws(TextError) { try self.init(iso8601: text) } catch {
      if error.code == .outOfRange || error.code == .tooManyDecimals { throw .because(error.reason) }
      for ending in ["Z", "T00:00:00Z"] where (try? Timestamp(iso8601: text + ending)) != nil {
        throw .hint("write \(ending == "Z" ? "the" : "a time and a") zone, such as \(text)\(ending)")
      }
      throw .mismatch
    }
  }
  public static var optionType: OptionType { OptionType("time", plural: "times", phrase: "a time such as \(optionSample)") }
  public static var optionSample: String { "2013-10-08T13:30:00Z" }
  public static var optionSchema: JSONValue {
    OptionSchema.text(#"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d(:?\d\d)?)"#)
  }
  public var optionText: String { description }
}

extension CivilDate: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    var copy = text
    let date: CivilDate? = copy.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      guard let date = try? reader.date(), reader.isAtEnd else { return nil }
      return date
    }
    guard let date else { throw .mismatch }
    self = date
  }
  public static var optionType: OptionType { OptionType("date", plural: "dates", phrase: "a date such as 2013-10-08") }
  public static var optionSample: String { "2013-10-08" }
  public static var optionSchema: JSONValue { ["type": "string"] }
  public var optionText: String {
    var out = ByteWriter(capacity: 16)
    out.put(digits: year, width: 4)
    out.put(45)
    out.put(digits: month, width: 2)
    out.put(45)
    out.put(digits: day, width: 2)
    return out.string
  }
}

extension BarLength: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    guard let length = BarLength(text), length != .unknown else {
      if text.first?.isNumber != true { throw Self.meant(by: text).map { .hint("write \($0)") } ?? .mismatch }
      if let rewritten = Duration.rewritten(text), BarLength(rewritten) != nil { throw .hint("write \(rewritten)") }
      throw .because("a bar length such as 1m, 100t or 5000v is a time (s, m, h, d, w), a number of trades (t) or a volume (v)")
    }
    self = length
  }
  /// The length that a word such as `daily` stands for, also if the word is misspelt; nil if none is likely.
  private static func meant(by text: String) -> String? {
    let words = [
      "second": "1s", "minute": "1m", "hour": "1h", "hourly": "1h", "day": "1d", "daily": "1d", "week": "1w", "weekly": "1w",
    ]
    let word = text.lowercased()
    return words[word] ?? suggestion(for: word, among: words.keys.sorted()).flatMap { words[$0] }
  }
  public static var optionType: OptionType {
    OptionType("bar length", plural: "bar lengths", phrase: "a bar length such as 1m, 100t or 5000v")
  }
  public static var optionSample: String { "1m" }
  public static var optionSchema: JSONValue { OptionSchema.text(#"[0-9]+(\.[0-9]+)?(w|d|h|m|s|ms|us|ns|t|v)"#) }
  public var optionText: String { description }
  public var optionJSON: JSONValue { .string(description) }
}

extension TradeCondition: ScalarOption {
  private static var words: [String] { allCases.map(\.fieldName) }

  public init(option text: String) throws(OptionTextError) {
    guard let condition = Self.allCases.first(where: { $0.fieldName == text }) else {
      throw suggestion(for: text, among: Self.words).map { .hint("did you mean '\($0)'?") } ?? .mismatch
    }
    self = condition
  }
  public static var optionType: OptionType {
    OptionType("sale condition", plural: "sale conditions", phrase: "one of \(words.joined(separator: ", "))")
  }
  public static var optionSample: String { "odd_lot" }
  public static var optionSchema: JSONValue { OptionSchema.words(words) }
  public var optionText: String { fieldName }
}
