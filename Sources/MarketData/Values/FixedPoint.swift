/// What `Price`, `Quantity` and `Percent` share: a signed 64-bit number of billionths.
public protocol FixedPoint: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// Billionths.
  var raw: Int64 { get set }
  init(raw: Int64)
}

extension Price: FixedPoint {}
extension Quantity: FixedPoint {}
extension Percent: FixedPoint {}

extension FixedPoint {
  /// A whole number; traps where it does not fit, so that only literals and known values come this way.
  @inlinable public init(integerLiteral value: Int64) { self.init(raw: value * 1_000_000_000) }

  /// The number that `text` writes, exactly: `-12.50`, `1e3`; nothing around it.
  ///
  /// Throws `TextError` where it is no number, has more than nine decimals, or is out of range.
  public init(_ text: String) throws(TextError) {
    self.init(raw: try FixedPointText.parse(text).raw)
  }

  /// With as many decimals as it needs: `189.25`.
  public var description: String { formatted(decimals: 0) }

  /// Rounded half away from zero to `places` decimals, for people: `12.35`; without a sign where that is zero.
  public func rounded(to places: Int) -> String {
    let dropped = 9 - max(0, min(9, places))
    var unit: UInt64 = 1
    for _ in 0..<dropped { unit *= 10 }
    let (quotient, rest) = raw.magnitude.quotientAndRemainder(dividingBy: unit)
    let magnitude = quotient + (rest * 2 >= unit && dropped > 0 ? 1 : 0)
    var digits = String(magnitude)
    if places <= 0 { return raw < 0 && magnitude > 0 ? "-" + digits : digits }
    digits = String(repeating: "0", count: max(0, 10 - dropped - digits.count)) + digits
    let point = digits.index(digits.endIndex, offsetBy: dropped - 9)
    return (raw < 0 && magnitude > 0 ? "-" : "") + digits[..<point] + "." + digits[point...]
  }

  /// With at least `decimals` decimals, more where the value has more: nothing is ever rounded away.
  public func formatted(decimals: Int) -> String {
    var out = ByteWriter(capacity: 32)
    out.put(fixedPoint: raw, decimals: UInt8(clamping: decimals))
    return out.string
  }
}

/// How a whole text is read as a fixed-point number.
enum FixedPointText {
  /// The number in billionths, and the count of decimals it was written with.
  static func parse(_ text: String) throws(TextError) -> (raw: Int64, decimals: UInt8) {
    var text = text
    let result: Result<(raw: Int64, decimals: UInt8), TextError> = text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) {
        var decimals: UInt8 = 0
        let raw = try reader.fixedPoint(decimals: &decimals)
        try reader.expectEnd()
        return .success((raw, decimals))
      } catch { return .failure(error) }
    }
    return try result.get()
  }
}
