internal import StockbusPlugin

/// The text of an alert.
struct RuleMessage {
  let rule: Rule
  let firing: RuleBook.Firing

  /// The rule's own message, or the default one: `AAPL crossed above 200: 200.10`, `AAPL rose by 5.20 (5.2%) in 10m: 100.00 → 105.20`.
  var text: String {
    if let own = rule.message { return own.filled(values) }
    guard let condition = rule.condition else { return "\(symbol) meets \(rule.when ?? ""): \(price)" }
    let level = condition.level
    switch condition.kind {
    case .risesBy: return "\(symbol) rose by \(move)\(span): \(path)"
    case .fallsBy: return "\(symbol) fell by \(move)\(span): \(path)"
    case .above, .below, .crossesAbove, .crossesBelow:
      guard rule.reference != nil else { return "\(symbol) \(verb) \(level): \(price)" }
      return "\(symbol)'s change\(span) \(verb) \(level): \(signedChange) (\(signedPercent)), \(path)"
    }
  }

  private var symbol: String { firing.symbol.description }
  private var price: String { format(firing.price) }
  private var path: String { "\(firing.reference.map(format) ?? "") → \(price)" }
  private var span: String { firing.lacksClose && rule.isSinceClose ? " since its first price" : rule.span }

  private var verb: String {
    switch rule.condition?.kind {
    case .above: "is above"
    case .below: "is below"
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
