/// How numbers are written in a file.
package enum NumberForm: String, Hashable, Sendable, CaseIterable {
  /// `1234.50`.
  case plain
  /// As people write them, with marks between thousands, and a decimal point: `1,234.50`, `1'234.50`, `1 234.50`, `$1,234.50`, `1.2K`.
  case grouped
  /// As people write them, with a decimal comma, and perhaps marks between thousands: `1234,50`, `1.234,50`, `1 234,50 €`, `1,2M`.
  case comma

  /// Longer texts are not numbers in any notation.
  private static let limit = 64

  /// The text as a plain number; nil if it is no number of this form. Marks between thousands have to be the same, with three digits
  /// behind each; two where more groups follow, as in India. Except in the plain form, a currency and a per cent sign are left out, `(5)` is
  /// -5, and `K`, `M`, `B` and `T` are thousands to trillions.
  package func plain(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count <= Self.limit else { return nil }
    if self == .plain { return digits(Array(text)[...], sign: []) }
    var rest = NumberDress(Array(text)[...])
    guard let plain = digits(rest.undressed(), sign: rest.sign) else { return nil }
    return plain + rest.exponent
  }

  private func digits(_ text: ArraySlice<UInt8>, sign: [UInt8]) -> [UInt8]? {
    var rest = text
    var plain = sign
    if sign.isEmpty, let sign = rest.first, sign == 43 || sign == 45 { plain.append(rest.removeFirst()) }
    var groups: [Int] = []
    var mark: [UInt8] = []
    while true {
      let digits = rest.prefix { $0 &- 48 < 10 }
      plain += digits
      groups.append(digits.count)
      rest = rest.dropFirst(digits.count)
      guard let next = markAtStart(of: rest) else { break }
      if mark.isEmpty { mark = next }
      if next != mark { return nil }
      rest = rest.dropFirst(next.count)
    }
    if groups.count > 1 {
      // A number that begins with a zero has no thousands.
      guard (1...3).contains(groups[0]), plain.first(where: { $0 &- 48 < 10 }) != 48, groups.last == 3,
        groups.dropFirst().dropLast().allSatisfy({ $0 == 3 || $0 == 2 })
      else {
        return nil
      }
    }
    if rest.first == (self == .comma ? 44 : 46) {
      plain.append(46)
      rest = rest.dropFirst()
      plain += rest.prefix { $0 &- 48 < 10 }
      rest = rest.drop { $0 &- 48 < 10 }
    }
    // The remaining text may be an exponent.
    return plain + rest
  }

  /// The mark between thousands that a text begins with, followed by a digit; nil if there is none.
  private func markAtStart(of text: ArraySlice<UInt8>) -> [UInt8]? {
    if self == .plain { return nil }
    let own: [UInt8] = self == .comma ? [46] : [44]
    // A comma or a point, an apostrophe, a blank, an underscore, and the narrow and typographic forms of these.
    let marks: [[UInt8]] = [
      own, [39], [32], [95], [0xc2, 0xa0], [0xe2, 0x80, 0x89], [0xe2, 0x80, 0xaf], [0xe2, 0x80, 0x99],
    ]
    return marks.first { text.starts(with: $0) && (text.dropFirst($0.count).first.map { $0 &- 48 < 10 } ?? false) }
  }

  /// True for `1.000` and `12.345.678`: one number with a decimal point, and another where points are marks between thousands.
  package static func isAmbiguous(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.contains(46), let plain = comma.plain(text) else { return false }
    return !plain.contains(46) && !text.contains(44)
  }

  /// True for a number with a comma before its decimals that is not also a number with commas as marks between thousands.
  package static func hasDecimalComma(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.contains(44) && comma.number(text) != nil && grouped.number(text) == nil
  }

  /// The text as a plain number, without an exponent unless it has a `K` or the like; nil if it is no number of this form.
  package func number(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let plain = plain(text), text.contains(where: { $0 &- 48 < 10 }),
      !text.contains(where: { $0 | 0x20 == 101 && plain.contains($0) })
    else { return nil }
    let number = plain.prefix { $0 != 101 }
    let digits = number.first == 43 || number.first == 45 ? number.dropFirst() : number
    return digits.allSatisfy { $0 &- 48 < 10 || $0 == 46 } && digits.count(where: { $0 == 46 }) <= 1 ? plain : nil
  }
}

