/// Bytes as text (RFC 4648).
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for i in 0..<4 { out.append(i > group.count ? 61 : digits[word >> (18 - 6 * i) & 63]) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Nil if a character does not belong there.
  static func bytes(_ text: String) -> [UInt8]? {
    var (out, word, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for character in text.utf8 {
      if character == 61 { break }
      guard let digit = digits.firstIndex(of: character) else { return nil }
      word = word << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: word >> bits))
      }
    }
    return out
  }
}
