internal import MarketData
internal import StockbusInstruments

/// The state of a symbol: 128 bytes, two cache lines. Prices are billionths, times nanoseconds since the epoch.
struct MoverStanding: BitwiseCopyable, Codable, Sendable {
  struct Flags: OptionSet, BitwiseCopyable, Codable, Sendable {
    let rawValue: UInt16

    /// The symbol has a price from before the period, or its own first one instead.
    static let hasReference = Flags(rawValue: 1)
    /// The reference is the symbol's own first price.
    static let isFirstPrice = Flags(rawValue: 2)
    /// The symbol has a price of the period.
    static let isTraded = Flags(rawValue: 4)
    /// A split was applied to the reference in the period.
    static let isSplit = Flags(rawValue: 8)
    /// The symbol's price has jumped in the period, and has not returned.
    static let isJump = Flags(rawValue: 16)
    static let isReused = Flags(rawValue: 32)
    static let jumpedUp = Flags(rawValue: 64)
    /// The symbol takes part in the list.
    static let isGainer = Flags(rawValue: 128)
    static let isLoser = Flags(rawValue: 256)
    static let isActive = Flags(rawValue: 512)

    static let ofPeriod: Flags = [.isTraded, .isSplit, .isJump, .isReused, .jumpedUp]
  }

  let symbol: Symbol
  let calendar: UInt16
  var flags: Flags = []
  var priceDecimals: UInt8 = 0
  var sizeDecimals: UInt8 = 0
  /// The number of the last change by time that concerned the symbol.
  var touched: UInt32 = 0
  /// The price with the latest event time, and that time; `Int64.min` before the first.
  var price: Int64 = 0
  var time = Int64.min
  var reference: Int64 = 0
  var referenceTime = Int64.min
  /// The change in billionths of a per cent; zero if it is not known.
  var percent: Int64 = 0
  /// The price before the jump, and when the jump occurred.
  var jumpBase: Int64 = 0
  var jumpTime = Int64.min
  /// When a split was applied in the period.
  var splitTime = Int64.min
  /// The time of the next split; `Int64.max` if none is known.
  var nextSplit = Int64.max
  /// Of the period: the sum of sizes in billionths, and of price times size in the unit of `Amount`.
  var volume: Int128 = 0
  var turnover: Int128 = 0

  var mark: MoverMark {
    if flags.contains(.isJump) { return flags.contains(.isReused) ? .reused : .jump }
    if !flags.contains(.hasReference) || flags.contains(.isFirstPrice) { return .new }
    return flags.contains(.isSplit) ? .split : .unmarked
  }

  /// Counts a trade. The sums stay at the largest number instead of wrapping around.
  mutating func add(volume added: Int128, turnover amount: Int128) {
    volume.addSaturating(added)
    turnover.addSaturating(amount)
  }

  mutating func subtract(volume gone: Int128, turnover amount: Int128) {
    volume.subtractSaturating(gone)
    turnover.subtractSaturating(amount)
  }

  mutating func setReference(_ price: Int64, time: Int64) {
    reference = price
    referenceTime = time
    flags.insert(.hasReference)
    flags.remove(.isFirstPrice)
  }

  /// Ends the period: its last price is the reference of the next one.
  mutating func closePeriod() {
    if flags.contains(.isTraded) { setReference(price, time: time) }
    flags.subtract(.ofPeriod)
    volume = 0
    turnover = 0
    percent = 0
  }

  /// Applies a split to the values from before it.
  mutating func apply(_ split: PriceSplit, at now: Int64) {
    if time < split.time, time != .min {
      if let adjusted = split.adjust(price) { price = adjusted } else { time = .min }
    }
    if flags.contains(.hasReference), referenceTime < split.time {
      if let adjusted = split.adjust(reference) {
        reference = adjusted
        flags.insert(.isSplit)
        splitTime = now
      } else {
        flags.remove(.hasReference)
      }
    }
    if flags.contains(.isJump), let adjusted = split.adjust(jumpBase) { jumpBase = adjusted }
  }
}

extension Int128 {
  @inline(__always)
  mutating func addSaturating(_ other: Int128) { self = addingSaturating(other) }

  mutating func subtractSaturating(_ other: Int128) { self = subtractingSaturating(other) }
}
