internal import MarketData

/// Times that are written without separators.
enum CompactTime {
  /// Converts `20080102` to `2008-01-02`, and `20080102093000.5`, `20080102 093000` or `20080102T0930Z` to `2008-01-02T09:30:00`…; nil for
  /// other texts. The date need not exist.
  static func iso(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count <= 48, text.count >= 8, text.prefix(8).allSatisfy(isDigit) else { return nil }
    var rest = text.dropFirst(8)
    // A sum of slices and literals takes the compiler seconds.
    var iso = Array(text[0..<4])
    iso.append(45)
    iso += text[4..<6]
    iso.append(45)
    iso += text[6..<8]
    if rest.isEmpty { return iso }
    if [32, 84, 116, 45, 95].contains(rest.first) { rest = rest.dropFirst() }
    iso.append(84)
    let clock = rest.prefix(while: isDigit)
    if clock.count == 2, rest.dropFirst(2).first == 58 {
      // With colons the time is in the usual form.
      return iso + rest
    }
    guard clock.count == 4 || clock.count == 6 else { return nil }
    iso += clock.prefix(2)
    iso.append(58)
    iso += clock.dropFirst(2).prefix(2)
    iso.append(58)
    if clock.count == 6 { iso += clock.suffix(2) } else { iso += [48, 48] }
    return iso + rest.dropFirst(clock.count)
  }

  /// True for a date, alone or with a time of day.
  static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard iso(text) != nil else { return false }
    return TimeGuess.date(text.prefix(8).reduce(0) { $0 * 10 + UInt64($1 - 48) }) != nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
}