/// What people write around a number: a sign, a currency, a per cent sign, parentheses for a negative number, `K` for thousands.
private struct NumberDress {
  private(set) var sign: [UInt8] = []
  /// `e3` for thousands.
  private(set) var exponent: [UInt8] = []
  private var text: ArraySlice<UInt8>

  /// The signs of dollar, pound, yen, euro, rupee and bitcoin.
  private static let signs: [[UInt8]] = [
    [36], [0xc2, 0xa3], [0xc2, 0xa5], [0xe2, 0x82, 0xac], [0xe2, 0x82, 0xb9], [0xe2, 0x82, 0xbf],
  ]
  private static let blanks: [[UInt8]] = [[32], [0xc2, 0xa0], [0xe2, 0x80, 0xaf]]

  init(_ text: ArraySlice<UInt8>) { self.text = text }

  /// The number that is left; sets `sign` and `exponent`.
  mutating func undressed() -> ArraySlice<UInt8> {
    if text.first == 40, text.last == 41, text.count > 2 {
      sign = [45]
      text = text.dropFirst().dropLast()
    }
    takeSign()
    takeCurrency()
    if text.last == 37 { text.removeLast() }
    trim()
    takeSign()
    let powers: [UInt8: String] = [107: "e3", 109: "e6", 98: "e9", 116: "e12"]
    if text.count > 1, let power = text.last.flatMap({ powers[$0 | 0x20] }) {
      exponent = Array(power.utf8)
      text.removeLast()
      trim()
    }
    return text
  }

  private mutating func takeSign() {
    guard sign.isEmpty, let first = text.first, first == 43 || first == 45 else { return }
    sign = [first]
    text.removeFirst()
  }

  private mutating func takeCurrency() {
    // Coins have up to five letters: `0.5USDT`.
    let code = (front: text.prefix { (65...90).contains($0) }.count, back: text.reversed().prefix { (65...90).contains($0) }.count)
    if let mark = Self.signs.first(where: { text.starts(with: $0) }) {
      text = text.dropFirst(mark.count)
    } else if let mark = Self.signs.first(where: { text.suffix($0.count).elementsEqual($0) }) {
      text = text.dropLast(mark.count)
    } else if (3...5).contains(code.front) {
      text = text.dropFirst(code.front)
    } else if (3...5).contains(code.back) {
      text = text.dropLast(code.back)
    }
    trim()
  }

  private mutating func trim() {
    while let blank = Self.blanks.first(where: { text.starts(with: $0) }) { text = text.dropFirst(blank.count) }
    while let blank = Self.blanks.first(where: { text.suffix($0.count).elementsEqual($0) }) { text = text.dropLast(blank.count) }
  }
}

/// Values that stand for no number.
package enum NoNumber {
  /// True for a word that stands for a missing number, such as `NaN`, `null` or `-`.
  package static func isWord(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= 6 else { return false }
    return ["nan", "null", "none", "na", "n/a", "<na>", "nil", "-", "--"].contains(String(decoding: text, as: UTF8.self).lowercased())
  }

  /// True for the largest or smallest numbers of 64 bits, whole or in billionths, for the largest whole number of 32 bits without a sign
  /// if `isSize`, and for the largest floating-point number, also where they were rounded: programs write them for a value that is not
  /// defined.
  package static func isLimit(_ text: UnsafeBufferPointer<UInt8>, isSize: Bool = false) -> Bool {
    guard text.count <= 40, let number = Double(String(decoding: text, as: UTF8.self))?.magnitude else { return false }
    if number > 1e300 { return true }
    if isSize, number == 4_294_967_295 { return true }
    return [0x1p63, 0x1p64, 0x1p63 / 1e9, 0x1p64 / 1e9].contains { abs(number - $0) <= $0 * 0x1p-50 }
  }
}
