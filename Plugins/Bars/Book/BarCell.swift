internal import MarketData
internal import StockbusInstruments

/// A bar that is being made, or that may still be changed by late trades: 128 bytes, two cache lines.
///
/// Cells are linked by their numbers in the table; number 0 is not a bar, and stands for "none".
struct BarCell: BitwiseCopyable, Sendable, Codable {
  enum State: UInt8, BitwiseCopyable, Sendable, Codable {
    /// Accepts trades until it is due.
    case open
    /// Waits for its first trade, to be filled with the last close if none arrives; only with `fill`.
    case empty
    /// Was sent; a late trade makes it be sent again.
    case closed
    /// Was sent without a trade; a late trade makes it a bar.
    case filled
    /// A component: a bar that a longer one is made of.
    case component
    /// Several components that cannot be replaced any more, as one. Its `closeTime` is the start of the last of them.
    case merged
  }

  /// The start of the period, and its length while trades can be added without further checks; 0 otherwise, so that one comparison of `time
  /// - start`, as an unsigned number, decides whether a trade can be added at once.
  var start: Int64
  var span: UInt64 = 0
  var openTime: Int64
  var closeTime: Int64
  var open: Int64
  var high: Int64
  var low: Int64
  var close: Int64
  var turnover: Int128
  var volume: Int64
  /// When the bar closes: the end of the period plus `wait`. For a component, when it arrived last.
  var due: Int64
  var count: UInt32
  var revision: UInt32 = 0
  /// The neighbours by time: of the same symbol and length, or among the components of one bar.
  var older: UInt32 = 0
  var newer: UInt32 = 0
  /// The next one in a list: of the bars due at one moment, of the closed ones, of the unused cells.
  var link: UInt32 = 0
  /// The symbol's number times the number of lengths, plus the length's place among them.
  var key: UInt32 = 0
  /// How many bars in a row were filled, this one included.
  var fills: UInt16 = 0
  var isPartial: Bool
  var priceDecimals: UInt8
  var sizeDecimals: UInt8
  /// The decimals of the close that the bar repeats until a trade arrives that counts for open and close.
  var fillDecimals: UInt8 = 0
  var session: MarketSession
  var state: State

  /// Without its place among other cells.
  private enum CodingKeys: String, CodingKey {
    case start, span, openTime, closeTime, open, high, low, close, turnover, volume, due, count, revision, fills, isPartial, priceDecimals,
      sizeDecimals, fillDecimals, session, state
  }

  init(_ period: Period, due: Int64, key: Int, _ state: State, _ part: Contribution) {
    start = period.start
    session = period.session
    self.due = due
    self.key = UInt32(truncatingIfNeeded: key)
    self.state = state
    (openTime, closeTime) = (part.time, part.time)
    (open, high, low, close) = (part.open, part.high, part.low, part.close)
    (volume, turnover, count) = (part.volume, part.turnover, part.count)
    (priceDecimals, sizeDecimals, isPartial) = (part.priceDecimals, part.sizeDecimals, part.isPartial)
    if !part.condition.countsForLast { begin(part) }
  }

  /// Replaces the values by those of its first trade. If that does not count for open and close, the next one that does will set them;
  /// until then the bar keeps the close that it would have been filled with.
  mutating func begin(_ part: Contribution) {
    (volume, turnover, count) = (part.volume, part.turnover, part.count)
    (sizeDecimals, isPartial) = (part.sizeDecimals, part.isPartial)
    guard part.condition.countsForLast else {
      (openTime, closeTime) = (.max, .min)
      fillDecimals = priceDecimals
      (high, low, priceDecimals) = part.condition.countsForHighLow ? (part.high, part.low, part.priceDecimals) : (.min, .max, 0)
      return
    }
    (openTime, closeTime) = (part.time, part.time)
    (open, high, low, close) = (part.open, part.high, part.low, part.close)
    priceDecimals = part.priceDecimals
    fills = 0
  }

  /// True if a trade that counts for open and close has arrived; a filled bar has the close before it instead.
  var hasClose: Bool { closeTime != .min }
  /// True if the bar has prices, and can be sent.
  var hasPrices: Bool { hasClose || fills > 0 }

  /// The decimals of the prices to send.
  var sentDecimals: UInt8 { hasClose ? priceDecimals : max(priceDecimals, fillDecimals) }

