internal import MarketData

// The effects of prices on waiting and resting orders. Every step of these loops removes the first order of a heap or uses up the shown
// size, so the loops end.
extension Broker {
  /// Fills the orders that the standing quote reaches.
  mutating func matchQuote(_ at: Int, _ cause: Cause, into out: inout Outcomes) {
    guard books[at].isLive else { return }
    let lot = books[at].terms.lot.raw
    let (ask, bid) = (books[at].ask, books[at].bid)
    if ask.price > 0 {
      while books[at].ask.left >= lot, books[at].marketBuys != OrderHeaps.none {
        let taken = fill(Int(books[at].marketBuys), books[at].ask.left, .touch, ask.price, ask.size, cause, into: &out)
        books[at].ask.left -= taken
      }
      while books[at].ask.left >= lot, books[at].limitBuys != OrderHeaps.none, -heaps.key(of: books[at].limitBuys) >= ask.price {
        let taken = fill(Int(books[at].limitBuys), books[at].ask.left, .limitTouch, ask.price, ask.size, cause, into: &out)
        books[at].ask.left -= taken
      }
    }
    if bid.price > 0 {
      while books[at].bid.left >= lot, books[at].marketSells != OrderHeaps.none {
        let taken = fill(Int(books[at].marketSells), books[at].bid.left, .touch, bid.price, bid.size, cause, into: &out)
        books[at].bid.left -= taken
      }
      while books[at].bid.left >= lot, books[at].limitSells != OrderHeaps.none, heaps.key(of: books[at].limitSells) <= bid.price {
        let taken = fill(Int(books[at].limitSells), books[at].bid.left, .limitTouch, bid.price, bid.size, cause, into: &out)
        books[at].bid.left -= taken
      }
    }
  }

  /// Fills the orders that a trade reaches, and cancels immediate orders that have waited for the trade.
  mutating func matchTrade(_ at: Int, _ trade: Trade, _ cause: Cause, into out: inout Outcomes) {
    let lot = books[at].terms.lot.raw
    let (price, size) = (trade.price.raw, max(0, trade.size.raw))
    var left = size
    if !books[at].hasQuotes {
      while left >= lot, let first = firstMarketOrder(at) { left -= fill(first, left, .nextTrade, price, size, cause, into: &out) }
    }
    // A trade of unknown side fills only limits that its price is better than.
    let isKnown = trade.side != .unknown
    let reason: FillReason = isKnown ? .limitTrade : .limitThrough
    if trade.side != .buy {
      while left >= lot, books[at].limitBuys != OrderHeaps.none {
        let limit = -heaps.key(of: books[at].limitBuys)
        guard isKnown ? limit >= price : limit > price else { break }
        left -= fill(Int(books[at].limitBuys), left, reason, price, size, cause, into: &out)
      }
    }
    if trade.side != .sell {
      while left >= lot, books[at].limitSells != OrderHeaps.none {
        let limit = heaps.key(of: books[at].limitSells)
        guard isKnown ? limit <= price : limit < price else { break }
        left -= fill(Int(books[at].limitSells), left, reason, price, size, cause, into: &out)
      }
    }
    while books[at].immediate.first >= 0 {
      end(Int(books[at].immediate.first), .cancelled, .notFilledAtOnce, cause, into: &out)
    }
  }

  /// The market order with the smallest number.
  private func firstMarketOrder(_ at: Int) -> Int? {
    let (buy, sell) = (books[at].marketBuys, books[at].marketSells)
    if buy == OrderHeaps.none { return sell == OrderHeaps.none ? nil : Int(sell) }
    return sell == OrderHeaps.none || heaps.number(of: buy) < heaps.number(of: sell) ? Int(buy) : Int(sell)
  }

  /// Triggers the stops that the watched price has reached, and moves the trailing ones with the price.
  mutating func trigger(_ at: Int, _ cause: Cause, into out: inout Outcomes) {
    var triggered = OrderHeaps.none
    if let x = books[at].watched(isBuy: false) {
      books[at].trailSells.raise(x, &heaps)
      while books[at].stopSells != OrderHeaps.none, x <= -heaps.key(of: books[at].stopSells) {
        take(triggered: Int(books[at].stopSells), into: &triggered)
      }
      while let (order, best) = books[at].trailSells.popTriggered(x, &heaps) { take(triggered: order, best, into: &triggered) }
    }
    if let price = books[at].watched(isBuy: true) {
      books[at].trailBuys.raise(-price, &heaps)
      while books[at].stopBuys != OrderHeaps.none, price >= heaps.key(of: books[at].stopBuys) {
        take(triggered: Int(books[at].stopBuys), into: &triggered)
      }
      while let (order, best) = books[at].trailBuys.popTriggered(-price, &heaps) { take(triggered: order, best, into: &triggered) }
    }
    if triggered == OrderHeaps.none { return }
    // By number: first all stops are triggered, then they meet the standing quote.
    while triggered != OrderHeaps.none {
      let order = Int(triggered)
      heaps.remove(triggered, from: &triggered)
      slots[order].isTriggered = true
      slots[order].order.state = .triggered
      slots[order].order.reason = .none
      emit(order, cause, into: &out)
      place(order)
    }
    matchQuote(at, cause, into: &out)
    cancelImmediate(at, cause, into: &out)
  }

  /// Moves a stop from its heap to the one of triggered orders.
  private mutating func take(triggered order: Int, into triggered: inout Int32) {
    let number = slots[order].order.number
    removeFromPlace(order)
    heaps.insert(Int32(order), key: 0, number: number, into: &triggered)
  }

  private mutating func take(triggered order: Int32, _ best: Int64, into triggered: inout Int32) {
    note(trail: order, best)
    slots[Int(order)].place = .none
    heaps.insert(order, key: 0, number: slots[Int(order)].order.number, into: &triggered)
  }

  /// Cancels immediate orders that the standing quote could not fill, if there are quotes.
  mutating func cancelImmediate(_ at: Int, _ cause: Cause, into out: inout Outcomes) {
    guard books[at].hasQuotes else { return }
    while books[at].immediate.first >= 0 { end(Int(books[at].immediate.first), .cancelled, .notFilledAtOnce, cause, into: &out) }
  }
}
