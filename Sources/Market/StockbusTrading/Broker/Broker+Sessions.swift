package import MarketData

extension Broker {
  /// Ends the sessions that end by `progress`, in the order of their ends, after everything up to and including `progress` was received.
  ///
  /// A session ends after everything received at its end. The other calls likewise end the sessions that end before their time.
  package mutating func advance(to progress: Timestamp, into out: inout Outcomes) {
    if progress.ns >= nextEnd { endSessions(through: progress, into: &out) }
    if progress > now { now = progress }
  }

  /// Sets the time back, because what came before had wrong times.
  package mutating func setBack(to time: Timestamp) { now = min(now, time) }

  /// Opens a market, until `end` if that is known. Waiting day orders are for this session. Throws if there cannot be such a market.
  package mutating func open(market: Int, until end: Timestamp?, at received: Timestamp, into out: inout Outcomes) throws(BrokerError) {
    try makeMarket(market)
    begin(received, into: &out)
    markets[market].end = end ?? Timestamp(ns: .max)
    setOpen(market, true)
  }

  /// Closes a market: no order is filled or triggered until it opens. Its day orders stay if `isBreak`, and expire otherwise.
  package mutating func close(market: Int, isBreak: Bool = false, at received: Timestamp, into out: inout Outcomes) throws(BrokerError) {
    try makeMarket(market)
    begin(received, into: &out)
    if !isBreak {
      markets[market].end = Timestamp(ns: .max)
      expire(market, Cause(now, received: now), into: &out)
    }
    setOpen(market, false)
  }

  /// Stops trading in an instrument: no order is filled or triggered until trading resumes.
  package mutating func halt(_ symbol: Symbol, at received: Timestamp, into out: inout Outcomes) {
    setHalted(symbol, true, received, &out)
  }

  /// Resumes trading in an instrument with the next prices.
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

  /// Ends the sessions whose end is at or before `progress`.
  mutating func endSessions(through progress: Timestamp, into out: inout Outcomes) {
    // The largest time is not an end: it stands for a session whose end is unknown.
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
