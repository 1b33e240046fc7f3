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
    "The account whose terms new accounts get that are opened during the run, by 'open NAME' or for the accounts of a dashboard. Without it no account can be opened."
  )
  package var newcomers: Symbol?
  @Setting(
    "The file, an SQLite database, that keeps accounts, orders and fills; each change is saved before it is confirmed. Without it they are kept in memory only.",
    length: 1...)
  package var path: String?
  @Setting(
    "How long a failed write is retried before the component fails, for example on a full disk or while another program locks the file; meanwhile prices wait, and orders are refused.",
    in: .zero ... .seconds(86_400))
  package var patience = Duration.seconds(30)
  @Setting(
    "How often positions and accounts are valued at the last prices and sent, by the receive times of events; after a fill they are sent at once.",
    in: .milliseconds(1) ... .seconds(86_400))
  package var valueEvery = Duration.seconds(1)
  @Setting(
    "In which sessions of instruments with a calendar orders are filled: regular, or all (pre, regular, post). Day orders expire at the end of the last session of their date."
  )
  package var sessions = TradedSessions.regular
  @Setting("The most open orders of all accounts together.", in: 1...1_000_000)
  package var openOrders = 100_000

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    var names: Set<Symbol> = []
    for (place, account) in accounts.enumerated() {
      if !names.insert(account.name).inserted { problems.add("account \(shown(account.name.description)) is given twice", at: "accounts") }
      let rules = account.rules
      if let fault = rules.margin.fault ?? rules.fees.fault {
        problems.add("account \(place + 1), \(shown(account.name.description)): \(fault)", at: "accounts")
      }
      if account.deposit.raw < 0 { problems.add("account \(shown(account.name.description)): the deposit is below zero", at: "accounts") }
    }
    if let newcomers, !names.contains(newcomers) {
      problems.add(
        "no account \(shown(newcomers.description))" + didYouMean(newcomers.description, among: names.map(\.description)), at: "newcomers")
    }
    if path == "-" { problems.add("'path' must be a file; leave it out to keep nothing", at: "path") }
  }

  package var files: [FileUse] { path.map { [.writing(database: $0, at: "path", mayBeRead: false)] } ?? [] }
}

/// An account as it is written in a configuration.
package struct PaperAccount: Options {
  @Setting("Its name; orders, positions and fills name it.")
  package var name: Symbol = "paper"
  @Setting("The currency of the account; orders for instruments of another currency are refused.")
  package var currency: Symbol = "USD"
  @Setting("The deposit at the start.")
  package var deposit: Price = 100_000
  @Setting("How many ticks (`tick_size` of the instrument) worse than the market price a market order is filled.", in: 0...10_000)
  package var slippage = 0
  @Setting("The margin: how much equity positions need.")
  package var margin = PaperMargin()
  @Setting("The fees of orders.")
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
  @Setting("The margin of a long position, in per cent of its value; 100% is an account without credit.", in: Percent(raw: 1)...)
  package var long: Percent = 100
  @Setting("Whether the account may sell short, that is, more than it holds. With false such orders are refused.")
  package var short = true
  @Setting("The margin of a short position, in per cent of its value, if `short` is true.", in: Percent(raw: 1)...)
  package var shortMargin: Percent = 150

  package init() {}
}

package struct PaperFees: Options {
  @Setting("The fee for each unit filled.", in: Price(raw: 0)...)
  package var perShare: Price = 0
  @Setting("The fee for each order, paid once, with its first fill.", in: Price(raw: 0)...)
  package var perOrder: Price = 0
  @Setting("The fee in basis points of the value: 1 is 0.01%. At most seven decimals count.", in: Quantity(raw: 0)...10_000)
  package var basisPoints: Quantity = 0
  @Setting("The minimum fee for an order.", in: Price(raw: 0)...)
  package var minimum: Price = 0
  @Setting("The maximum fee for an order.", in: Price(raw: 0)...)
  package var maximum: Price?
  @Setting("Decimals of the currency to which an order's fee is rounded, half to even.", in: 0...18)
  package var decimals = 2

  package init() {}
}
