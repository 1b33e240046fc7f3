import StockbusPlugin

/// `'text'` for a message: on one line whatever it holds, at most `limit` characters.
func shown(_ text: String, limit: Int = 60) -> String {
  var out = "'"
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == limit - 3, text.unicodeScalars.count > limit {
      out += "…"
      break
    }
    switch scalar {
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case "\r": out += "\\r"
    case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || SourceText.isBreak(scalar): out += name(of: scalar)
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "'"
}

/// `U+0007`.
func name(of scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

extension ConfigNode {
  /// What it is, for a message of one line: `'text'`, `a list`, `a mapping`, `nothing`.
  var shownKind: String {
    guard case .scalar(let text) = value, !isNull else { return kind }
    return shown(text)
  }
}
