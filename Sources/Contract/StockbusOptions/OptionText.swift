internal import MarketData

/// The written form of names and values, for users and in configurations.
enum OptionText {
  /// The name in snake_case: `dropOldest` becomes `drop_oldest`, `maxURLLength` becomes `max_url_length`.
  static func snakeCase(_ name: String) -> String {
    let letters = Array(name)
    var out = ""
    for (i, letter) in letters.enumerated() {
      if letter.isUppercase, i > 0, letters[i - 1] != "_" {
        let startsWord = !letters[i - 1].isUppercase || (i + 1 < letters.count && letters[i + 1].isLowercase)
        if startsWord { out += "_" }
      }
      out += letter.lowercased()
    }
    return out
  }

  /// A text as a user writes it in YAML: plain if that reads as the same text, otherwise between quotation marks; with `$$` for a `$` that
  /// would begin a variable.
  static func scalar(_ text: String) -> String {
    let escaped = escapeVariables(text)
    return isPlain(escaped) ? escaped : JSONValue.quote(escaped)
  }

  private static func escapeVariables(_ text: String) -> String {
    var out = ""
    let characters = Array(text)
    for (i, character) in characters.enumerated() {
      out.append(character)
      if character == "$", i + 1 < characters.count, characters[i + 1] == "{" || characters[i + 1] == "$" { out.append("$") }
    }
    return out
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
    if ["~", "null", "<<", "-", "?", "---", "..."].contains(text) || text.hasPrefix("- ") || text.hasPrefix("? ") { return false }
    if ":,[]{}#&*!|>'\"%@` ".unicodeScalars.contains(first) || last == " " || last == ":" { return false }
    var before: Unicode.Scalar = "x"
    for scalar in text.unicodeScalars {
      switch scalar {
      case ",", "[", "]", "{", "}", "\"", "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}", "\u{feff}": return false
      case " " where before == ":", "#" where before == " ": return false
      default: before = scalar
      }
    }
    return true
  }

  /// Text from outside, made safe for a message; see MarketData's `visible`.
  static func visible(_ text: String, limit: Int = 80) -> String { MarketData.visible(text, limit: limit) }

  /// Wraps the words of `text` into lines of at most `width` characters; a longer word is split.
  static func wrap(_ text: String, width: Int) -> [String] {
    let width = max(1, width)
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count <= width {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while word.count > width {
        lines.append(String(word.prefix(width)))
        word = word.dropFirst(width)
      }
      line = String(word)
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
