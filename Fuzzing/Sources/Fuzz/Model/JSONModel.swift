/// A slow and obvious JSON parser after RFC 8259. Its result is in a canonical form.
struct JSONModel {
  private let bytes: [UInt8]
  private var at = 0
  private let depthLimit: Int

  private struct Refusal: Error {}

  private init(_ bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// The value in canonical form: texts as the numbers of their characters, numbers as written; nil if the text is not valid JSON.
  static func read(_ bytes: [UInt8], depthLimit: Int) -> String? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var model = JSONModel(bytes, depthLimit: depthLimit)
    do {
      let value = try model.value(0)
      model.blanks()
      return model.at == bytes.count ? value : nil
    } catch { return nil }
  }

  static func plain(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") + "\""
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func blanks() { while let byte = peek, [32, 9, 10, 13].contains(byte) { at += 1 } }

  private mutating func expect(_ byte: UInt8) throws(Refusal) {
    guard peek == byte else { throw Refusal() }
    at += 1
  }

  private mutating func word(_ word: String) throws(Refusal) -> String {
    for byte in word.utf8 { try expect(byte) }
    return word
  }

  private mutating func value(_ depth: Int) throws(Refusal) -> String {
    blanks()
    switch peek {
    case UInt8(ascii: "{"):
      return try list(depth + 1, 125) { (model) throws(Refusal) in
        model.blanks()
        let key = try model.string()
        model.blanks()
        try model.expect(58)
        return key + ":" + (try model.value(depth + 1))
      }
    case UInt8(ascii: "["): return try list(depth + 1, 93) { (model) throws(Refusal) in try model.value(depth + 1) }
    case 34: return try string()
    case UInt8(ascii: "t"): return try word("true")
    case UInt8(ascii: "f"): return try word("false")
    case UInt8(ascii: "n"): return try word("null")
    default: return try number()
    }
  }

  private mutating func list(
    _ depth: Int, _ end: UInt8, _ item: (inout JSONModel) throws(Refusal) -> String
  ) throws(Refusal) -> String {
    if depth > depthLimit { throw Refusal() }
    let begin = bytes[at]
    at += 1
    var items: [String] = []
    blanks()
    if peek != end {
      while true {
        items.append(try item(&self))
        blanks()
        if peek == end { break }
        try expect(44)
      }
    }
    at += 1
    return text([begin]) + items.joined(separator: ",") + text([end])
  }

  private mutating func digits() throws(Refusal) {
    let start = at
    while let byte = peek, (48...57).contains(byte) { at += 1 }
    if at == start { throw Refusal() }
  }

  private mutating func number() throws(Refusal) -> String {
    let start = at
    if peek == 45 { at += 1 }
    if peek == 48 { at += 1 } else { try digits() }
    if peek == 46 {
      at += 1
      try digits()
    }
    if peek == 101 || peek == 69 {
      at += 1
      if peek == 43 || peek == 45 { at += 1 }
      try digits()
    }
    return "n" + text(bytes[start..<at])
  }

  private mutating func string() throws(Refusal) -> String {
    try expect(34)
    var content: [UInt8] = []
    while let byte = peek, byte != 34 {
      if byte < 32 { throw Refusal() }
      at += 1
      guard byte == 92 else {
        content.append(byte)
        continue
      }
      guard let escape = peek else { throw Refusal() }
      at += 1
      switch escape {
      case 34, 47, 92: content.append(escape)
      case UInt8(ascii: "b"): content.append(8)
      case UInt8(ascii: "f"): content.append(12)
      case UInt8(ascii: "n"): content.append(10)
      case UInt8(ascii: "r"): content.append(13)
      case UInt8(ascii: "t"): content.append(9)
      case UInt8(ascii: "u"):
        var code = try unit()
        if (0xd800..<0xdc00).contains(code) {
          try expect(92)
          try expect(UInt8(ascii: "u"))
          let low = try unit()
          guard (0xdc00..<0xe000).contains(low) else { throw Refusal() }
          code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw Refusal() }
        content += Array(String(scalar).utf8)
      default: throw Refusal()
      }
    }
    try expect(34)
    return Self.plain(text(content))
  }

  private mutating func unit() throws(Refusal) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek,
        let digit = Unicode.Scalar(byte).properties.isASCIIHexDigit ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
      else { throw Refusal() }
      value = value * 16 + UInt32(digit)
      at += 1
    }
    return value
  }
}
