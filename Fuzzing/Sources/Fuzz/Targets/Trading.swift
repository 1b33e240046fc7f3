internal import EventBus
internal import MarketData
@testable import PaperBroker
internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

extension Target {
  /// A broker's desk: lines that begin with `trade` or `quote` are prices, all others are commands, as a person types them. Each command is
  /// carried out or refused with a sentence; money is conserved; nothing is filled beyond an order's quantity; and a desk that is restored
  /// from its state has this state.
  static let orders = Target(
    "orders", "commands to a paper broker, and prices", limit: 1024,
    words: [
      "\nbuy ", "\nsell ", "\npreview buy ", "\ncancel ", "\nreplace 1 ", "\nhalt ", "\nresume ", "\nopen ", "\nshow", " in ", "one", "two",
      "AAPL",
      "BTC",
      " at ", " stop ", " trail ", "1%", " key ", " quantity ", " day", " gtc", " ioc", "\ntrade AAPL 100 10 buy",
      "\nquote AAPL 99 101 5 5",
      "9223372036.854775807", "0.000000001",
    ],
    seeds: [
      "quote AAPL 99 101 5 5\nbuy AAPL 10 in one\ntrade AAPL 100 3 sell\nsell AAPL 3 at 100 in one\ntrade AAPL 101 9 buy\nshow in one",
      "trade BTC 100 1\nsell BTC 0.5 trail 1% gtc key a in two\ntrade BTC 120 1\nreplace a trail 2 in two\ntrade BTC 90 9\ncancel 1 in two",
      "buy AAPL 1 stop 5 at 6 ioc in two\nhalt AAPL\ntrade AAPL 5 5\nresume AAPL\ntrade AAPL 5 5 sell\npreview sell AAPL 2 in two",
      "open three\nopen one\nquote AAPL 99 101 5 5\nbuy AAPL 2 in three\nshow in three",
    ].map { Array($0.utf8) }, budget: 300
  ) { bytes in
    var desk = Desk(settings, Instruments())
    var second: Int64 = 0
    for line in text(bytes).split(whereSeparator: \.isNewline) {
      second += 1
      let time = Timestamp(ns: 1_381_239_000_000_000_000 + second * 500_000_000)
      if let price = MarketLine(line, at: time) {
        price.take(by: &desk)
      } else if let command = Command(line: String(line)) {
        do throws(CommandError) {
          let answer = try answer(to: OrderCommand(command), by: &desk, now: time)
          law(isHarmless(answer), "answers \(answer)")
        } catch { law(isHarmless(error.description), "refuses in a sentence: \(error)") }
      }
      if second % 4 == 0 { desk.advance(to: time) }
      check(&desk)
    }
    desk.valueNow()
    let saved = desk.state()
    var other = Desk(settings, Instruments())
    do throws(BrokerError) { try other.restore(settings, from: saved) } catch { law(false, "what was saved is refused: \(error)") }
    if desk.hasBegun { law(other.state() == saved, "another state is restored than was saved") }
  }

  /// What the broker answers in words, without its file.
  private static func answer(to command: OrderCommand, by desk: inout Desk, now: Timestamp) throws(CommandError) -> String {
    let account = command.account
    switch command.action {
    case .submit(let order): return try desk.submit(order, in: account, now: now).words()
    case .preview(let order): return try desk.preview(order, in: account, now: now).text
    case .replace(let name, let change): return try desk.replace(name, by: change, in: account, now: now).words()
    case .cancel(let name): return try desk.cancel(name, in: account, now: now).words()
    case .open(let name): return try desk.open(name, now: now).text
    case .halt(let symbol), .resume(let symbol):
      if case .halt = command.action { desk.halt(symbol, true, now: now) } else { desk.halt(symbol, false, now: now) }
      return "\(symbol)"
    case .show: return desk.summary(of: try desk.account(account))
    case .fills: return "the fills of a file"
    }
  }

  /// Lines of words that control no terminal.
  private static func isHarmless(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.allSatisfy { $0.terminalEffect != .control }
  }

  private static let accounts: [Symbol] = ["one", "two"]

  private static let settings = {
    var settings = PaperBrokerSettings()
    settings.accounts = accounts.map { name in
      var account = PaperAccount()
      account.name = name
      if name == "two" {
        account.margin.short = false
        account.fees.perShare = Price(raw: 5_000_000)
        account.fees.minimum = 1
      }
      return account
    }
    settings.newcomers = "two"
    settings.openOrders = 50
    return settings
  }()

  private static func check(_ desk: inout Desk) {
    let state = desk.broker.snapshot()
    for account in state.accounts {
      // In quarters, because the sums may be out of range.
      let cost = state.positions.lazy.filter { $0.account == account.account }.reduce(Int128(0)) { $0 + $1.cost.raw / 4 }
      let difference = account.cash.raw / 4 + cost - (account.deposits.raw / 4 + account.realised.raw / 4 - account.fees.raw / 4)
      law(difference.magnitude < 200, "money is not conserved: \(account)")
    }
    law(state.orders.count == desk.broker.openOrders && state.orders.count <= 50, "\(state.orders.count) open orders")
    for order in state.orders { law(order.filled.raw >= 0 && order.filled < order.quantity, "an open order that is filled: \(order)") }
  }

  /// A price as a line: `trade SYMBOL PRICE SIZE [SIDE]` or `quote SYMBOL BID ASK BIDSIZE ASKSIZE`.
  private enum MarketLine {
    case trade(Trade)
    case quote(Quote)

    init?(_ line: Substring, at time: Timestamp) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 4, let symbol = try? Symbol(words[1]) else { return nil }
      func price(_ at: Int) -> Price { (try? Price(words[at])) ?? 0 }
      func size(_ at: Int) -> Quantity { (try? Quantity(words[at])) ?? 0 }
      switch words[0] {
      case "trade":
        let side: Side = words.count < 5 ? .unknown : words[4] == "buy" ? .buy : .sell
        self = .trade(Trade(symbol: symbol, price: price(2), size: size(3), time: time, received: time, side: side))
      case "quote" where words.count >= 6:
        self = .quote(
          Quote(symbol: symbol, bid: price(2), ask: price(3), bidSize: size(4), askSize: size(5), time: time, received: time))
      default: return nil
      }
    }

    func take(by desk: inout Desk) {
      switch self {
      case .trade(let trade): give(trade, to: &desk) { $0.take(trade: $1, into: &$2) }
      case .quote(let quote): give(quote, to: &desk) { $0.take(quote: $1, into: &$2) }
      }
    }

    private func give<E: Event>(_ event: E, to desk: inout Desk, _ take: (inout Broker, E, inout Outcomes) -> Void) {
      let events = [event]
      _ = desk.process(events.span, take)
    }
  }
}
