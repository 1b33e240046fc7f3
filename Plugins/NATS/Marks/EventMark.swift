internal import EventBus
internal import MarketData

/// The header `Stockbus-Event` of a message: the event type's name, and a fingerprint of its declaration.
///
/// The fingerprint is the 64-bit FNV-1a hash, in 16 hexadecimal digits, of the declaration as text. So a reader that was built with other
/// fields detects the difference at once.
struct EventMark: Sendable, Hashable {
  let text: String

  init<E: Event>(_: E.Type) {
    let digits = String(Self.hash(Self.declaration(of: E.self).utf8), radix: 16)
    text = "\(E.eventName) \(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  /// The name of the event type in such a header; nil if it is none.
  static func name(in header: String) -> Substring? {
    let name = header.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber) || $0 == "_" }
    return header.dropFirst(name.count).first == " " && (1...64).contains(name.count) ? name : nil
  }

  /// `name(field:form,…)`, where a form is `symbol`, `decimal`, `time`, `int64`, `uint32`, `text`, `other`, or a choice's values as
  /// `unknown|buy|sell`. Behind a number that keeps its decimals stands their place among the bytes for decimals, as in `price:decimal.0`.
  static func declaration<E: Event>(of _: E.Type) -> String {
    var decimals: [Int] = []
    let fields = E.schema.fields.map { field in
      var text = "\(field.name):\(form(of: field))"
      if let offset = field.decimalsOffset {
        if !decimals.contains(offset) { decimals.append(offset) }
        text += ".\(decimals.firstIndex(of: offset) ?? 0)"
      }
      return text
    }
    return "\(E.eventName)(\(fields.joined(separator: ",")))"
  }

  private static func form<E: Event>(of field: Field<E>) -> String {
    switch field.layout {
    case .symbol: return "symbol"
    case .fixedPoint: return "decimal"
    case .time: return "time"
    case .int64: return "int64"
    case .uint32: return "uint32"
    case .text: return "text"
    case .other:
      guard let type = field.type as? any FieldChoice.Type else { return "other" }
      return values(of: type).joined(separator: "|")
    }
  }

  private static func values<Choice: FieldChoice>(of _: Choice.Type) -> [String] {
    Choice.allCases.sorted { $0.rawValue < $1.rawValue }.map(\.fieldName)
  }

  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }
}
