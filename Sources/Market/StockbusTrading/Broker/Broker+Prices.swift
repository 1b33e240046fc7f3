package import MarketData

extension Broker {
  /// Takes a quote: fills the orders that it reaches, and makes it the standing quote.
  package mutating func take(quote: Quote, into out: inout Outcomes) {
    begin(quote.received, into: &out)
    let at = book(of: quote.symbol)
    if quote.bid.raw < 0, quote.ask.raw <= 0 { fallBelowZero(quote.symbol) }
    guard books[at].take(quote) else { return moved(at) }
    moved(at)
    let cause = Cause(quote.time, received: now)
    matchQuote(at, cause, into: &out)
    cancelImmediate(at, cause, into: &out)
    if !books[at].hasTrades { trigger(at, cause, into: &out) }
    finish(at, cause, into: &out)
  }

  /// Takes a trade: fills and triggers the orders that it reaches.
  package mutating func take(trade: Trade, into out: inout Outcomes) {
    begin(trade.received, into: &out)
    guard trade.price.raw > 0, trade.condition.countsForLast else {
      ignored += 1
      if trade.price.raw < 0, trade.condition.countsForLast { fallBelowZero(trade.symbol) }
      return
    }
    let at = book(of: trade.symbol)
    books[at].isBelowZero = false
    let isFirst = !books[at].hasTrades
    books[at].hasTrades = true
    books[at].mark = trade.price.raw
    moved(at)
    if isFirst {
      // From now on quotes trigger no orders.
      books[at].updateRanges(heaps)
    }
    let price = trade.price.raw
    if price > books[at].tradeLow, price < books[at].tradeHigh { return }
    guard books[at].isLive else { return }
    let cause = Cause(trade.time, received: now)
    matchTrade(at, trade, cause, into: &out)
    trigger(at, cause, into: &out)
    finish(at, cause, into: &out)
  }

  /// Orders whose stops have followed the price since the last call, as `order` events in their present state, for durability: after a
  /// restart a trailing stop continues from the last saved best price.
  package mutating func reportTrails(at received: Timestamp, into out: inout Outcomes) {
    begin(received, into: &out)
    for at in books.indices {
      for isBuy in [true, false] {
        var moved: [(order: Int32, best: Int64)] = []
        if isBuy {
          books[at].trailBuys.takeMoved(heaps) { moved.append(($0, $1)) }
        } else {
          books[at].trailSells.takeMoved(heaps) { moved.append(($0, $1)) }
        }
        moved.sort { heaps.number(of: $0.order) < heaps.number(of: $1.order) }
        for (order, best) in moved {
          note(trail: order, best)
          emit(Int(order), Cause(now, received: now), into: &out)
        }
      }
    }
  }

  /// Values the positions whose price has changed since the last call, and their accounts.
  package mutating func revalue(at received: Timestamp, into out: inout Outcomes) {
    begin(received, into: &out)
    for at in movedBooks {
      books[at].isMoved = false
      var next = books[at].firstHolding
      while next >= 0 {
        if holdings[Int(next)].holding.quantity.raw != 0 { touch(holding: Int(next)) }
        next = holdings[Int(next)].nextInBook
      }
    }
    movedBooks.removeAll(keepingCapacity: true)
    flush(Cause(now, received: now), into: &out)
  }

  /// Rejects orders for an instrument from now on, because nothing can be booked at its price.
  @inline(never)
  private mutating func fallBelowZero(_ symbol: Symbol) {
    let at = book(of: symbol)
    if books[at].isBelowZero { return }
    books[at].isBelowZero = true
    if !belowZero.contains(symbol) { belowZero.append(symbol) }
  }

  /// The instruments whose price has fallen below zero since the last call. Their orders wait, and their positions keep the value at the
  /// last price above zero.
  package mutating func takeBelowZero() -> [Symbol] {
    if belowZero.isEmpty { return [] }
    defer { belowZero.removeAll() }
    return belowZero
  }

  /// Does the work due before `received`, and sets the present to it.
  @inline(__always)
  mutating func begin(_ received: Timestamp, into out: inout Outcomes) {
    if received.ns > nextEnd { endSessions(through: Timestamp(ns: received.ns - 1), into: &out) }
    if received > now { now = received }
  }

  /// Marks that the mark of a book or the state of its market has changed.
  @inline(__always)
  mutating func moved(_ at: Int) {
    if books[at].firstHolding >= 0, !books[at].isMoved {
      books[at].isMoved = true
      movedBooks.append(at)
    }
    changed(at)
  }

  /// Marks a change of a book that must survive a restart.
  @inline(__always)
  mutating func changed(_ at: Int) {
    if books[at].isChanged { return }
    books[at].isChanged = true
    changedBooks.append(at)
  }

  /// Ends a call about one book.
  mutating func finish(_ at: Int, _ cause: Cause, into out: inout Outcomes) {
    books[at].updateRanges(heaps)
    flush(cause, into: &out)
  }
}

extension SymbolBook {
  /// Makes the quote the standing one; returns true if it reaches an order.
  @inline(__always)
  mutating func take(_ quote: Quote) -> Bool {
    let (bidPrice, askPrice) = (max(0, quote.bid.raw), max(0, quote.ask.raw))
    if bidPrice == 0, askPrice == 0 {
      withdrawQuote()
      return false
    }
    hasQuotes = true
    isBelowZero = false
    if !hasTrades {
      mark = bidPrice == 0 ? askPrice : askPrice == 0 ? bidPrice : (bidPrice & askPrice) &+ ((bidPrice ^ askPrice) >> 1)
    }
    guard isLive else { return false }
    bid.update(bidPrice, bidPrice == 0 ? 0 : max(0, quote.bidSize.raw))
    ask.update(askPrice, askPrice == 0 ? 0 : max(0, quote.askSize.raw))
    return askPrice <= askLow || askPrice >= askHigh || bidPrice <= bidLow || bidPrice >= bidHigh
  }
}
