internal import StockbusPlugin

/// The address of a page of missed trades, with placeholders.
struct FillTemplate: Sendable {
  enum Value: Hashable, Sendable {
    case symbol(lower: Bool)
    case from, before
    case since(VenueTime)
    case credential(String)
  }
  private enum Piece: Sendable {
    case literal(String)
    case value(Value)
    case unknown(String)
  }
  private let pieces: [Piece]

  init(_ text: String) {
    var pieces: [Piece] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      if rest.first == "{", let end = rest.firstIndex(of: "}") {
        let name = String(rest[..<end].dropFirst())
        pieces.append(Self.value(name).map { .value($0) } ?? .unknown(name))
        rest = rest[rest.index(after: end)...]
      } else {
        let end = rest.dropFirst().firstIndex(of: "{") ?? rest.endIndex
        pieces.append(.literal(String(rest[..<end])))
        rest = rest[end...]
      }
    }
    self.pieces = pieces
  }

  private static func value(_ name: String) -> Value? {
    switch name {
    case "symbol": .symbol(lower: false)
    case "symbol:lower": .symbol(lower: true)
    case "from": .from
    case "before": .before
    case _ where name.hasPrefix("since:"): VenueTime(rawValue: String(name.dropFirst(6))).map { .since($0) }
    case _ where name.hasPrefix("credentials.") && name.count > 12: .credential(String(name.dropFirst(12)))
    default: nil
    }
  }

  private var values: [Value] { pieces.compactMap { if case .value(let value) = $0 { value } else { nil } } }

  var credentials: [String] { Set(values.compactMap { if case .credential(let name) = $0 { name } else { nil } }).sorted() }

  /// Where a page begins; nil unless the address says it in exactly one way.
  var beginning: FillPlan.Beginning? {
    let found = Set(
      values.compactMap { value -> FillPlan.Beginning? in
        switch value {
        case .from: .from
        case .before: .before
        case .since: .since
        case .symbol, .credential: nil
        }
      })
    return found.count == 1 ? found.first : nil
  }

  /// Errors in the address, in words.
  var faults: [String] {
    let names = ["symbol", "from", "before", "since:ns", "since:us", "since:ms", "since:s", "since:iso8601"]
    var faults = pieces.compactMap { piece -> String? in
      guard case .unknown(let text) = piece else { return nil }
      return "unknown placeholder '{\(visible(text, limit: 64))}'\(didYouMean(text, among: names))"
    }
    if beginning == nil { faults.append("it needs either {from}, {before} or {since:ns}") }
    if !values.contains(where: { if case .symbol = $0 { true } else { false } }) { faults.append("it needs {symbol}") }
    return faults
  }

  func text(symbol: String, from: Int64, before: Int64, since: Timestamp, credentials: [String: Secret]) -> String {
    var out = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): out += text
      case .unknown(let text): out += "{\(text)}"
      case .value(let value):
        switch value {
        case .symbol(let isLower): out += Self.escaped(isLower ? symbol.lowercased() : symbol)
        case .from: out += "\(from)"
        case .before: out += "\(before)"
        case .since(let form):
          // Rounded down: a page may begin with trades that are known.
          out += form.unit.map { "\(floorDivided(since.ns, by: Int64($0)))" } ?? Self.escaped("\(since)")
        case .credential(let name): out += Self.escaped(credentials[name]?.revealed ?? "")
        }
      }
    }
    return out
  }

  private func floorDivided(_ value: Int64, by unit: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// All characters except letters, digits, `-`, `.`, `_` and `~` as `%XX` (RFC 3986).
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126: String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
