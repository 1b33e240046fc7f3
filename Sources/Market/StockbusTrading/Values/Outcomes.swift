package import MarketData

/// The changes made by operations of a broker, in chronological order for each kind: the records to store and to publish.
///
/// A caller reuses one value and clears it, so that a broker allocates nothing once the memory has grown.
package struct Outcomes: Sendable {
  package var orders: ContiguousArray<Order> = []
  package var fills: ContiguousArray<Fill> = []
  /// At most one record for each position in an operation, in its state afterwards.
  package var positions: ContiguousArray<Position> = []
  /// At most one record for each account in an operation, in its state afterwards.
  package var accounts: ContiguousArray<AccountState> = []

  package init() {}

  package var isEmpty: Bool { orders.isEmpty && fills.isEmpty && positions.isEmpty && accounts.isEmpty }

  /// Removes everything and keeps the memory.
  package mutating func clear() {
    orders.removeAll(keepingCapacity: true)
    fills.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    accounts.removeAll(keepingCapacity: true)
  }
}

/// The reply to a request.
package struct OrderReply: Hashable, Sendable {
  /// The order's number; 0 if the request never became an order.
  package var number: Int64
  /// False if the request was rejected or had no effect.
  package var isAccepted: Bool
  /// The reason for a rejection.
  package var reason: OrderReason
  /// True if the key was seen before: this is the reply to the first request, and the repeated one had no effect.
  package var isRepeated: Bool

  package init(number: Int64, isAccepted: Bool, reason: OrderReason = .none, isRepeated: Bool = false) {
    self.number = number
    self.isAccepted = isAccepted
    self.reason = reason
    self.isRepeated = isRepeated
  }
}

/// The limits and rules of a broker that do not belong to an account.
package struct BrokerRules: Hashable, Sendable {
  /// The terms of instruments that were not defined; nil if orders for them are rejected.
  package var undefined: TradingTerms?
  /// True if orders for instruments that were not defined are rejected until a price arrives.
  package var undefinedNeedPrices: Bool
  /// The most open orders of all accounts, below 16 million.
  package let openOrders: Int
  /// How many keys of orders are stored; the oldest key of an order that is done is removed first. At least twice `openOrders`.
  package let keys: Int

  package init(
    undefined: TradingTerms? = TradingTerms(), undefinedNeedPrices: Bool = false, openOrders: Int = 100_000, keys: Int = 1_000_000
  ) {
    self.undefined = undefined
    self.undefinedNeedPrices = undefinedNeedPrices
    self.openOrders = min(max(openOrders, 1), 1 << 24)
    self.keys = max(keys, 2 * self.openOrders)
  }
}
