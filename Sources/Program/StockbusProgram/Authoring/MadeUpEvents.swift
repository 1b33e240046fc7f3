import EventBus
import MarketData

/// Made-up events for trying a plugin: of many symbols, with prices that rise, fall and jump, sizes from small to large, all sides and
/// kinds, quotes that cross, and two days.
enum MadeUpEvents {
  static let count = 2_000
  private static let symbols = ["AAPL", "MSFT", "BRK.B", "BTC-USD", "EUR/USD"] + (1...35).map { "S\($0)" }
  private static let sizes = ["100", "1", "0.5", "499", "500", "1000", "10000", "1000000", "0.00000001"]
  /// 2024-01-02T14:30:00Z in seconds.
  private static let start = 1_704_205_800

  /// In the order of their receipt times; the same events each time.
  static func of<E: Event>(_: E.Type) -> [E] { (0..<count).compactMap { number -> E? in event(number) } }

  private static func event<E: Event>(_ number: Int) -> E? {
    var out = ByteWriter()
    var example = E.schema.example
    withUnsafePointer(to: &example) { base in
      for (place, field) in E.schema.fields.enumerated() {
        out.append(place == 0 ? "{" : ",")
        out.append("\"\(field.name)\":")
        if field.kind.isQuoted { out.append("\"") }
        if let value = value(field.name, field.kind, field.type, number) {
          out.append(value)
        } else {
          field.writeText(UnsafeRawPointer(base) + field.offset, to: &out)
        }
        if field.kind.isQuoted { out.append("\"") }
      }
    }
    out.append("}")
    return out.withBytes { bytes -> E? in
      var text = ByteReader(bytes)
      return try? E.schema.decodeJSON(&text)
    }
  }

  /// A field's value in JSON, without quotation marks; nil to keep the example's value.
  private static func value(_ name: String, _ kind: FieldKind, _ type: any FieldValue.Type, _ number: Int) -> String? {
    switch kind {
    case .symbol: return name == "symbol" ? symbols[number * 7 % symbols.count] : nil
    // Halfway the next day begins.
    case .time: return String((start + number * 15 + (number < count / 2 ? 0 : 86_400)) * 1_000_000_000)
    case .integer: return type is any FixedWidthInteger.Type ? String(1 + number % 50) : nil
    case .choice:
      guard let choice = type as? any FieldChoice.Type else { return nil }
      let words = Self.words(of: choice)
      // Most trades are regular ones.
      return words[name == "condition" && number % 20 != 7 ? 0 : number / 3 % words.count]
    case .decimal:
      if type == Quantity.self { return sizes[number / 2 % sizes.count] }
      if type == Percent.self { return "\(wave(number)).25" }
      return type == Price.self ? price(name, number) : nil
    case .text: return nil
    }
  }

  private static func words<C: FieldChoice>(of _: C.Type) -> [String] { C.allCases.map(\.fieldName) }

  /// Goes from -60 to 60 and back.
  private static func wave(_ number: Int) -> Int {
    let phase = (number / symbols.count + number % 13) % 80
    return (phase < 40 ? phase : 80 - phase) * 3 - 60
  }

  private static func price(_ name: String, _ number: Int) -> String {
    let base = 2_000 + 500 * (number * 7 % symbols.count)
    var cents = base + base * wave(number) / 100
    if number % 97 == 0 { cents *= 3 }
    let isCrossed = number % 13 == 0
    let distance =
      switch name {
      case "high": 7
      case "low": -7
      case "open": number % 2 == 0 ? -3 : 3
      case "close": number % 2 == 0 ? 3 : -3
      case "bid": isCrossed ? 2 : -2
      case "ask": isCrossed ? -2 : 2
      default: 0
      }
    let price = max(1, cents + distance)
    return "\(price / 100).\(price % 100 < 10 ? "0" : "")\(price % 100)"
  }
}