  /// Repeats this close, until a trade arrives that counts for open and close.
  mutating func fill(_ close: Int64, decimals: UInt8) { (self.close, fillDecimals) = (close, decimals) }

  /// The prices to send. A bar that was filled before a trade arrived that counts for open and close repeats the close before it.
  var prices: (open: Int64, high: Int64, low: Int64, close: Int64) {
    hasClose ? (open, high, low, close) : (close, max(high, close), min(low, close), close)
  }

  /// Replaces the values by those of another cell.
  mutating func adopt(_ other: BarCell) {
    begin(other.contribution)
    closeTime = other.closeTime
  }

  /// Adds a price with a size. Returns false, and changes nothing, if the size is negative or a sum is out of range.
  @inline(__always)
  mutating func add(_ price: Price, _ size: Quantity, at time: Int64, _ priceDecimals: UInt8, _ sizeDecimals: UInt8) -> Bool {
    let (turnover, isTurnoverOut) = self.turnover.addingReportingOverflow(Amount(price, times: size).raw)
    if isTurnoverOut { return false }
    let volume = self.volume &+ size.raw
    // The volume is never negative, so the sum is negative if it overflows.
    if size.raw | volume < 0 { return false }
    let count = self.count &+ 1
    if count == 0 { return false }
    self.volume = volume
    self.turnover = turnover
    self.count = count
    high = max(high, price.raw)
    low = min(low, price.raw)
    // Of two prices at one time the first to arrive opens the bar, and the last to arrive closes it.
    if time < openTime {
      openTime = time
      open = price.raw
    }
    if time >= closeTime {
      closeTime = time
      close = price.raw
    }
    if priceDecimals > self.priceDecimals { self.priceDecimals = priceDecimals }
    if sizeDecimals > self.sizeDecimals { self.sizeDecimals = sizeDecimals }
    return true
  }

  /// Adds a contribution of any kind. Returns false, and changes nothing, if the volume is negative or a sum is out of range.
  mutating func merge(_ part: Contribution) -> Bool {
    let volume = self.volume &+ part.volume
    let (turnover, isTurnoverOut) = self.turnover.addingReportingOverflow(part.turnover)
    let (count, isCountOut) = self.count.addingReportingOverflow(part.count)
    if part.volume | volume < 0 || isTurnoverOut || isCountOut { return false }
    self.volume = volume
    self.turnover = turnover
    self.count = count
    sizeDecimals = max(sizeDecimals, part.sizeDecimals)
    isPartial = isPartial || part.isPartial
    guard part.condition.countsForHighLow else { return true }
    high = max(high, part.high)
    low = min(low, part.low)
    priceDecimals = max(priceDecimals, part.priceDecimals)
    guard part.condition.countsForLast else { return true }
    if part.time < openTime {
      openTime = part.time
      open = part.open
    }
    if part.time >= closeTime {
      closeTime = part.time
      close = part.close
    }
    return true
  }

  /// Adds a contribution whose volume, turnover or count `merge` has found to be too large. The prices count like any other; the sums stay
  /// at the largest that fit: the volume at its maximum, with the turnover that keeps the average price, and the count.
  @inline(never)
  mutating func addBeyond(_ part: Contribution) {
    let average = Amount(raw: turnover).divided(by: Quantity(raw: volume)) ?? Price(raw: close)
    volume = Quantity.most.raw
    turnover = Amount(average, times: .most).raw
    let (sum, isCountOut) = count.addingReportingOverflow(part.count)
    count = isCountOut ? .max : sum
    var prices = part
    (prices.volume, prices.turnover, prices.count) = (0, 0, 0)
    _ = merge(prices)
  }

  /// Converts the values collected before a split to the new shares: the prices, and the volume, so that the turnover and the average price
  /// stay exact. A value that would be out of range stays as it is.
  mutating func apply(_ split: PriceSplit) {
    func adjusted(_ price: Int64) -> Int64 { price == .min || price == .max ? price : split.adjust(price) ?? price }
    (open, high, low, close) = (adjusted(open), adjusted(high), adjusted(low), adjusted(close))
    volume = split.ratio.applied(to: volume) ?? Quantity.most.raw
  }

  /// The values as a contribution to a longer bar.
  var contribution: Contribution {
    Contribution(
      open: open, high: high, low: low, close: close, volume: volume, turnover: turnover, count: count, priceDecimals: priceDecimals,
      sizeDecimals: sizeDecimals, isPartial: isPartial, time: openTime)
  }
}
