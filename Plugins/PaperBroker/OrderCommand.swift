internal import StockbusPlugin
internal import StockbusTrading

/// A command to the broker, in words: `buy AAPL 100 at 189.25 gtc`.
struct OrderCommand {
  private enum Action {
    case submit(Request)
    case preview(Request)
    case cancel(key: String)
    case replace(key: String, Request)
    case halt(Symbol)
    case resume(Symbol)
    case show
  }

  /// What is known of an order.
  private struct Request {
    var side = Side.unknown
    var symbol: Symbol?
    var quantity: Quantity?
    var limit: Price = 0
    var stop: Price = 0
    var trail: Price = 0
    var trailPercent: Percent = 0
    var timeInForce: TimeInForce?
    var key: String?

    var type: OrderType {
      if trail.raw != 0 || trailPercent.raw != 0 { return .trailingStop }
      if stop.raw != 0 { return limit.raw != 0 ? .stopLimit : .stop }
      return limit.raw != 0 ? .limit : .market
    }
  }

  static let infos = [
    CommandInfo(
      "buy SYMBOL QUANTITY [at LIMIT] [stop PRICE] [trail DISTANCE] [day|gtc|ioc] [key KEY] [in ACCOUNT]",
      "Buys: at the market, at a limit, or from a stop on; a trailing distance is a price or a percentage."),
    CommandInfo("sell SYMBOL QUANTITY [WORDS]", "Sells, with the words of 'buy'."),
    CommandInfo("preview buy|sell SYMBOL QUANTITY [WORDS]", "Says what an order would cost, and does nothing."),
    CommandInfo("cancel KEY [in ACCOUNT]", "Cancels what is not filled of an order."),
    CommandInfo("replace KEY [quantity QUANTITY] [at LIMIT] [stop PRICE] [in ACCOUNT]", "Puts another order in the place of an open one."),
    CommandInfo("halt SYMBOL", "Stops trading in an instrument."),
    CommandInfo("resume SYMBOL", "Lets trading in an instrument go on."),
    CommandInfo("show [in ACCOUNT]", "Shows an account: its money, positions and open orders."),
  ]

  private let action: Action
  private let account: Symbol?

  init(_ command: Command) throws(CommandError) {
    var words = command.arguments[...]
    var account: Symbol?
    // The last words may name the account.
    if words.count >= 2, words[words.endIndex - 2] == "in" {
      account = try Self.symbol(words[words.endIndex - 1])
      words = words.dropLast(2)
    }
    self.account = account
    switch command.verb {
    case "buy", "sell": action = .submit(try Self.request(command.verb, words))
    case "preview":
      guard let side = words.first, side == "buy" || side == "sell" else { throw CommandError("write 'preview buy …' or 'preview sell …'") }
      action = .preview(try Self.request(side, words.dropFirst()))
    case "cancel":
      guard let key = words.first, words.count == 1 else { throw CommandError("write 'cancel KEY'") }
      action = .cancel(key: key)
    case "replace":
      guard let key = words.first, words.count > 1 else { throw CommandError("write 'replace KEY' and what is to change") }
      var request = Request()
      try Self.read(words.dropFirst(), into: &request, mayChangeQuantity: true)
      action = .replace(key: key, request)
    case "halt", "resume":
      guard let name = words.first, words.count == 1 else { throw CommandError("write '\(command.verb) SYMBOL'") }
      let symbol = try Self.symbol(name)
      action = command.verb == "halt" ? .halt(symbol) : .resume(symbol)
    case "show":
      if !words.isEmpty { throw CommandError("write 'show' or 'show in ACCOUNT'") }
      action = .show
    default: throw CommandError.unknownCommand(command.verb, known: Self.infos.map(\.verb))
    }
  }

  // MARK: Reading

  private static func request(_ side: String, _ words: ArraySlice<String>) throws(CommandError) -> Request {
    guard words.count >= 2 else { throw CommandError("write '\(side) SYMBOL QUANTITY', such as '\(side) AAPL 100 at 189.25'") }
    var request = Request(side: side == "buy" ? .buy : .sell)
    request.symbol = try symbol(words[words.startIndex])
    request.quantity = try quantity(words[words.startIndex + 1])
    try read(words.dropFirst(2), into: &request, mayChangeQuantity: false)
    return request
  }

  private static func read(_ words: ArraySlice<String>, into request: inout Request, mayChangeQuantity: Bool) throws(CommandError) {
    var rest = words
    while let word = rest.popFirst() {
      if let force = TimeInForce.allCases.first(where: { $0.fieldName == word }) {
        request.timeInForce = force
        continue
      }
      let known = ["at", "stop", "trail", "key"] + (mayChangeQuantity ? ["quantity"] : []) + TimeInForce.allCases.map(\.fieldName)
      guard known.contains(word) else { throw CommandError("unknown word \(shown(word))" + didYouMean(word, among: known)) }
      guard let value = rest.popFirst() else { throw CommandError("'\(word)' needs a value") }
      switch word {
      case "at": request.limit = try price(value)
      case "stop": request.stop = try price(value)
      case "trail": if value.hasSuffix("%") { request.trailPercent = try percent(value) } else { request.trail = try price(value) }
      case "quantity": request.quantity = try quantity(value)
      default: request.key = value
      }
    }
  }

  private static func symbol(_ text: String) throws(CommandError) -> Symbol {
    do throws(TextError) { return try Symbol(text) } catch { throw CommandError("\(shown(text)): \(error.reason)") }
  }

  private static func price(_ text: String) throws(CommandError) -> Price {
    guard let price = try? Price(text), price.raw > 0 else { throw CommandError("\(shown(text)) is no price above zero") }
    return price
  }

