import MarketData
import StockbusTrading

/// The rules of `Documentation/use/trading.md` written down as slowly and obviously as possible: lists that are sorted for each price, and
/// fractions. It shares nothing with the broker but the types of its input.
final class ModelBroker {
  final class Account {
    let rules: AccountRules
    var cash: Rational
    var realised = Rational.zero
    var fees = Rational.zero

    init(_ rules: AccountRules) {
      self.rules = rules
      cash = money(rules.deposit)
    }
  }

  final class Held {
    var quantity: Int64 = 0
    var cost = Rational.zero
    var realised = Rational.zero
    var fees = Rational.zero
  }

  final class Instrument {
    let symbol: Symbol
    let terms: TradingTerms
    var bid: (price: Int64, size: Int64, left: Int64) = (0, 0, 0)
    var ask: (price: Int64, size: Int64, left: Int64) = (0, 0, 0)
    var hasQuotes = false
    var hasTrades = false
    var isHalted = false
    var isBelowZero = false
    var mark: Int64 = 0

    init(_ symbol: Symbol, _ terms: TradingTerms) {
      self.symbol = symbol
      self.terms = terms
    }

    var multiplier: Rational { Rational(Int128(terms.multiplier.raw), over: 1_000_000_000) }
  }

  final class Item {
    var order: Order
    let account: Account
    let instrument: Instrument
    var reserved: Rational
    var value = Rational.zero
    var fees = Rational.zero
    var isTriggered = false
    /// When it became able to be filled, among all orders.
    var activation = 0

    init(_ order: Order, _ account: Account, _ instrument: Instrument, reserved: Rational) {
      self.order = order
      self.account = account
      self.instrument = instrument
      self.reserved = reserved
    }

    var rest: Int64 { order.quantity.raw - order.filled.raw }
    var waitsForStop: Bool { order.type != .market && order.type != .limit && !isTriggered }
    var isMarket: Bool { !waitsForStop && order.type != .limit && order.type != .stopLimit }
    var isLimit: Bool { !waitsForStop && !isMarket }
  }

  var accounts: [Symbol: Account] = [:]
  var instruments: [Symbol: Instrument] = [:]
  var held: [String: Held] = [:]
  /// The accounts and instruments of accepted orders, in the order of the first one.
  var heldOrder: [String] = []
  var open: [Item] = []
  var keys: [String: OrderReply] = [:]
  var isOpen = true
  var end: Int64?
  var lastOrder: Int64 = 0
  var lastFill: Int64 = 0
  var activations = 0
  /// What has happened, as `text(_:)` writes the broker's.
  var fills: [String] = []
  var orders: [String] = []

  func held(_ account: Account, _ instrument: Instrument) -> Held {
    let key = "\(account.rules.name) \(instrument.symbol)"
    if let one = held[key] { return one }
    held[key] = Held()
    return held[key]!
  }

  // MARK: Prices

  func take(_ quote: Quote) {
    begin(quote.received)
    let instrument = instruments[quote.symbol]!
    let (bid, ask) = (max(0, quote.bid.raw), max(0, quote.ask.raw))
    if quote.bid.raw < 0, ask == 0 { instrument.isBelowZero = true }
    if bid == 0, ask == 0 {
      (instrument.bid, instrument.ask) = ((0, 0, 0), (0, 0, 0))
      return
    }
    instrument.hasQuotes = true
    instrument.isBelowZero = false
    if !instrument.hasTrades {
      instrument.mark = bid == 0 ? ask : ask == 0 ? bid : Int64(Rational(Int128(bid) + Int128(ask), over: 2).floor)
    }
    if instrument.isHalted || !isOpen { return }
    let (bidSize, askSize) = (bid == 0 ? 0 : max(0, quote.bidSize.raw), ask == 0 ? 0 : max(0, quote.askSize.raw))
    if instrument.bid.price != bid || instrument.bid.size != bidSize { instrument.bid = (bid, bidSize, bidSize) }
    if instrument.ask.price != ask || instrument.ask.size != askSize { instrument.ask = (ask, askSize, askSize) }
    meetQuote(instrument)
    cancelImmediate(instrument)
    if !instrument.hasTrades { trigger(instrument) }
  }

  func take(_ trade: Trade) {
    begin(trade.received)
    let instrument = instruments[trade.symbol]!
    if trade.price.raw <= 0 {
      if trade.price.raw < 0 { instrument.isBelowZero = true }
      return
    }
    instrument.isBelowZero = false
    instrument.hasTrades = true
    instrument.mark = trade.price.raw
    if instrument.isHalted || !isOpen { return }
    var left = max(0, trade.size.raw)
    let price = trade.price.raw
    if !instrument.hasQuotes {
      fill(instrument, &left, .nextTrade, price, trade.size.raw) { $0.isMarket }
    }
    let reason: FillReason = trade.side == .unknown ? .limitThrough : .limitTrade
    for side in [Side.buy, .sell] where trade.side != side {
      fill(instrument, &left, reason, price, trade.size.raw) {
        if !$0.isLimit || $0.order.side != side { return false }
        let limit = $0.order.limit.raw
        return limit == price ? trade.side != .unknown : side == .buy ? limit > price : limit < price
      }
    }
    for item in open.filter({ $0.instrument === instrument && $0.order.timeInForce == .ioc && !$0.waitsForStop })
      .sorted(by: { $0.activation < $1.activation })
    { finish(item, .cancelled, .notFilledAtOnce) }
    trigger(instrument)
  }

