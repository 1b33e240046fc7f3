internal import StockbusPlugin
internal import StockbusTrading

/// A command to the broker, in words: `buy AAPL 100 at 189.25 gtc`.
struct OrderCommand {
  enum Action {
    case trade(Trading)
    case open(Symbol)
    case halt(Symbol)
    case resume(Symbol)
    case fills
  }

  /// What is done in one account.
  enum Trading {
    case submit(Request)
    case preview(Request)
    case cancel(String)
    case replace(String, Request)
    case show
  }

  /// What is known of an order.
  struct Request {
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
    CommandInfo("cancel ORDER [in ACCOUNT]", "Cancels what is not filled of an order, by its number or key."),
    CommandInfo(
      "replace ORDER [quantity QUANTITY] [at LIMIT] [stop PRICE] [in ACCOUNT]", "Puts another order in the place of an open one."),
    CommandInfo("open ACCOUNT", "Opens an account with the terms of 'newcomers'."),
    CommandInfo("halt SYMBOL", "Stops trading in an instrument."),
    CommandInfo("resume SYMBOL", "Lets trading in an instrument go on."),
    CommandInfo("show [in ACCOUNT]", "Shows an account: its money, positions and open orders."),
    CommandInfo("fills [in ACCOUNT]", "Shows the last 200 fills of the file, also those of runs before, as JSON, one in a line."),
  ]

  let action: Action
  let account: Symbol?

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
    case "buy", "sell": action = .trade(.submit(try Self.request(command.verb, words)))
    case "preview":
      guard let side = words.first, side == "buy" || side == "sell" else { throw CommandError("write 'preview buy …' or 'preview sell …'") }
      action = .trade(.preview(try Self.request(side, words.dropFirst())))
    case "cancel":
      guard let name = words.first, words.count == 1 else { throw CommandError("write 'cancel ORDER', by its number or key") }
      action = .trade(.cancel(name))
    case "replace":
      guard let name = words.first, words.count > 1 else {
        throw CommandError("write 'replace ORDER' and what is to change: 'replace 2 at 190'")
      }
      var request = Request()
      try Self.read(words.dropFirst(), into: &request, mayChangeQuantity: true)
      action = .trade(.replace(name, request))
    case "halt", "resume":
      guard let name = words.first, words.count == 1 else { throw CommandError("write '\(command.verb) SYMBOL'") }
      let symbol = try Self.symbol(name)
      action = command.verb == "halt" ? .halt(symbol) : .resume(symbol)
    case "show":
      if !words.isEmpty { throw CommandError("write 'show' or 'show in ACCOUNT'") }
      action = .trade(.show)
    case "fills":
      if !words.isEmpty { throw CommandError("write 'fills' or 'fills in ACCOUNT'") }
      action = .fills
    case "open":
      guard let name = words.first, words.count == 1 else { throw CommandError("write 'open ACCOUNT'") }
      action = .open(try Self.symbol(name))
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
}
