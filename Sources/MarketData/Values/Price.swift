/// A price: an exact decimal, 64-bit fixed point with 1e-9 as its unit, as Databento and NautilusTrader have it.
///
/// Reaches from -9,223,372,036.854775808 to 9,223,372,036.854775807. Text becomes a price digit by digit, never through `Double`.
public struct Price: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Billionths of one unit of the currency.
  public var raw: Int64

  /// A price of `raw` billionths.
  @inlinable public init(raw: Int64) { self.raw = raw }

  @inlinable public static func < (a: Price, b: Price) -> Bool { a.raw < b.raw }
}

/// An amount traded or offered: an exact decimal in the same unit as `Price`.
public struct Quantity: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Billionths of one unit.
  public var raw: Int64

  /// An amount of `raw` billionths.
  @inlinable public init(raw: Int64) { self.raw = raw }

  @inlinable public static func < (a: Quantity, b: Quantity) -> Bool { a.raw < b.raw }
}

/// A share of something in per cent, such as a change since the open: an exact decimal in the same unit as `Price`.
public struct Percent: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Billionths of one per cent.
  public var raw: Int64

  /// A share of `raw` billionths of one per cent.
  @inlinable public init(raw: Int64) { self.raw = raw }

  @inlinable public static func < (a: Percent, b: Percent) -> Bool { a.raw < b.raw }

  /// How far `value` is from `base`, to nine decimals, rounded towards zero; nil where `base` is zero or the result does not fit.
  public static func change(from base: Price, to value: Price) -> Percent? {
    guard base.raw != 0 else { return nil }
    let falls = value.raw < base.raw
    let negative = falls != (base.raw < 0)
    // As magnitudes the difference of any two fits.
    let difference = UInt64(bitPattern: falls ? base.raw &- value.raw : value.raw &- base.raw)
    let product = difference.multipliedFullWidth(by: 100 * 1_000_000_000)
    guard product.high < base.raw.magnitude else { return nil }
    let quotient = base.raw.magnitude.dividingFullWidth(product).quotient
    guard quotient <= UInt64(Int64.max) + (negative ? 1 : 0) else { return nil }
    return Percent(raw: Int64(truncatingIfNeeded: negative ? 0 &- quotient : quotient))
  }
}