  private static func quantity(_ text: String) throws(CommandError) -> Quantity {
    guard let quantity = try? Quantity(text), quantity.raw > 0 else { throw CommandError("\(shown(text)) is no quantity above zero") }
    return quantity
  }

  private static func percent(_ text: String) throws(CommandError) -> Percent {
    guard let percent = try? Percent(String(text.dropLast())), percent.raw > 0 else {
      throw CommandError("\(shown(text)) is no percentage above zero")
    }
    return percent
  }

  // MARK: Doing

  /// Returns what was done, in words; throws why nothing was.
  func perform(on desk: inout Desk, accounts: [Symbol], now: Timestamp) throws(CommandError) -> String {
    guard let account = account ?? (accounts.count == 1 ? accounts[0] : nil) else {
      throw CommandError("which account? write 'in \(accounts.first.map(\.description) ?? "NAME")' at the end")
    }
    guard accounts.contains(account) else {
      throw CommandError("no account '\(account)'" + didYouMean(account.description, among: accounts.map(\.description)))
    }
    switch action {
    case .submit(let request):
      let key = request.key ?? "command-\(now.ns)"
      let reply = desk.command(now: now) { broker, time, outcomes in
        broker.submit(order(request, account, key: key, at: time), into: &outcomes)
      }
      return try words(reply, key: key, done: "order \(reply.number), key \(key)")
    case .preview(let request):
      let estimate = desk.command(now: now) { broker, time, _ in broker.estimate(order(request, account, key: "preview", at: time)) }
      guard let estimate else { throw CommandError("its cost is out of range") }
      return words(estimate)
    case .cancel(let key):
      let reply = desk.command(now: now) { broker, time, outcomes in
        broker.cancel(account: account, key: key, time: time, received: time, into: &outcomes)
      }
      return try words(reply, key: key, done: "cancelled order \(reply.number)")
    case .replace(let key, let change):
      guard let old = desk.openOrders(of: account).first(where: { $0.key == key }) else {
        throw CommandError("no open order \(shown(key))")
      }
      let new = change.key ?? "command-\(now.ns)"
      let reply = desk.command(now: now) { broker, time, outcomes in
        var order = old
        order.key = new
        order.replaces = key
        order.state = .new
        order.quantity = change.quantity ?? Quantity(raw: old.quantity.raw - old.filled.raw)
        if change.limit.raw != 0 { order.limit = change.limit }
        if change.stop.raw != 0 { order.stop = change.stop }
        if change.trail.raw != 0 || change.trailPercent.raw != 0 { (order.trail, order.trailPercent) = (change.trail, change.trailPercent) }
        if let force = change.timeInForce { order.timeInForce = force }
        order.time = time
        order.received = time
        return broker.submit(order, into: &outcomes)
      }
      return try words(reply, key: new, done: "order \(reply.number), key \(new), in the place of \(key)")
    case .halt(let symbol):
      desk.command(now: now) { $0.halt(symbol, at: $1, into: &$2) }
      return "\(symbol) is halted"
    case .resume(let symbol):
      desk.command(now: now) { $0.resume(symbol, at: $1, into: &$2) }
      return "\(symbol) goes on with the next price"
    case .show: return desk.summary(of: account)
    }
  }

  private func order(_ request: Request, _ account: Symbol, key: String, at time: Timestamp) -> Order {
    Order(
      account: account, key: key, symbol: request.symbol ?? "?", side: request.side, type: request.type, quantity: request.quantity ?? 0,
      limit: request.limit, stop: request.stop, trail: request.trail, trailPercent: request.trailPercent,
      timeInForce: request.timeInForce ?? .day, time: time, received: time)
  }

  private func words(_ reply: OrderReply, key: String, done: String) throws(CommandError) -> String {
    if reply.isAccepted { return reply.isRepeated ? "done before: " + done : done }
    throw CommandError(
      "not done: " + reply.reason.sentence + (reply.isRepeated ? " (the answer to the first request with the key \(key))" : ""))
  }

  private func words(_ estimate: Broker.Estimate) -> String {
    if estimate.price.raw == 0 { return "no price is known" }
    var text = "at \(estimate.price): value \(estimate.value), fee \(estimate.fee)"
    if estimate.reason != .none { return text + "; it would be refused: " + estimate.reason.sentence }
    text += ", sets aside \(estimate.reserved), leaves \(estimate.buyingPower) to trade with"
    return text
  }
}

extension OrderReason {
  /// For a person who has sent an order.
  var sentence: String {
    switch self {
    case .none: "no reason"
    case .asked: "as asked"
    case .unknownAccount: "there is no such account"
    case .unknownInstrument: "there is no such instrument"
    case .unknownOrder: "there is no such order"
    case .alreadyDone: "the order is done already"
    case .otherCurrency: "the instrument is not traded in the account's currency"
    case .badKey: "a key has 1 to 64 bytes"
    case .badSide: "it is neither buy nor sell"
    case .badQuantity: "the quantity is not above zero, or too large"
    case .notInLots: "the quantity is not a whole number of lots"
    case .badPrice: "a price is missing or of no use to this type of order"
    case .offTick: "a price is not a whole number of ticks"
    case .badTrail: "the trailing distance is not above zero, or not below 100%"
    case .insufficientBuyingPower: "not enough to trade with"
    case .shortNotAllowed: "the account may not sell what it does not have"
    case .closed: "the market is closed"
    case .halted: "the instrument is halted"
    case .tooManyOrders: "too many open orders"
    case .outOfRange: "an amount is out of range"
    case .notFilledAtOnce: "it could not be filled at once"
    case .sessionEnd: "the session has ended"
    case .split: "the instrument was split"
    }
  }
}
