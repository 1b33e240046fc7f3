internal import StockbusPlugin

/// The text of an alert.
struct RuleMessage {
  let rule: Rule
  let firing: RuleBook.Firing

  /// The rule's own message, or the default one: `AAPL crossed above 200: 200.10`, `AAPL rose by 5.20 (5.2%) in 10m: 100.00 → 105.20`.
  var text: String {
    switch firing.kind {
    case .fires: break
    case .ends, .endsWithRule: return "over: \(rule.message.map { $0.filled(values) } ?? end)"
    }
    if let own = rule.message { return own.filled(values) }
    if rule.test.silence > 0 {
      let past = firing.hasPrice ? "its last price was \(price)" : "it has not come yet"
      return "\(symbol) has been silent for \(Duration.nanoseconds(rule.test.silence).optionText); \(past)"
    }
    guard let condition = rule.condition else { return "\(symbol) meets \(rule.when ?? "")\(held): \(price)" }
    let level = condition.level
    switch condition.kind {
    case .risesBy: return "\(symbol) rose by \(move)\(span)\(held): \(path)"
    case .fallsBy: return "\(symbol) fell by \(move)\(span)\(held): \(path)"
    case .above, .below, .crossesAbove, .crossesBelow:
      guard rule.reference != nil else { return "\(symbol) \(verb) \(level)\(held): \(price)" }
      return "\(symbol)'s change\(span) \(verb) \(level)\(held): \(signedChange) (\(signedPercent)), \(path)"
    }
  }

  private var end: String {
    if firing.kind == .endsWithRule { return "\(symbol), because the rule has ended" }
    if rule.test.silence > 0 { return "\(symbol) is heard again: \(price)" }
    guard let condition = rule.condition else { return "\(symbol) no longer meets \(rule.when ?? ""): \(price)" }
    let what =
      switch condition.kind {
      case .above, .crossesAbove: "above"
      case .below, .crossesBelow: "below"
      case .risesBy: "up by"
      case .fallsBy: "down by"
      }
    let subject = rule.reference == nil || condition.isMove ? symbol : "\(symbol)'s change\(span)"
    return "\(subject) is no longer \(what) \(condition.level): \(price)"
  }

  private var symbol: String { firing.symbol.description }
  private var price: String { format(firing.price) }
  private var path: String { "\(firing.reference.map(format) ?? "") → \(price)" }
  private var span: String { firing.lacksClose && rule.isSinceClose ? " since its first price" : rule.span }

  /// ` for 3s`; empty if the condition fires at once.
  private var held: String { rule.test.hold > 0 ? " for \(Duration.nanoseconds(rule.test.hold).optionText)" : "" }

  private var verb: String {
    switch rule.condition?.kind {
    case .above: rule.test.hold > 0 ? "has been above" : "is above"
    case .below: rule.test.hold > 0 ? "has been below" : "is below"
    case .crossesAbove: "crossed above"
    case .crossesBelow: "crossed below"
    case .risesBy: "rose by"
    case .fallsBy: "fell by"
    case nil: "meets"
    }
  }

  /// Price minus reference, or the nearest value that fits.
  private var change: Price? {
    firing.reference.map { Price(raw: Int64(clamping: Int128(firing.price.raw) - Int128($0.raw))) }
  }
  private var percent: Percent? { firing.reference.flatMap { Percent.change(from: $0, to: firing.price) } }

  private var move: String {
    let amount = change.map { format(Price(raw: Int64(clamping: $0.raw.magnitude))) } ?? ""
    return amount + (percent.map { " (\(Percent(raw: Int64(clamping: $0.raw.magnitude)).rounded(to: 2))%)" } ?? "")
  }
  private var signedChange: String { change.map { ($0.raw > 0 ? "+" : "") + format($0) } ?? "" }
  private var signedPercent: String { percent.map { ($0.raw > 0 ? "+" : "") + $0.rounded(to: 2) + "%" } ?? "no per cent" }

  private func format(_ price: Price) -> String { price.formatted(decimals: Int(firing.decimals)) }

  private var values: [String: String] {
    [
      "rule": rule.name, "symbol": symbol, "price": price, "time": firing.time.description,
      "threshold": rule.condition.map { "\($0.level)" } ?? "",
      "reference": firing.reference.map(format) ?? "", "change": signedChange, "percent": percent == nil ? "" : signedPercent,
    ]
  }
}
