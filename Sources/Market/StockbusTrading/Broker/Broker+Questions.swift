package import MarketData

// Queries, which change nothing.
extension Broker {
  /// True if trading in an instrument has stopped.
  package func isHalted(_ symbol: Symbol) -> Bool { known(symbol)?.isHalted ?? false }

  /// True if orders in an instrument can be filled now: its market is open, and it is not halted.
  package func isLive(_ symbol: Symbol) -> Bool { known(symbol)?.isLive ?? true }

  /// True if the feed has shown a price of the instrument.
  package func hasPrices(_ symbol: Symbol) -> Bool { known(symbol)?.hasPrices ?? false }

  private func known(_ symbol: Symbol) -> SymbolBook? {
    let id = Int(symbol.id)
    return id < bookPlaces.count && bookPlaces[id] >= 0 ? books[Int(bookPlaces[id])] : nil
  }

  /// The named instruments, divided into those for which the feed has shown a price and the others.
  package var named: (priced: [Symbol], unpriced: [Symbol]) {
    (books.lazy.filter(\.hasPrices).map(\.symbol), books.lazy.filter { !$0.hasPrices }.map(\.symbol))
  }

  /// The accounts, in the order of their opening.
  package var accountNames: [Symbol] { accounts.map(\.rules.name) }

  /// The currency of an account; nil if there is no such account.
  package func currency(of account: Symbol) -> Symbol? { accountPlaces[account].map { accounts[$0].rules.currency } }

  /// The number of the last order; 0 if there was none.
  package var lastOrder: Int64 { nextOrder - 1 }

  /// True if the account has used the key and the broker still stores it.
  package func isUsed(key: String, _ account: Symbol) -> Bool {
    accountPlaces[account].map { keys[OrderKey(account: $0, key: key)] != nil } ?? false
  }

  /// True if the order with this number is open.
  package func isOpen(_ number: Int64) -> Bool { slots.contains { !$0.isFree && $0.order.number == number } }

  /// True if the account has had an order with this number that the broker still stores.
  package func isUsed(number: Int64, _ account: Symbol) -> Bool {
    guard let at = accountPlaces[account] else { return false }
    return keys.contains { $0.key.account == at && $0.value.number == number }
  }
}
