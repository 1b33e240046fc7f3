package import MarketData

/// Fills paper orders at the prices of a market, and books their effects on accounts.
///
/// It is a value without clock, files and tasks: the same calls give the same results. Every call gets the time at which the program
/// received its cause; times that go back count as the latest one. Changes are appended to `Outcomes`.
///
/// **Fill rules.** Paper orders trade with the market only, never with each other, and do not change it.
/// - A *market order* is filled at the touch of the standing quote (the ask for a buy), worse by the account's slippage in ticks. An
///   instrument that has never had a quote gives the next trade's price instead.
/// - Never more than the shown size: the size taken from a side of a quote is unavailable until that side's price or size changes; all
///   orders together get at most a trade's size from a trade. The unfilled part waits for the next price. Parts of lots are not filled.
/// - A *limit order* is filled at the price shown, which is at the limit or better: by a quote at the limit or better; by a trade at the
///   limit or better whose aggressor was on the other side; by a trade of unknown side only if its price is better than the limit.
/// - A *stop* is triggered by the next trade at its price or beyond, for instruments without trades by the ask (buys) or the bid (sells).
///   It is then a market order, a *stop limit* a limit order: filled by the standing quote at once, but never by the trade that triggered
///   it.
/// - A *trailing stop* follows the best of these prices since it was accepted, the last one known then included.
/// - Orders are filled in this order: waiting and resting ones before those that the same price triggers; market orders by number; then
///   limit orders by limit and number, of one trade the buys first. Triggered orders by number.
/// - An *immediate* order (`ioc`) is cancelled after the standing quote has filled what it can; without quotes, after the next trade has.
/// - A halted instrument and a closed market fill and trigger nothing, and no stop follows. Their standing quotes are withdrawn.
/// - Prices of zero and below are not prices; trades with them, and those whose sale condition does not count for the last price, are
///   counted in `ignored`. While an instrument's price is below zero, orders for it are rejected.
package struct Broker {
  struct AccountSlot {
    let rules: AccountRules
    var deposits: Amount
    var cash: Amount
    var realised = Amount.zero
    var fees = Amount.zero
    var reserved = Amount.zero
    /// The account's holdings, linked.
    var firstHolding: Int32 = -1
    var isTouched = false
  }

  struct HoldingSlot {
    let account: Int
    let book: Int
    var holding = Holding()
    /// The quantities that open orders may still buy and sell.
    var buying: Int64 = 0
    var selling: Int64 = 0
    var nextInAccount: Int32
    var nextInBook: Int32
    var isTouched = false
  }

  /// The structure that holds an open order.
  enum Place: UInt8, BitwiseCopyable { case none, market, limit, stop, trail }
  /// The list that contains the order.
  enum Membership: UInt8, BitwiseCopyable { case none, day, immediate }

  struct OrderSlot {
    var order: Order
    var account: Int
    var holding: Int
    var book: Int
    var place = Place.none
    var membership = Membership.none
    var isTriggered = false
    var isFree = false

    /// The unfilled quantity.
    var rest: Int64 { order.quantity.raw - order.filled.raw }
    /// True if the order may be filled without a limit.
    var isMarket: Bool { order.type == .market || order.type == .stop || order.type == .trailingStop }
  }

  struct Market {
    var isOpen = true
    /// When the session ends; the largest time if that is unknown.
    var end = Timestamp(ns: .max)
    /// The market's open day orders.
    var dayOrders = OrderLists.List()
  }

  struct OrderKey: Hashable {
    let account: Int
    let key: String
  }

  struct KeyEntry {
    let number: Int64
    /// `none` if the order was accepted.
    let reason: OrderReason
    /// The slot of the open order; -1 if the order is done.
    var slot: Int32
  }

  let rules: BrokerRules
  private let terms: @Sendable (Symbol) -> TradingTerms?
  var accounts: ContiguousArray<AccountSlot> = []
  var accountPlaces: [Symbol: Int] = [:]
  var books: ContiguousArray<SymbolBook> = []
  /// The index in `books` by symbol handle; -1 if there is none.
  var bookPlaces: [Int32] = []
  var holdings: ContiguousArray<HoldingSlot> = []
  /// The index in `holdings` by account and book.
  var holdingPlaces: [UInt64: Int] = [:]
  var slots: ContiguousArray<OrderSlot> = []
  var freeSlots: ContiguousArray<Int32> = []
  var heaps = OrderHeaps()
  var lists = OrderLists()
  var keys: [OrderKey: KeyEntry] = [:]
  /// The stored keys, the oldest at `oldestKey`; a ring once their number has reached the limit.
  var keyOrder: ContiguousArray<OrderKey> = []
  var oldestKey = 0
  var markets: ContiguousArray<Market> = [Market()]
  /// The earliest end of a session.
  var nextEnd = Int64.max
  /// The latest time of any call.
  var now = Timestamp(ns: .min)
  var nextOrder: Int64 = 1
  var nextFill: Int64 = 1
  // The changes of the present call.
  var touchedHoldings: ContiguousArray<Int> = []
  var touchedAccounts: ContiguousArray<Int> = []
  /// Books whose mark has changed since the holdings were last valued.
  var movedBooks: ContiguousArray<Int> = []
  /// Books that have changed since `takeChangedInstruments`.
  var changedBooks: ContiguousArray<Int> = []
  /// Instruments whose price has fallen below zero since `takeBelowZero`.
  var belowZero: [Symbol] = []
  /// The number of trades ignored because of their price or sale condition.
  package internal(set) var ignored = 0

  /// - Parameter terms: called once for each instrument, when a price, an order or a saved record names it first; returns valid terms, or
  ///   nil if the instrument is not defined.
  package init(_ rules: BrokerRules = BrokerRules(), terms: @escaping @Sendable (Symbol) -> TradingTerms? = { _ in nil }) {
    self.rules = rules
    self.terms = terms
  }

  /// The number of open orders.
  package var openOrders: Int { slots.count - freeSlots.count }

  /// The symbol's book, created if there is none.
  @inline(__always)
  mutating func book(of symbol: Symbol) -> Int {
    let id = Int(symbol.id)
    if id < bookPlaces.count, bookPlaces[id] >= 0 { return Int(bookPlaces[id]) }
    return addBook(symbol)
  }

  @inline(never)
  private mutating func addBook(_ symbol: Symbol) -> Int {
    bookPlaces.grow(toHold: Int(symbol.id), filling: -1)
    bookPlaces[Int(symbol.id)] = Int32(books.count)
    let known = terms(symbol)
    var book = SymbolBook(symbol, known ?? rules.undefined ?? TradingTerms())
    book.isDefined = known != nil
    markets.grow(toHold: book.terms.market, filling: Market())
    book.isOpen = markets[book.terms.market].isOpen
    books.append(book)
    return books.count - 1
  }

  /// The cause of the present call.
  struct Cause: BitwiseCopyable {
    let time: Timestamp
    let received: Timestamp

    /// - Parameter time: the venue's time; ignored if it is too far ahead of its receipt.
    @inline(__always)
    init(_ time: Timestamp, received: Timestamp) {
      self.time = EventClock.fair(time, received: received)
      self.received = received
    }
  }
}
