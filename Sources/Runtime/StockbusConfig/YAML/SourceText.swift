import StockbusPlugin

/// The characters of one file, checked to be valid in YAML, with the beginning of every line.
///
/// A character is a Unicode scalar; columns count these rather than bytes, as libyaml does. Lines end as in libyaml: at a line feed, a
/// carriage return or both together, and at U+0085, U+2028 and U+2029.
struct SourceText: Sendable {
  let file: String
  /// The text without a byte order mark.
  let bytes: [UInt8]
  private(set) var scalars: [Unicode.Scalar] = []
  /// The index in `scalars` at which each line begins; never empty.
  private(set) var lineStarts = [0]

  /// Reads `input`. Throws at the first place that is not UTF-8 or has a character that YAML forbids.
  init(_ input: [UInt8], file: String) throws(Problem) {
    self.file = file
    if input.starts(with: [0xFF, 0xFE]) || input.starts(with: [0xFE, 0xFF]) {
      throw Problem("the file is UTF-16; save it as UTF-8", at: ConfigNode.Mark(file: file, line: 1, column: 1))
    }
    let bom = input.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    bytes = bom == 0 ? input : Array(input.dropFirst(bom))
    scalars.reserveCapacity(bytes.count)
    var offset = 0
    while offset < bytes.count {
      // The common case.
      if (0x20...0x7E).contains(bytes[offset]) {
        scalars.append(Unicode.Scalar(bytes[offset]))
        offset += 1
        continue
      }
      guard let (scalar, width) = Self.decode(bytes, at: offset) else {
        let byte = String(bytes[offset], radix: 16, uppercase: true)
        throw Problem("not UTF-8: byte 0x\(byte), number \(offset + bom + 1) of the file; save the file as UTF-8", at: end)
      }
      guard Self.isAllowed(scalar) else { throw Problem("the control character \(name(of: scalar)) is not allowed", at: end) }
      offset += width
      scalars.append(scalar)
      // A carriage return ends its line only if no line feed follows; otherwise the line feed does.
      if Self.isBreak(scalar), !(scalar == "\r" && offset < bytes.count && bytes[offset] == 0x0A) { lineStarts.append(scalars.count) }
    }
  }

  /// The place after the last character.
  var end: ConfigNode.Mark {
    ConfigNode.Mark(file: file, line: lineStarts.count, column: scalars.count - lineStarts[lineStarts.count - 1] + 1)
  }

  /// The place at `line` and `column`, clamped to the text.
  func mark(line: Int, column: Int) -> ConfigNode.Mark {
    // libyaml puts the end of the text on a line of its own, even if the last line has no line end.
    if line > lineStarts.count { return end }
    let line = max(line, 1)
    let next = line < lineStarts.count ? lineStarts[line] : scalars.count + 1
    return ConfigNode.Mark(file: file, line: line, column: min(max(column, 1), max(1, next - lineStarts[line - 1])))
  }

  /// The index in `scalars` of a place, which is clamped to the text.
  func index(of mark: ConfigNode.Mark) -> Int {
    let inside = self.mark(line: mark.line, column: mark.column)
    return lineStarts[inside.line - 1] + inside.column - 1
  }

  /// The character at a place; nil at the end of the text.
  func character(at mark: ConfigNode.Mark) -> Unicode.Scalar? {
    let index = index(of: mark)
    return index < scalars.count ? scalars[index] : nil
  }

  static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  /// The printable characters of YAML 1.2, section 5.1.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
    }
  }

  /// The character that begins at `offset` and its number of bytes, according to table 3-7 of the Unicode Standard; nil if it is invalid.
  private static func decode(_ bytes: [UInt8], at offset: Int) -> (Unicode.Scalar, Int)? {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard (0xC2...0xF4).contains(first), offset + width <= bytes.count else { return nil }
    var value = UInt32(first) & (0x7F >> UInt32(width))
    for byte in bytes[(offset + 1)..<(offset + width)] {
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    let least: UInt32 = width == 4 ? 0x1_0000 : width == 3 ? 0x800 : 0x80
    // Surrogates and values beyond U+10FFFF are not scalars; a value below `least` is an overlong encoding.
    guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, width)
  }
}

/// `U+0007`.
func name(of scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
