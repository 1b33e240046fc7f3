/// The rules for subjects: tokens between dots, none of them empty, without spaces and control characters.
package enum NATSSubject {
  /// Why a text is not a subject; nil if it is one. Only a subject to subscribe to may have the wildcards `*` and `>`.
  package static func fault(_ text: String, wildcards: Bool) -> String? {
    if text.isEmpty { return "is empty" }
    if text.utf8.count > NATSLimits.subject { return "has \(text.utf8.count) bytes; at most \(NATSLimits.subject) are allowed" }
    if text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) { return "contains a space or a control character" }
    let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
    if tokens.contains("") { return "has an empty part" }
    for (place, token) in tokens.enumerated() {
      if token == ">", wildcards, place == tokens.count - 1 { continue }
      if token == "*", wildcards { continue }
      if token.contains("*") || token.contains(">") {
        return wildcards ? "has a wildcard that is not a part by itself, or > before the end" : "has a wildcard"
      }
    }
    return nil
  }

  /// True if every subject that matches `pattern` matches `wider` too.
  package static func covers(_ wider: String, _ pattern: String) -> Bool {
    let (wide, narrow) = (wider.split(separator: "."), pattern.split(separator: "."))
    for (place, token) in wide.enumerated() {
      if token == ">" { return narrow.count > place }
      guard place < narrow.count, narrow[place] != ">" else { return false }
      if token != "*", token != narrow[place] { return false }
    }
    return wide.count == narrow.count
  }

  /// True if some subject is matched by both patterns.
  package static func meet(_ first: String, _ second: String) -> Bool {
    let (a, b) = (first.split(separator: "."), second.split(separator: "."))
    for place in 0..<max(a.count, b.count) {
      guard place < a.count, place < b.count else { return false }
      if a[place] == ">" || b[place] == ">" { return true }
      if a[place] != b[place], a[place] != "*", b[place] != "*" { return false }
    }
    return true
  }

  /// A text as one token: bytes that a token cannot contain are written as `%` with two digits, and so is `%` itself.
  package static func token(_ text: String) -> String {
    let needsNothing = text.utf8.allSatisfy { isPlain($0) }
    if needsNothing, !text.isEmpty { return text }
    var out = ""
    for byte in text.utf8 {
      if isPlain(byte) { out.unicodeScalars.append(Unicode.Scalar(byte)) } else { out += "%" + hexadecimal(byte) }
    }
    return out.isEmpty ? "%" : out
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 32 && byte < 127 && ![UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: ">"), UInt8(ascii: "%")].contains(byte)
  }

  private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
}
