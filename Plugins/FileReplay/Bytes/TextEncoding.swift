internal import StockbusPlugin

/// How the text of a file is encoded.
enum TextEncoding: String, Hashable, Sendable, CaseIterable {
  /// UTF-8; UTF-16 if the file begins with the byte-order mark of that.
  case utf8 = "utf-8"
  /// With the lower byte first, unless a byte-order mark says otherwise.
  case utf16 = "utf-16"
  /// Western European; it contains the letters of latin1.
  case windows1252 = "windows-1252"
}

extension TextEncoding: Choice {}

/// Converts the bytes of a file to UTF-8. What stands for no character becomes U+FFFD.
struct Transcoder {
  private let encoding: TextEncoding
  /// True once the first two bytes have been seen, which may be a byte-order mark.
  private var hasBegun = false
  private var isBigEndian = false
  /// Bytes of a character that is not complete.
  private var rest: [UInt8] = []
  private var text: [UInt8] = []
  private var next = 0

  /// The characters of windows-1252 from 0x80 to 0x9f; 0xfffd where there is none.
  private static let special: [UInt16] = [
    0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd,
    0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
  ]

  /// Nil for UTF-8, which needs none.
  init?(_ encoding: TextEncoding) {
    if encoding == .utf8 { return nil }
    self.encoding = encoding
  }

  /// True if `read` has bytes without reading more.
  var isReady: Bool { next < text.count }

  /// Writes up to `capacity` bytes of UTF-8 and returns their number; 0 at the end. `more` reads bytes of the file.
  mutating func read(
    into: UnsafeMutablePointer<UInt8>, capacity: Int, more: (UnsafeMutableBufferPointer<UInt8>) throws(ReplayError) -> Int
  ) throws(ReplayError) -> Int {
    while next == text.count {
      var block = [UInt8](repeating: 0, count: 32 << 10)
      let got = try block.withUnsafeMutableBufferPointer { block in Result { () throws(ReplayError) in try more(block) } }.get()
      if got == 0, rest.isEmpty { return 0 }
      (text, next) = ([], 0)
      decode(rest + block[..<got], isEnd: got == 0)
    }
    let count = min(capacity, text.count - next)
    for i in 0..<count { into[i] = text[next + i] }
    next += count
    return count
  }

  private mutating func decode(_ bytes: [UInt8], isEnd: Bool) {
    rest = []
    if encoding == .windows1252 {
      put(bytes.map { (0x80..<0xa0).contains($0) ? Self.special[Int($0) - 0x80] : UInt16($0) })
      return
    }
    var at = 0
    if !hasBegun, bytes.count >= 2 {
      hasBegun = true
      isBigEndian = bytes[0] == 0xfe && bytes[1] == 0xff
      if isBigEndian || (bytes[0] == 0xff && bytes[1] == 0xfe) { at = 2 }
    }
    var units: [UInt16] = []
    while at + 1 < bytes.count {
      units.append(isBigEndian ? UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) : UInt16(bytes[at + 1]) << 8 | UInt16(bytes[at]))
      at += 2
    }
    rest = Array(bytes[at...])
    if isEnd {
      if !rest.isEmpty { units.append(0xfffd) }
      rest = []
    } else if let last = units.last, last & 0xfc00 == 0xd800 {
      // The first half of a character.
      units.removeLast()
      rest = Array(bytes[(at - 2)...])
    }
    put(units)
  }

  private mutating func put(_ units: [UInt16]) { text += String(decoding: units, as: UTF16.self).utf8 }
}
