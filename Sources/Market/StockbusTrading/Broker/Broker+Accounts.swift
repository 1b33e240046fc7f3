package import MarketData

extension Broker {
  /// Opens an account and pays its deposit in. Throws if its rules are not valid or there is an account with its name.
  package mutating func open(_ account: AccountRules, at received: Timestamp, into out: inout Outcomes) throws(BrokerError) {
    if let fault = account.margin.fault ?? account.fees.fault { throw BrokerError("account '\(account.name)': \(fault)") }
    if account.deposit.raw < 0 { throw BrokerError("account '\(account.name)': the deposit is below zero") }
    if accountPlaces[account.name] != nil { throw BrokerError("account '\(account.name)': opened twice") }
    begin(received, into: &out)
    accountPlaces[account.name] = accounts.count
    accounts.append(AccountSlot(rules: account, deposits: account.deposit, cash: account.deposit))
    touch(account: accounts.count - 1)
    flush(Cause(now, received: now), into: &out)
  }

  /// Sets an instrument's terms, in place of those from `terms`. Open orders stay unchanged. Throws if the terms are not valid.
  ///
  /// An instrument with day orders keeps its market until they are done; a call with another market throws.
  package mutating func define(_ symbol: Symbol, _ terms: TradingTerms) throws(BrokerError) {
    if let fault = terms.fault { throw BrokerError("instrument '\(symbol)': \(fault)") }
    markets.grow(toHold: terms.market, filling: Market())
    let at = book(of: symbol)
    if books[at].terms.market != terms.market || books[at].terms.multiplier != terms.multiplier {
      guard books[at].firstHolding < 0 else {
        throw BrokerError("instrument '\(symbol)': market and multiplier cannot change while there are orders or positions")
      }
    }
    books[at].terms = terms
    books[at].isDefined = true
    books[at].isOpen = markets[terms.market].isOpen
    books[at].updateRanges(heaps)
  }

  /// The account's state; nil if there is no such account.
  package func state(of account: Symbol) -> AccountState? { accountPlaces[account].map { state(ofAccount: $0, Cause(now, received: now)) } }

  /// The account's position in an instrument; nil if it never had one.
  package func position(of account: Symbol, in symbol: Symbol) -> Position? {
    guard let at = accountPlaces[account], Int(symbol.id) < bookPlaces.count, bookPlaces[Int(symbol.id)] >= 0,
      let holding = holdingPlaces[Self.holdingKey(at, Int(bookPlaces[Int(symbol.id)]))]
    else { return nil }
    return position(ofHolding: holding, Cause(now, received: now))
  }

  struct Valuation {
    var equity: Amount
    var exposure = Amount.zero
    var margin = Amount.zero
    var unrealised = Amount.zero

    /// Counts a position's value.
    mutating func add(_ value: Amount, _ margin: MarginRule) {
      equity = equity.addingClamped(value)
      exposure = exposure.addingClamped(value.magnitude)
      self.margin = self.margin.addingClamped(margin.required(value) ?? value.magnitude)
    }
  }

  /// The account's value at the last prices, with one holding changed.
  func valuation(of account: Int, with changed: (holding: Int, after: Holding)? = nil, cash: Amount) -> Valuation {
    var result = Valuation(equity: cash)
    var next = accounts[account].firstHolding
    while next >= 0 {
      let at = Int(next)
      next = holdings[at].nextInAccount
      let holding = changed?.holding == at ? changed?.after ?? holdings[at].holding : holdings[at].holding
      if holding.quantity.raw == 0 { continue }
      let book = holdings[at].book
      let value = holding.value(at: Price(raw: books[book].mark), multiplier: books[book].terms.multiplier)
      result.add(value, accounts[account].rules.margin)
      result.unrealised = result.unrealised.addingClamped(value.subtractingClamped(holding.cost))
    }
    return result
  }

  func state(ofAccount at: Int, _ cause: Cause) -> AccountState {
    let account = accounts[at]
    let valuation = valuation(of: at, cash: account.cash)
    return AccountState(
      account: account.rules.name, currency: account.rules.currency, deposits: account.deposits, cash: account.cash,
      equity: valuation.equity, exposure: valuation.exposure, marginUsed: valuation.margin, reserved: account.reserved,
      buyingPower: valuation.equity.subtractingClamped(valuation.margin).subtractingClamped(account.reserved), realised: account.realised,
      unrealised: valuation.unrealised, fees: account.fees, time: cause.time, received: cause.received)
  }

  func position(ofHolding at: Int, _ cause: Cause) -> Position {
    let (holding, book) = (holdings[at].holding, holdings[at].book)
    let mark = Price(raw: books[book].mark)
    let value = holding.quantity.raw == 0 ? Amount.zero : holding.value(at: mark, multiplier: books[book].terms.multiplier)
    return Position(
      account: accounts[holdings[at].account].rules.name, symbol: books[book].symbol, quantity: holding.quantity, cost: holding.cost,
      mark: mark, value: value, unrealised: value.subtractingClamped(holding.cost), realised: holding.realised, fees: holding.fees,
      time: cause.time, received: cause.received)
  }

  static func holdingKey(_ account: Int, _ book: Int) -> UInt64 { UInt64(account) << 32 | UInt64(book) }

  /// The account's holding of an instrument, created if there is none.
  mutating func holding(_ account: Int, _ book: Int) -> Int {
    let key = Self.holdingKey(account, book)
    if let at = holdingPlaces[key] { return at }
    let at = holdings.count
    holdingPlaces[key] = at
    holdings.append(
      HoldingSlot(account: account, book: book, nextInAccount: accounts[account].firstHolding, nextInBook: books[book].firstHolding))
    accounts[account].firstHolding = Int32(at)
    books[book].firstHolding = Int32(at)
    return at
  }

  // MARK: What a call has changed

  mutating func touch(holding at: Int) {
    if !holdings[at].isTouched {
      holdings[at].isTouched = true
      touchedHoldings.append(at)
    }
    touch(account: holdings[at].account)
  }

  mutating func touch(account at: Int) {
    if accounts[at].isTouched { return }
    accounts[at].isTouched = true
    touchedAccounts.append(at)
  }

  /// Appends the touched positions and accounts in their present state.
  mutating func flush(_ cause: Cause, into out: inout Outcomes) {
    if touchedAccounts.isEmpty { return }
    for at in touchedHoldings {
      holdings[at].isTouched = false
      out.positions.append(position(ofHolding: at, cause))
    }
    touchedHoldings.removeAll(keepingCapacity: true)
    for at in touchedAccounts {
      accounts[at].isTouched = false
      out.accounts.append(state(ofAccount: at, cause))
    }
    touchedAccounts.removeAll(keepingCapacity: true)
  }
}

/// Why a broker cannot be set up or restored, in one sentence.
package struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) { self.description = description }
}
