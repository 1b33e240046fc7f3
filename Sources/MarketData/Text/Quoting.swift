/// Foreign text for a message: on one line, without control characters and changes of the writing direction, and with at most
/// `limit` of its characters (those of Unicode, as what a reader takes for one may be endless).
public func visible(_ text: String, limit: Int = 60) -> String {
  var out = ""
  let isLong = limit < text.utf8.count && limit < text.unicodeScalars.count
  for scalar in text.unicodeScalars.prefix(isLong ? limit - 3 : limit) {
    if scalar.terminalEffect == .none { out.unicodeScalars.append(scalar) } else { out += scalar.escaped }
  }
  return isLong ? out + "…" : out
}

/// The same between quotation marks: `'text'`.
public func shown(_ text: String, limit: Int = 60) -> String { "'\(visible(text, limit: limit))'" }
