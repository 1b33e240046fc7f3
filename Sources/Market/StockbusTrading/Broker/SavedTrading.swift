package import MarketData

/// The position up to which a broker's inputs have been booked: everything received before `time`, and the first `count` events received at
/// it. Inputs have the same order each time, so the position shows exactly which events were booked.
package struct BookedPosition: Hashable, Sendable, Codable {
  package var time: Timestamp
  package var count: Int

  package init(time: Timestamp = Timestamp(ns: .min), count: Int = 0) {
    self.time = time
    self.count = count
  }
}

/// The state from which a broker continues after a restart.
package struct SavedTrading: Hashable, Sendable, Codable {
  package var snapshot: BrokerSnapshot
  package var position: BookedPosition

  package init(snapshot: BrokerSnapshot, position: BookedPosition) {
    self.snapshot = snapshot
    self.position = position
  }
}

/// One record that has changed.
package enum TradingChange: Hashable, Sendable {
  case order(Order)
  case fill(Fill)
  case position(Position)
  case account(AccountState)
}

extension BookedPosition {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(time: try container.decode(Timestamp.self, forKey: .time), count: try container.decode(Int.self, forKey: .count))
    if !(0..<1 << 62).contains(count) {
      throw DecodingError.dataCorruptedError(forKey: .count, in: container, debugDescription: "no number of events")
    }
  }
}
