package import MarketData

extension Broker {
  /// Applies a split: `new` units replace `old` ones, 7 and 1 for AAPL's of 2014, 1 and 20 for AIG's of 2009.
  ///
  /// - The last price becomes `price × old / new`, rounded to a billionth, half to even. The standing quote is withdrawn.
  /// - A position becomes `quantity × new / old`, rounded towards zero to a billionth; its cost stays. The part beyond whole lots is closed
  ///   at the last price without a fee: cash in lieu, a fill without an order.
  /// - An open order's quantity becomes whole lots, rounded down. A buy's limit and a sell's stop are rounded down to ticks, a sell's limit
  ///   and a buy's stop up, so that no order becomes more eager. A trail is rounded up to a billionth, the best price half to even. An
  ///   order with no quantity left is cancelled. Reservations stay.
  ///
  /// Throws, and nothing has changed, if a number is not from 1 to 1,000,000 or a position would be out of range.
  package mutating func split(
    _ symbol: Symbol, new: Int64, old: Int64, at received: Timestamp, into out: inout Outcomes
  ) throws(BrokerError) {
    guard (1...1_000_000).contains(new), (1...1_000_000).contains(old) else {
      throw BrokerError("split of '\(symbol)': \(new) for \(old) is out of range")
    }
    begin(received, into: &out)
    let at = book(of: symbol)
    let held = holdings.indices.filter { holdings[$0].book == at }
    for holding in held where Self.scale(holdings[holding].holding.quantity.raw, new, old) == nil {
      throw BrokerError("split of '\(symbol)': the position of '\(accounts[holdings[holding].account].rules.name)' would be out of range")
    }
    let cause = Cause(now, received: now)
    books[at].withdrawQuote()
    let mark = books[at].mark
    books[at].mark = mark == 0 ? 0 : max(1, Self.nearest(mark, old, new))
    moved(at)
    for holding in held { split(holding: holding, new, old, cause, into: &out) }
    let orders = slots.indices.filter { !slots[$0].isFree && slots[$0].book == at }
    for order in orders.sorted(by: { slots[$0].order.number < slots[$1].order.number }) {
      split(order: order, new, old, cause, into: &out)
    }
    finish(at, cause, into: &out)
  }

  private mutating func split(holding at: Int, _ new: Int64, _ old: Int64, _ cause: Cause, into out: inout Outcomes) {
    let (account, book) = (holdings[at].account, holdings[at].book)
    let before = holdings[at].holding
    guard before.quantity.raw != 0, let quantity = Self.scale(before.quantity.raw, new, old) else { return }
    touch(holding: at)
    holdings[at].holding.quantity = Quantity(raw: quantity)
    if quantity == 0 {
      // The rest is less than a billionth, which is worth nothing: its cost is a loss, or a gain.
      let lost = Amount.zero.subtractingClamped(before.cost)
      holdings[at].holding.cost = .zero
      holdings[at].holding.realised = before.realised.addingClamped(lost)
      accounts[account].realised = accounts[account].realised.addingClamped(lost)
      return
    }
    let terms = books[book].terms
    let fraction = quantity - terms.wholeLots(quantity)
    if fraction == 0 { return }
    let side: Side = fraction > 0 ? .sell : .buy
    let (price, amount) = (Price(raw: books[book].mark), Quantity(raw: abs(fraction)))
    guard let booking = holdings[at].holding.booking(side, amount, at: price, multiplier: terms.multiplier, fee: .zero),
      let cash = accounts[account].cash.adding(booking.cash), let realised = accounts[account].realised.adding(booking.realised)
    else { return }
    holdings[at].holding = booking.after
    accounts[account].cash = cash
    accounts[account].realised = realised
    out.fills.append(
      Fill(
        account: accounts[account].rules.name, symbol: books[book].symbol, side: side, reason: .cashInLieu, number: nextFill, order: 0,
        price: price, quantity: amount, fee: .zero, realised: booking.realised, position: booking.after.quantity, shown: price,
        shownSize: amount, time: cause.time, received: cause.received))
    nextFill += 1
  }

