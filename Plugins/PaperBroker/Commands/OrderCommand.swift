internal import StockbusPlugin
internal import StockbusTrading

/// A command to the broker, in words: `buy AAPL 100 at 189.25 gtc`.
struct OrderCommand {
  enum Action {
    case submit(OrderRequest)
    case preview(OrderRequest)
    case replace(String, OrderTerms)
    case cancel(String)
    case open(Symbol)
    case halt(Symbol)
    case resume(Symbol)
    case show
    case fills
  }

  static let infos = [
    CommandInfo(
      "buy SYMBOL QUANTITY [at LIMIT] [stop PRICE] [trail DISTANCE] [day|gtc|ioc] [key KEY] [in ACCOUNT]",
      "Buys at the market, at a limit, or once a stop is reached; a trailing distance is a price or a percentage."),
    CommandInfo("sell SYMBOL QUANTITY [WORDS]", "Sells, with the words of 'buy'."),
    CommandInfo("preview buy|sell SYMBOL QUANTITY [WORDS]", "Shows what an order would cost, without sending it."),
    CommandInfo("cancel ORDER [in ACCOUNT]", "Cancels the unfilled part of an order, by its number or key."),
    CommandInfo(
      "replace ORDER [quantity QUANTITY] [at LIMIT] [stop PRICE] [in ACCOUNT]", "Replaces an open order by another one."),
    CommandInfo("open ACCOUNT", "Opens an account with the terms of 'newcomers'."),
    CommandInfo("halt SYMBOL", "Stops trading in an instrument."),
    CommandInfo("resume SYMBOL", "Resumes trading in an instrument."),
    CommandInfo("show [in ACCOUNT]", "Shows an account: its money, positions and open orders."),
    CommandInfo("fills [in ACCOUNT]", "Shows the last 200 fills of the file, including those of earlier runs, as JSON, one on each line."),
  ]

  let action: Action
  let account: String?

  init(_ command: Command) throws(CommandError) {
    var words = command.arguments[...]
    var account: String?
    // The last words may name the account.
    if words.count >= 2, words[words.endIndex - 2] == "in" {
      account = try Self.symbol(words[words.endIndex - 1]).description
      words = words.dropLast(2)
    }
    self.account = account
    switch command.verb {
    case "buy", "sell": action = .submit(try Self.request(command.verb, words))
    case "preview":
      guard let side = words.first, side == "buy" || side == "sell" else { throw CommandError("write 'preview buy …' or 'preview sell …'") }
      action = .preview(try Self.request(side, words.dropFirst()))
    case "cancel":
      guard let name = words.first, words.count == 1 else { throw CommandError("write 'cancel ORDER', by its number or key") }
      action = .cancel(name)
    case "replace":
      var change = OrderTerms()
      try Self.read(words.dropFirst(), into: &change, mayChangeQuantity: true)
      // Without a name nothing is to change either, and the desk says so.
      action = .replace(words.first ?? "", change)
    case "halt", "resume":
      guard let name = words.first, words.count == 1 else { throw CommandError("write '\(command.verb) SYMBOL'") }
      let symbol = try Self.symbol(name)
      action = command.verb == "halt" ? .halt(symbol) : .resume(symbol)
    case "show":
      if !words.isEmpty { throw CommandError("write 'show' or 'show in ACCOUNT'") }
      action = .show
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

  private static func request(_ side: String, _ words: ArraySlice<String>) throws(CommandError) -> OrderRequest {
    guard words.count >= 2 else { throw CommandError("write '\(side) SYMBOL QUANTITY', such as '\(side) AAPL 100 at 189.25'") }
    let symbol = try symbol(words[words.startIndex])
    var terms = OrderTerms()
    try terms.set(.quantity, to: words[words.startIndex + 1])
    try read(words.dropFirst(2), into: &terms, mayChangeQuantity: false)
    return OrderRequest(side == "buy" ? .buy : .sell, symbol, terms)
  }

  private static func read(_ words: ArraySlice<String>, into terms: inout OrderTerms, mayChangeQuantity: Bool) throws(CommandError) {
    let parts = OrderTerms.Part.allCases.filter { $0 != .quantity || mayChangeQuantity }
    let times = TimeInForce.allCases.map(\.fieldName)
    var rest = words
    while let word = rest.popFirst() {
      if times.contains(word) {
        try terms.setTimeInForce(word)
        continue
      }
      guard let part = parts.first(where: { $0.rawValue == word }) else {
        throw CommandError("unknown word \(shown(word))" + didYouMean(word, among: parts.map(\.rawValue) + times))
      }
      guard let value = rest.popFirst() else { throw CommandError("'\(word)' needs a value") }
      try terms.set(part, to: value)
    }
  }

  private static func symbol(_ text: String) throws(CommandError) -> Symbol {
    do throws(TextError) { return try Symbol(text) } catch { throw CommandError("\(shown(text)): \(error.reason)") }
  }
}
