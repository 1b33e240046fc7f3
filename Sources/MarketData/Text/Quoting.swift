/// Foreign text for a message: on one line, without control characters and changes of the writing direction, and with at most
/// `limit` of its characters (those of Unicode, as what a reader takes for one may be endless).
public func visible(_ text: String, limit: Int = 60) -> String {
  var out = ""
  let isLong = limit < text.utf8.count && limit < text.unicodeScalars.count
  for scalar in text.unicodeScalars.prefix(isLong ? limit - 3 : limit) {
    switch scalar {
    case "\n": out += "\\n"
    case "\r": out += "\\r"
    case "\t": out += "\\t"
    case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{2028}"..."\u{202e}", "\u{2066}"..."\u{2069}", "\u{feff}":
      out += "\\u{\(String(scalar.value, radix: 16))}"
    default: out.unicodeScalars.append(scalar)
    }
  }
  return isLong ? out + "…" : out
}

/// The same between quotation marks: `'text'`.
public func shown(_ text: String, limit: Int = 60) -> String { "'\(visible(text, limit: limit))'" }