  private mutating func split(order at: Int, _ new: Int64, _ old: Int64, _ cause: Cause, into out: inout Outcomes) {
    let (holding, book) = (slots[at].holding, slots[at].book)
    let terms = books[book].terms
    let isBuy = slots[at].order.side == .buy
    let before = slots[at].rest
    let position = holdings[holding].holding.quantity.raw
    removeFromPlace(at)
    var order = slots[at].order
    let tick = max(1, terms.tick.raw)
    let limit = Self.rounded(order.limit.raw, old, new, unit: tick, up: !isBuy)
    let stop = order.type == .trailingStop ? 0 : Self.rounded(order.stop.raw, old, new, unit: tick, up: isBuy)
    let trail = Self.rounded(order.trail.raw, old, new, unit: 1, up: true)
    let best = order.best.raw == 0 ? 0 : max(1, Self.nearest(order.best.raw, old, new))
    let others = (isBuy ? holdings[holding].buying : holdings[holding].selling) - before
    guard let scaled = Self.scale(before, new, old), let filled = Self.scale(order.filled.raw, new, old), let limit, let stop, let trail,
      (limit > 0) == (order.limit.raw > 0), (stop > 0) == (order.stop.raw > 0 && order.type != .trailingStop),
      let sums = Self.sums(terms.wholeLots(scaled), filled, others, position, isBuy)
    else { return end(at, .cancelled, .split, cause, into: &out) }
    order.quantity = Quantity(raw: sums.quantity)
    order.filled = Quantity(raw: filled)
    order.limit = Price(raw: limit)
    order.stop = Price(raw: stop)
    order.trail = Price(raw: trail)
    order.best = Price(raw: best)
    order.reason = .split
    slots[at].order = order
    if isBuy { holdings[holding].buying = sums.working } else { holdings[holding].selling = sums.working }
    if best > 0 { note(trail: Int32(at), isBuy ? -best : best) }
    place(at)
    emit(at, cause, into: &out)
  }

  /// An order's whole quantity, and the working quantity of its side; nil if no quantity is left or a number is out of range.
  private static func sums(
    _ rest: Int64, _ filled: Int64, _ others: Int64, _ position: Int64, _ isBuy: Bool
  ) -> (quantity: Int64, working: Int64)? {
    let (quantity, overflow) = rest.addingReportingOverflow(filled)
    let (working, beyond) = rest.addingReportingOverflow(others)
    let (after, outside) = isBuy ? position.addingReportingOverflow(working) : position.subtractingReportingOverflow(working)
    return rest <= 0 || overflow || beyond || outside || after == .min ? nil : (quantity, working)
  }

  /// `value × a / b` rounded towards zero; nil if it is out of range.
  private static func scale(_ value: Int64, _ a: Int64, _ b: Int64) -> Int64? { Int64(exactly: Int128(value) * Int128(a) / Int128(b)) }

  /// `price × a / b` rounded to a billionth, half to even; the largest price if it is out of range.
  private static func nearest(_ price: Int64, _ a: Int64, _ b: Int64) -> Int64 {
    let (quotient, rest) = (Int128(price) * Int128(a)).quotientAndRemainder(dividingBy: Int128(b))
    let isMore = rest * 2 > Int128(b) || (rest * 2 == Int128(b) && quotient % 2 == 1)
    return Int64(clamping: quotient + (isMore ? 1 : 0))
  }

  /// `price × a / b` rounded to whole units; nil if it is out of range.
  private static func rounded(_ price: Int64, _ a: Int64, _ b: Int64, unit: Int64, up: Bool) -> Int64? {
    let divisor = Int128(b) * Int128(unit)
    let (quotient, rest) = (Int128(price) * Int128(a)).quotientAndRemainder(dividingBy: divisor)
    return Int64(exactly: (quotient + (up && rest > 0 ? 1 : 0)) * Int128(unit))
  }
}
