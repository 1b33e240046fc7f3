/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var word: UInt32 = 0
    var held = 0
    for byte in bytes {
      word = word << 8 | UInt32(byte)
      held += 1
      if held == 3 {
        for shift in [18, 12, 6, 0] { out.append(alphabet[Int(word >> UInt32(shift)) & 63]) }
        word = 0
        held = 0
      }
    }
    if held == 1 {
      out += [alphabet[Int(word >> 2) & 63], alphabet[Int(word << 4) & 63], 61, 61]
    } else if held == 2 {
      out += [alphabet[Int(word >> 10) & 63], alphabet[Int(word >> 4) & 63], alphabet[Int(word << 2) & 63], 61]
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// With the letters that addresses and cookies may have, and without padding (RFC 4648, section 5).
  package static func encodeForURL(_ bytes: some Collection<UInt8>) -> String {
    encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes; nil if the text is not valid Base64 with padding.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let padding = digits.reversed().prefix { $0 == 61 }.count
    guard padding <= 2 else { return nil }
    var out: [UInt8] = []
    var word: UInt32 = 0
    for (i, digit) in digits.dropLast(padding).enumerated() {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      word = word << 6 | UInt32(value)
      if i % 4 == 3 {
        out += [UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word)]
        word = 0
      }
    }
    if padding == 1 { out += [UInt8(truncatingIfNeeded: word >> 10), UInt8(truncatingIfNeeded: word >> 2)] }
    if padding == 2 { out.append(UInt8(truncatingIfNeeded: word >> 4)) }
    return out
  }
}