  /// The standing quote meets the orders; then the immediate ones are done.
  func meetQuoteNow(_ instrument: Instrument) {
    meetQuote(instrument)
    cancelImmediate(instrument)
  }

  private func meetQuote(_ instrument: Instrument) {
    if instrument.ask.price > 0 {
      let price = instrument.ask.price
      fill(instrument, &instrument.ask.left, .touch, price, instrument.ask.size) { $0.isMarket && $0.order.side == .buy }
      fill(instrument, &instrument.ask.left, .limitTouch, price, instrument.ask.size) {
        $0.isLimit && $0.order.side == .buy && $0.order.limit.raw >= price
      }
    }
    if instrument.bid.price > 0 {
      let price = instrument.bid.price
      fill(instrument, &instrument.bid.left, .touch, price, instrument.bid.size) { $0.isMarket && $0.order.side == .sell }
      fill(instrument, &instrument.bid.left, .limitTouch, price, instrument.bid.size) {
        $0.isLimit && $0.order.side == .sell && $0.order.limit.raw <= price
      }
    }
  }

  private func cancelImmediate(_ instrument: Instrument) {
    if !instrument.hasQuotes { return }
    for item in open.filter({ $0.instrument === instrument && $0.order.timeInForce == .ioc && !$0.waitsForStop })
      .sorted(by: { $0.activation < $1.activation })
    { finish(item, .cancelled, .notFilledAtOnce) }
  }

  /// Fills the orders that `reaches` chooses, as long as something is left.
  private func fill(
    _ instrument: Instrument, _ left: inout Int64, _ reason: FillReason, _ shown: Int64, _ size: Int64, _ reaches: (Item) -> Bool
  ) {
    let chosen = open.filter { $0.instrument === instrument && reaches($0) }.sorted {
      if $0.isLimit, $0.order.limit != $1.order.limit { return ($0.order.limit > $1.order.limit) == ($0.order.side == .buy) }
      return $0.order.number < $1.order.number
    }
    for item in chosen {
      let lots = left / instrument.terms.lot.raw * instrument.terms.lot.raw
      if lots == 0 { return }
      left -= book(item, min(lots, item.rest), reason, shown, size)
    }
  }

  func watched(_ instrument: Instrument, _ side: Side) -> Int64 {
    instrument.hasTrades ? instrument.mark : side == .buy ? instrument.ask.price : instrument.bid.price
  }

  private func trigger(_ instrument: Instrument) {
    var triggered: [Item] = []
    for item in open where item.instrument === instrument && item.waitsForStop {
      let isBuy = item.order.side == .buy
      let price = watched(instrument, item.order.side)
      if price == 0 { continue }
      if item.order.type == .trailingStop {
        let best = item.order.best.raw
        if best == 0 || (isBuy ? price < best : price > best) { follow(item, price) }
      }
      if isBuy ? price >= item.order.stop.raw : price <= item.order.stop.raw { triggered.append(item) }
    }
    if triggered.isEmpty { return }
    for item in triggered.sorted(by: { $0.order.number < $1.order.number }) {
      item.isTriggered = true
      item.order.state = .triggered
      item.order.reason = .none
      activations += 1
      item.activation = activations
      note(item)
    }
    meetQuote(instrument)
    cancelImmediate(instrument)
  }

  func follow(_ item: Item, _ best: Int64) {
    item.order.best = Price(raw: best)
    let isBuy = item.order.side == .buy
    if item.order.trail.raw > 0 {
      item.order.stop = Price(raw: max(0, isBuy ? best + item.order.trail.raw : best - item.order.trail.raw))
    } else {
      let share = Rational(Int128(item.order.trailPercent.raw), over: 100_000_000_000)
      let stop = Rational(Int128(best)) * (isBuy ? Rational(1) + share : Rational(1) - share)
      item.order.stop = Price(raw: Int64(isBuy ? stop.ceiling : stop.floor))
    }
  }

  // MARK: Time

  func begin(_ received: Timestamp) {
    if let end, received.ns > end { endSession() }
  }

  func endSession() {
    end = nil
    expire()
    close()
  }

  func expire() {
    for item in open.filter({ $0.order.timeInForce == .day }).sorted(by: { $0.order.number < $1.order.number }) {
      finish(item, .expired, .sessionEnd)
    }
  }

  func close() {
    if !isOpen { return }
    isOpen = false
    for instrument in instruments.values { withdraw(instrument) }
  }

  func withdraw(_ instrument: Instrument) { (instrument.bid, instrument.ask) = ((0, 0, 0), (0, 0, 0)) }
}

/// An amount as a fraction of a unit.
func money(_ amount: Amount) -> Rational { Rational(amount.raw, over: 1_000_000_000_000_000_000) }
