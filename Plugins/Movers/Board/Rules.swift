internal import MarketData

/// Events after which a rule keeps their symbol out of a list.
struct LeftOut: Hashable {
  /// The price is below the lowest allowed one.
  var price = 0
  /// Less was traded than the least volume.
  var volume = 0
  /// The reference is not above zero, so there is no per cent of it.
  var reference = 0
}

/// The rules that decide whether a symbol is ranked, and by which measure.
struct Rules {
  /// The keys of a symbol in the three lists; `Int64.min` and `Int128.min` if it is not in one.
  struct Keys {
    var gain = Int64.min
    var loss = Int64.min
    var activity = Int128.min
  }

  var period = MoverPeriod.day
  var ranksPercent = true
  var ranksVolume = true
  var ranksTurnover = false
  var minPrice = Int64.min
  var minVolume: Int64 = 0
  var usesFirstPrice = false
  /// Billionths of a per cent.
  var jumpLimit: Int64 = 40_000_000_000
  /// Nanoseconds.
  var reusedAfter: Int64 = 30 * 86_400_000_000_000

  var ranksActivity: Bool { ranksVolume || ranksTurnover }

  /// True if the change is beyond the limit.
  @inline(__always)
  func isJump(from base: Int64, to price: Int64) -> Bool {
    if base <= 0 { return false }
    let (difference, overflow) = price.subtractingReportingOverflow(base)
    let distance = overflow ? UInt64.max : difference.magnitude
    return UInt128(distance) * 100_000_000_000 > UInt128(jumpLimit.magnitude) * UInt128(base.magnitude)
  }

  /// Takes a price of the period. One that is older than the last price changes nothing; among equal times the later one counts.
  @inline(__always)
  func take(_ price: Int64, decimals: UInt8, at time: Int64, in standing: inout MoverStanding) {
    if time < standing.time { return }
    if standing.time != .min {
      judge(price, from: standing.price, of: standing.time, at: time, in: &standing)
    } else if standing.flags.contains(.hasReference) {
      judge(price, from: standing.reference, of: standing.referenceTime, at: time, in: &standing)
    }
    standing.price = price
    standing.time = time
    standing.priceDecimals = decimals
    standing.flags.insert(.isTraded)
    if usesFirstPrice, !standing.flags.contains(.hasReference) {
      standing.setReference(price, time: time)
      standing.flags.insert(.isFirstPrice)
    }
  }

  /// Finds a jump between two successive prices, and the return from one.
  @inline(__always)
  private func judge(_ price: Int64, from last: Int64, of then: Int64, at now: Int64, in standing: inout MoverStanding) {
    if standing.flags.contains(.isJump) {
      if !isJump(from: standing.jumpBase, to: price) { standing.flags.subtract([.isJump, .isReused]) }
    } else if isJump(from: last, to: price) {
      standing.flags.insert(.isJump)
      standing.jumpBase = last
      standing.jumpTime = now
      let (pause, isFar) = now.subtractingReportingOverflow(then)
      if isFar || pause >= reusedAfter { standing.flags.insert(.isReused) } else { standing.flags.remove(.isReused) }
      if price > last { standing.flags.insert(.jumpedUp) } else { standing.flags.remove(.jumpedUp) }
    }
  }

  /// Computes the change in per cent, and the keys that follow from it. A reference that is not above zero has no per cent: with a negative
  /// one a rise would be a fall, and for zero per cent is undefined.
  @inline(__always)
  func keys(_ standing: inout MoverStanding, _ leftOut: inout LeftOut) -> Keys {
    var keys = Keys()
    standing.percent = 0
    let flags = standing.flags
    guard flags.contains(.isTraded) else { return keys }
    if flags.contains(.hasReference) {
      if standing.reference > 0 {
        standing.percent = Percent.change(from: Price(raw: standing.reference), to: Price(raw: standing.price))?.raw ?? 0
      } else if ranksPercent {
        leftOut.reference += 1
      }
    }
    guard standing.price >= minPrice else {
      leftOut.price += 1
      return keys
    }
    guard standing.volume >= Int128(minVolume) else {
      leftOut.volume += 1
      return keys
    }
    if ranksPercent, !flags.contains(.isJump) {
      if standing.percent > 0 { keys.gain = standing.percent }
      // Inverting the bits reverses the order of all numbers; negating would overflow at the lowest.
      if standing.percent < 0 { keys.loss = ~standing.percent }
    }
    if ranksVolume, standing.volume > 0 { keys.activity = standing.volume }
    if ranksTurnover, standing.turnover > 0 { keys.activity = standing.turnover }
    return keys
  }
}
