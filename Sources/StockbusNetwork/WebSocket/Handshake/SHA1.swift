/// SHA-1 (RFC 3174). Good for nothing but the WebSocket handshake, which asks for it to tell servers from parrots, not for secrecy.
func sha1(_ message: [UInt8]) -> [UInt8] {
  var h: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0)
  var padded = message + [0x80]
  padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
  padded += (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(message.count) << 3) >> (56 - 8 * UInt64($0))) }
  var w = [UInt32](repeating: 0, count: 80)
  for block in stride(from: 0, to: padded.count, by: 64) {
    for t in 0..<16 { w[t] = (0..<4).reduce(0) { $0 << 8 | UInt32(padded[block + 4 * t + $1]) } }
    for t in 16..<80 { w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1) }
    var (a, b, c, d, e) = h
    for t in 0..<80 {
      let (f, k): (UInt32, UInt32) =
        switch t {
        case ..<20: (b & c | ~b & d, 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next = rotate(a, 5) &+ f &+ e &+ w[t] &+ k
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
    }
    h = (h.0 &+ a, h.1 &+ b, h.2 &+ c, h.3 &+ d, h.4 &+ e)
  }
  return [h.0, h.1, h.2, h.3, h.4].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
}

private func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x << n | x >> (32 - n) }

/// Base64 with padding (RFC 4648, section 4).
func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let part = bytes[start..<min(start + 3, bytes.count)]
    let word = (0..<3).reduce(0) { $0 << 8 | ($1 < part.count ? Int(part[start + $1]) : 0) }
    for i in 0..<4 { text.append(i <= part.count ? alphabet[word >> (18 - 6 * i) & 63] : "=") }
  }
  return text
}
