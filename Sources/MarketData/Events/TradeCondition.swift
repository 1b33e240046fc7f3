/// The sale condition of a trade: what kind of trade it is, and so what it counts for.
///
/// What each counts for is as the US consolidated tapes have it (CTA Plan, "CTS Output Specification"; UTP Plan, "UTDF Specification":
/// consolidated processing guidelines). A trade with several conditions has the one that comes last here, which counts for the least.
public enum TradeCondition: UInt8, BitwiseCopyable, Hashable, Sendable, CaseIterable {
  /// Nothing special, or the feed does not say. Counts for all: open and close, high and low, volume.
  case regular
  /// An order that swept several venues at once. Counts for all.
  case sweep
  /// An auction that opens or reopens the market. Counts for all.
  case opening
  /// An auction that closes the market. Counts for all.
  case closing
  /// The corrected close of the listing market. Counts for all except the volume, which has been counted before.
  case correctedClose
  /// Its price was derived from something else than the quotes. Counts for high, low and volume.
  case derivativelyPriced
  /// Its price is that of an earlier moment. Counts for high, low and volume.
  case priorReferencePrice
  /// Reported late, behind later trades. Counts for high, low and volume.
  case outOfSequence
  /// Outside the regular hours. Counts for the volume.
  case extendedHours
  /// Fewer units than a round lot. Counts for the volume.
  case oddLot
  /// At an average of several prices. Counts for the volume.
  case averagePrice
  /// At a price far from the market's. Counts for the volume.
  case priceVariation
  /// Settled on another day than usual: cash, next day, seller's option. Counts for the volume.
  case specialSettlement
  /// A part of a trade of several instruments. Counts for the volume.
  case contingent
  /// A venue's official open or close, which repeats a trade that was reported. Counts for nothing.
  case officialPrice
  /// Cancelled, or in error. Counts for nothing.
  case cancelled
}

// The order of the cases is that of what they count for, so that each question is one comparison.
extension TradeCondition {
  /// True if its price is the market's: it may be the last price, and the open or the close of a bar.
  @inlinable public var countsForLast: Bool { rawValue <= Self.correctedClose.rawValue }
  /// True if its price may be the high or the low of a bar.
  @inlinable public var countsForHighLow: Bool { rawValue <= Self.outOfSequence.rawValue }
  /// True if its size is part of the volume.
  @inlinable public var countsForVolume: Bool { rawValue <= Self.contingent.rawValue && self != .correctedClose }
  /// True if it counts for the last price, for high and low, and for the volume.
  @inlinable public var countsForAll: Bool { rawValue <= Self.closing.rawValue }

  /// The condition of a trade that has both.
  @inlinable public func combined(with other: TradeCondition) -> TradeCondition { rawValue < other.rawValue ? other : self }
}
