package import StockbusPlugin
internal import StockbusTrading

/// Which sessions of instruments with a calendar fill orders.
package enum TradedSessions: String, Choice {
  case regular, all
}

package struct PaperBrokerSettings: Options {
  @Setting("The accounts; orders name one of them.", count: 1...1000)
  package var accounts: [PaperAccount]
  @Setting(
    "The account whose terms those accounts get that are opened while the run goes on, by 'open NAME' and for people of a dashboard with accounts. Without it none is opened."
  )
  package var newcomers: Symbol?
  @Setting(
    "The file, an SQLite database, that keeps accounts, orders and fills; each change is in it before it is answered. Without it they are kept in memory only.",
    length: 1...)
  package var path: String?
  @Setting(
    "How long a write that fails, as on a full disk or while another program locks the file, is tried again before the component fails; prices wait meanwhile, and orders are refused.",
    in: .zero ... .seconds(86_400))
  package var patience = Duration.seconds(30)
  @Setting(
    "How often positions and accounts are valued at the last prices and sent, in time of receipts; fills send them at once anyway.",
    in: .milliseconds(1) ... .seconds(86_400))
  package var valueEvery = Duration.seconds(1)
  @Setting(
    "Which sessions of instruments with a calendar fill orders, regular ones or all (pre, regular, post); with the last one of a date its day orders expire."
  )
  package var sessions = TradedSessions.regular
  @Setting("The most open orders of all accounts together.", in: 1...1_000_000)
  package var openOrders = 100_000

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    var names: Set<Symbol> = []
    for (place, account) in accounts.enumerated() {
      if !names.insert(account.name).inserted { problems.add("account \(shown(account.name.description)) is there twice", at: "accounts") }
      let rules = account.rules
      if let fault = rules.margin.fault ?? rules.fees.fault {
        problems.add("account \(place + 1), \(shown(account.name.description)): \(fault)", at: "accounts")
      }
      if account.deposit.raw < 0 { problems.add("account \(shown(account.name.description)): a deposit below zero", at: "accounts") }
    }
    if let newcomers, !names.contains(newcomers) {
      problems.add(
        "no account \(shown(newcomers.description))" + didYouMean(newcomers.description, among: names.map(\.description)), at: "newcomers")
    }
    if path == "-" { problems.add("'path' is a file; leave it out to keep nothing", at: "path") }
  }

  package var files: [FileUse] { path.map { [.writing(database: $0, at: "path", mayBeRead: false)] } ?? [] }
}

/// An account as it is written in a configuration.
package struct PaperAccount: Options {
  @Setting("Its name; orders, positions and fills name it.")
  package var name: Symbol = "paper"
  @Setting("What it is kept in; instruments of another currency are refused.")
  package var currency: Symbol = "USD"
  @Setting("What is paid in at the start.")
  package var deposit: Price = 100_000
  @Setting("How many ticks of the instrument (`tick_size`) worse than the shown price a market order is filled.", in: 0...10_000)
  package var slippage = 0
  @Setting("How much equity positions tie up.")
  package var margin = PaperMargin()
  @Setting("What orders cost.")
  package var fees = PaperFees()

  package init() {}

  var rules: AccountRules {
    AccountRules(
      name, currency: currency, deposit: Amount(deposit),
      margin: MarginRule(long: margin.long, short: margin.short ? margin.shortMargin : nil),
      fees: FeeRule(
        perUnit: fees.perShare, perOrder: fees.perOrder, rate: Percent(raw: fees.basisPoints.raw / 100), minimum: fees.minimum,
        maximum: fees.maximum, decimals: UInt8(clamping: fees.decimals)), slippage: UInt16(clamping: slippage))
  }
}

package struct PaperMargin: Options {
  @Setting("Per cent of a long position's value; 100% is an account without credit.", in: Percent(raw: 1)...)
  package var long: Percent = 100
  @Setting("Whether it may be short: sell more than it holds. false refuses such orders.")
  package var short = true
  @Setting("Per cent of a short position's value, if `short` is true.", in: Percent(raw: 1)...)
  package var shortMargin: Percent = 150

  package init() {}
}

package struct PaperFees: Options {
  @Setting("For each unit filled.", in: Price(raw: 0)...)
  package var perShare: Price = 0
  @Setting("For each order, paid once, with its first fill.", in: Price(raw: 0)...)
  package var perOrder: Price = 0
  @Setting("Of the value, in basis points: 1 is 0.01%. At most seven decimals count.", in: Quantity(raw: 0)...10_000)
  package var basisPoints: Quantity = 0
  @Setting("At least, for an order.", in: Price(raw: 0)...)
  package var minimum: Price = 0
  @Setting("At most, for an order.", in: Price(raw: 0)...)
  package var maximum: Price?
  @Setting("Decimals of the currency to which an order's fee is rounded, half to even.", in: 0...18)
  package var decimals = 2

  package init() {}
}
