internal import StockbusCrypto
package import StockbusPlugin
internal import StockbusText

/// A key pair of NATS (https://github.com/nats-io/nkeys): Ed25519, its seed written in base 32 with a checksum.
package struct NKey: Sendable {
  private let key: SigningKey
  private let kind: UInt8

  /// Nil if the text is not a valid seed.
  package init?(seed: Secret) {
    guard let bytes = Self.base32(seed.revealed), bytes.count == 36 else { return nil }
    let sum = UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    guard Self.checksum(bytes[..<34]) == sum else { return nil }
    // The first ten bits: S for a seed, and the kind of its public key.
    guard bytes[0] & 0xf8 == 18 << 3 else { return nil }
    kind = (bytes[0] & 7) << 5 | bytes[1] >> 3
    guard kind == 20 << 3, let key = SigningKey(seed: Array(bytes[2..<34])) else { return nil }
    self.key = key
  }

  /// The public key as text: `U…`.
  var publicText: String {
    var bytes = [kind] + key.publicKey
    let sum = Self.checksum(bytes[...])
    bytes += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    return Self.base32(bytes)
  }

  /// The signature of a challenge, in Base64 for URLs without padding.
  func signature(of nonce: String) -> String? {
    guard let signature = key.signature(of: Array(nonce.utf8)) else { return nil }
    return Base64.encodeForURL(signature)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func base32(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 128 else { return nil }
    var out: [UInt8] = []
    var word: UInt32 = 0
    var bits = 0
    for digit in text.utf8 {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      word = word << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
      }
    }
    return out
  }

  private static func base32(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    var word: UInt32 = 0
    var bits = 0
    for byte in bytes {
      word = word << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        out.append(alphabet[Int(word >> UInt32(bits)) & 31])
      }
    }
    if bits > 0 { out.append(alphabet[Int(word << UInt32(5 - bits)) & 31]) }
    return String(decoding: out, as: UTF8.self)
  }

  /// CRC-16 as in XMODEM.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }
}
