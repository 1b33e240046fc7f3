import MarketData
import Testing

/// What trades count for, as the consolidated tapes have it.
@Suite struct TradeConditionTests {
  /// Last, high and low, volume.
  private static let table: [(TradeCondition, String)] = [
    (.regular, "lhv"), (.sweep, "lhv"), (.opening, "lhv"), (.closing, "lhv"), (.correctedClose, "lh"), (.derivativelyPriced, "hv"),
    (.priorReferencePrice, "hv"), (.outOfSequence, "hv"), (.extendedHours, "v"), (.oddLot, "v"), (.averagePrice, "v"),
    (.priceVariation, "v"), (.specialSettlement, "v"), (.contingent, "v"), (.officialPrice, ""), (.cancelled, ""),
  ]

  @Test func `each condition counts for what the plans say`() {
    #expect(Self.table.map(\.0) == TradeCondition.allCases)
    for (condition, counts) in Self.table {
      #expect(condition.countsForLast == counts.contains("l"), "\(condition)")
      #expect(condition.countsForHighLow == counts.contains("h"), "\(condition)")
      #expect(condition.countsForVolume == counts.contains("v"), "\(condition)")
      #expect(condition.countsForAll == (counts == "lhv"), "\(condition)")
    }
  }

  @Test func `of two conditions the stricter one remains, whichever comes first`() {
    #expect(TradeCondition.sweep.combined(with: .oddLot) == .oddLot)
    #expect(TradeCondition.oddLot.combined(with: .extendedHours) == .oddLot)
    #expect(TradeCondition.cancelled.combined(with: .regular) == .cancelled)
    for a in TradeCondition.allCases {
      for b in TradeCondition.allCases {
        let both = a.combined(with: b)
        #expect(both == b.combined(with: a))
        #expect(!both.countsForLast || a.countsForLast && b.countsForLast)
        #expect(!both.countsForHighLow || a.countsForHighLow && b.countsForHighLow)
      }
    }
  }

  @Test func `a trade takes forty bytes`() {
    #expect(MemoryLayout<Trade>.size == 40 && MemoryLayout<Trade>.stride == 40)
  }
}
