/// An exact fraction, for models. It stops the test if it leaves 128 bits.
struct Rational: Comparable, CustomStringConvertible {
  let numerator: Int128
  let denominator: Int128

  static let zero = Rational(0)

  init(_ numerator: Int128, over denominator: Int128 = 1) {
    let divisor = Self.divisor(numerator.magnitude, denominator.magnitude)
    let sign: Int128 = denominator < 0 ? -1 : 1
    self.numerator = sign * numerator / Int128(divisor)
    self.denominator = sign * denominator / Int128(divisor)
  }

  private static func divisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }

  static func + (a: Rational, b: Rational) -> Rational {
    if a.denominator == b.denominator { return Rational(a.numerator + b.numerator, over: a.denominator) }
    let common = Int128(divisor(a.denominator.magnitude, b.denominator.magnitude))
    return Rational(
      a.numerator * (b.denominator / common) + b.numerator * (a.denominator / common), over: a.denominator / common * b.denominator)
  }

  static prefix func - (a: Rational) -> Rational { Rational(-a.numerator, over: a.denominator) }
  static func - (a: Rational, b: Rational) -> Rational { a + -b }

  static func * (a: Rational, b: Rational) -> Rational {
    let (x, y) = (Rational(a.numerator, over: b.denominator), Rational(b.numerator, over: a.denominator))
    return Rational(x.numerator * y.numerator, over: x.denominator * y.denominator)
  }

  static func / (a: Rational, b: Rational) -> Rational { a * Rational(b.denominator, over: b.numerator) }
  static func < (a: Rational, b: Rational) -> Bool { (a - b).numerator < 0 }

  var magnitude: Rational { numerator < 0 ? -self : self }

  /// Rounded to this many decimals, half to even.
  func rounded(_ decimals: Int) -> Rational {
    var unit: Int128 = 1
    for _ in 0..<decimals { unit *= 10 }
    let scaled = self * Rational(unit)
    var (quotient, rest) = scaled.numerator.quotientAndRemainder(dividingBy: scaled.denominator)
    if rest < 0 { (quotient, rest) = (quotient - 1, rest + scaled.denominator) }
    let other = scaled.denominator - rest
    if rest > other || (rest == other && quotient % 2 != 0) { quotient += 1 }
    return Rational(quotient, over: unit)
  }

  /// Rounded down to a whole number.
  var floor: Int128 {
    let (quotient, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    return rest < 0 ? quotient - 1 : quotient
  }

  var ceiling: Int128 { -(-self).floor }

  var description: String { "\(numerator)/\(denominator)" }
}
