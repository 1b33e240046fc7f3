package import MarketData

extension Broker {
  /// Everything up to and including `progress` was received: sessions that end by then end, in the order of their ends.
  ///
  /// A session ends after everything that was received at its end. The other calls do the same for the time before theirs.
  package mutating func advance(to progress: Timestamp, into out: inout Outcomes) {
    if progress.ns >= nextEnd { endSessions(through: progress, into: &out) }
    if progress > now { now = progress }
  }

  /// A market opens, until `end` if that is known. Day orders that wait are for this session. Throws if there cannot be such a market.
  package mutating func open(market: Int, until end: Timestamp?, at received: Timestamp, into out: inout Outcomes) throws(BrokerError) {
    try makeMarket(market)
    begin(received, into: &out)
    markets[market].end = end ?? Timestamp(ns: .max)
    setOpen(market, true)
  }

  /// A market closes: nothing is filled or triggered until it opens. Its day orders stay if `isBreak`, and expire otherwise.
  package mutating func close(market: Int, isBreak: Bool = false, at received: Timestamp, into out: inout Outcomes) throws(BrokerError) {
    try makeMarket(market)
    begin(received, into: &out)
    if !isBreak {
      markets[market].end = Timestamp(ns: .max)
      expire(market, Cause(now, received: now), into: &out)
    }
    setOpen(market, false)
  }

  /// Trading in an instrument stops: nothing is filled or triggered until it resumes.
  package mutating func halt(_ symbol: Symbol, at received: Timestamp, into out: inout Outcomes) {
    setHalted(symbol, true, received, &out)
  }

  /// Trading in an instrument goes on with the next prices.
  package mutating func resume(_ symbol: Symbol, at received: Timestamp, into out: inout Outcomes) {
    setHalted(symbol, false, received, &out)
  }

  private mutating func setHalted(_ symbol: Symbol, _ isHalted: Bool, _ received: Timestamp, _ out: inout Outcomes) {
    begin(received, into: &out)
    let at = book(of: symbol)
    books[at].isHalted = isHalted
    changed(at)
    books[at].withdrawQuote()
    books[at].updateRanges(heaps)
  }

  private mutating func makeMarket(_ market: Int) throws(BrokerError) {
    guard market >= 0, market < TradingTerms.marketLimit else { throw BrokerError("market \(market): out of range") }
    markets.grow(toHold: market, filling: Market())
  }

  private mutating func setOpen(_ market: Int, _ isOpen: Bool) {
    markets[market].isOpen = isOpen
    nextEnd = markets.reduce(.max) { min($0, $1.end.ns) }
    for at in books.indices where books[at].terms.market == market && books[at].isOpen != isOpen {
      books[at].isOpen = isOpen
      books[at].withdrawQuote()
      books[at].updateRanges(heaps)
    }
  }

  /// Ends the sessions that end at `progress` or before.
  mutating func endSessions(through progress: Timestamp, into out: inout Outcomes) {
    // The largest time is no end: progress without end leaves a session open of which nobody has said when it ends.
    while nextEnd <= progress.ns, nextEnd < .max {
      let end = Timestamp(ns: nextEnd)
      guard let market = markets.firstIndex(where: { $0.end == end }) else { return }
      if end > now { now = end }
      markets[market].end = Timestamp(ns: .max)
      expire(market, Cause(end, received: end), into: &out)
      setOpen(market, false)
    }
  }

  private mutating func expire(_ market: Int, _ cause: Cause, into out: inout Outcomes) {
    while markets[market].dayOrders.first >= 0 {
      let order = Int(markets[market].dayOrders.first)
      let book = slots[order].book
      end(order, .expired, .sessionEnd, cause, into: &out)
      books[book].updateRanges(heaps)
    }
    flush(cause, into: &out)
  }
}
