import StockbusPlugin

/// A configuration to start from: short, with a comment on each line, and valid as it is.
struct StarterConfig: Sendable {
  /// What can be written, for the help.
  struct Kind: Sendable {
    let word: String
    var usage: String
    let what: String
  }

  /// Why there is no such configuration.
  struct Mistake: Error, CustomStringConvertible { let description: String }

  /// In one clause without a full stop.
  let what: String
  let text: String
  /// Options with their likeliest value, which the user may have to change; a line each.
  var assumed: [String] = []
  /// Commands of the program to be given before it is run.
  var before: [String] = []

  static let kinds = [
    Kind(word: "demo", usage: "demo", what: "a whole market with made-up prices, what 'demo' runs"),
    Kind(word: "csv", usage: "csv FILE", what: "a file of trades, quotes or bars; asks what it does not say"),
    Kind(word: "venue", usage: "venue NAME", what: "live prices of a venue"),
    Kind(word: "alerts", usage: "alerts", what: "rules over made-up prices, and where their alerts go"),
    Kind(word: "household", usage: "household", what: "a page on which each person has a login and a paper account"),
    Kind(word: "plugin", usage: "plugin", what: "a program of your own as a processor, here a line of awk"),
  ]

  /// True if the program has the plugins that these configurations name.
  static func isPossible(_ catalogue: Catalogue) -> Bool {
    let needed: Set = [
      "generator", "sorting_feed", "bars", "movers", "paper_broker", "console_viewer", "dashboard", "notification_dispatcher", "websocket",
      "program_processor",
    ]
    return needed.isSubset(of: catalogue.plugins.map(\.name))
  }

  init(_ word: String, _ name: String?, _ catalogue: Catalogue) throws(Mistake) {
    if word == "venue" {
      self = try Self.venue(name, among: Self.venues(catalogue))
      return
    }
    let starters = [("demo", Self.demo), ("alerts", .alerts), ("household", .household), ("plugin", .plugin)]
    guard let starter = starters.first(where: { $0.0 == word }) else {
      let words = Self.kinds.map(\.word)
      throw Mistake(
        description: "there is no configuration \(shown(word)) to start from"
          + didYouMean(word, among: words, otherwise: "; there are \(words.joined(separator: ", "))"))
    }
    if let name { throw Mistake(description: "\(shown(name)): '\(word)' needs no further word") }
    self = starter.1
  }

  init(what: String, text: String) { (self.what, self.text) = (what, text) }

  private init(_ word: String, _ text: String, before: [String] = []) {
    what = Self.kinds.first { $0.word == word }?.what ?? word
    self.text = text
    self.before = before
  }
}

extension StarterConfig {
  /// What `demo` runs.
  static let demo = StarterConfig(
    "demo",
    """
    # A whole market with made-up prices. 'stockbus run' runs it, 'stockbus describe PLUGIN' shows what else can be written here.
    instruments: demo  # names and industries; a CSV file of your own, or a list, is possible too

    sources:
      # Made-up prices: one each second, and an hour of them at the start.
      made_up_shares: { plugin: generator, symbols: 25, interval: 1s, past: 1h, volatility: 0.05% }
      # In their place: a venue, a file, a program of your own.
      made_up_coins: { plugin: generator, symbols: [BTC-USD, ETH-USD, SOL-USD], interval: 1s, past: 1h, volatility: 0.06% }

    processors:
      ranked: { plugin: sorting_feed, inputs: [made_up_shares, made_up_coins], by: percent, order: descending }  # the order of the table
      minutes: { plugin: bars, inputs: [made_up_shares, made_up_coins], lengths: [1m] }  # the candles of the chart
      movers: { plugin: movers, inputs: [made_up_shares, made_up_coins], period: day, reference: first_price }  # gainers, losers, most active
      # Play money: orders are filled at these prices.
      broker: { plugin: paper_broker, inputs: [made_up_shares, made_up_coins], accounts: [{ name: paper, deposit: 100000 }] }

    sinks:
      # The screen of the terminal: ? lists its keys.
      screen: { plugin: console_viewer, inputs: [ranked, minutes, movers, alerts, broker.positions, broker.accounts] }
      # The same in a browser; port 0 is any free port, and the first line of the log has the address.
      web:
        plugin: dashboard
        inputs: [ranked, minutes, movers, alerts, connections, broker.orders, broker.fills, broker.positions, broker.accounts]
        listen: 127.0.0.1:0
      # What is worth knowing; 'channels' would send it to a desktop, a phone or a program.
      alerts: { plugin: notification_dispatcher, inputs: [ranked], rules: [{ name: quick rise, rises_by: 0.8%, window: 1m, cooldown: 10m }] }

    """)

  fileprivate static let alerts = StarterConfig(
    "alerts",
    """
    # Alerts from made-up prices. 'stockbus run' prints them, and keeps them in alerts.jsonl.
    sources:
      prices: { plugin: generator, symbols: 25, interval: 1s, volatility: 0.3% }  # in place of it: a venue, a file

    sinks:
      screen: { plugin: console_viewer, inputs: [prices, alerts] }  # the prices, and what has fired
      alerts:
        plugin: notification_dispatcher
        inputs: [prices]
        rules:
          - { name: AAPL above 200, symbol: AAPL, crosses_above: 200, rearm: 0.5% }  # again once it was half a per cent below
          - { name: quick rise, symbols: [NVDA, TSLA], rises_by: 1%, window: 1m, cooldown: 5m }  # within a minute, at most every five
          - { name: deep fall, of: percent, below: -3%, once: true }  # any symbol, 3% below its first price
        channels:
          - file: { path: alerts.jsonl, format: jsonl }  # a line each
          - webhook: { url: "${WEBHOOK_URL:-}" }  # a POST each, if WEBHOOK_URL is set; 'describe notification_dispatcher channels' has more

    """)

  fileprivate static let household = StarterConfig(
    "household",
    """
    # A page on which each person has a login, lists of its own and a paper account. Prices are made up.
    instruments: demo  # names and industries

    sources:
      prices: { plugin: generator, symbols: 25, interval: 1s, past: 1h, volatility: 0.05% }  # in place of it: a venue, a file

    processors:
      ranked: { plugin: sorting_feed, inputs: [prices], by: percent, order: descending }  # the order of the table
      minutes: { plugin: bars, inputs: [prices], lengths: [1m] }  # the candles of the chart
      movers: { plugin: movers, inputs: [prices], period: day, reference: first_price }  # gainers, losers, most active
      broker:
        plugin: paper_broker
        inputs: [prices]
        path: household.db  # keeps accounts, orders and fills
        accounts: [{ name: paper, deposit: 100000 }]
        newcomers: paper  # a person's own account is opened with the terms of this one

    sinks:
      web:
        plugin: dashboard
        inputs: [ranked, minutes, movers, alerts, connections, broker.orders, broker.fills, broker.positions, broker.accounts]
        listen: 127.0.0.1:8080  # this machine only; for others see Documentation/use/accounts.md
        accounts: closed  # who may log in is made by 'stockbus account add'
        file: household.db  # keeps people, lists and settings
      alerts: { plugin: notification_dispatcher, inputs: [prices], rules: [], channels: [] }  # each person's own are made on the page

    """,
    before: ["account add NAME --can trade --file household.db  (for each person)"])

  fileprivate static let plugin = StarterConfig(
    "plugin",
    """
    # A program of your own as a processor: it reads an event a line, and what it writes goes on. Here awk; any other will do.
    # 'stockbus plugin new NAME' begins a plugin with options, tests and an exact protocol.
    sources:
      prices: { plugin: generator, symbols: 25, interval: 1s }  # made-up prices

    processors:
      cheap:
        plugin: program_processor
        inputs: [prices]
        protocol: lines  # plain lines, in and out
        format: csv  # in the order of 'stockbus describe trade': the first is the symbol, the second the price
        run: [awk, "-F,", "$2 < 100 { print; fflush() }"]  # fflush() passes a line on at once

    sinks:
      screen: { plugin: console_viewer, inputs: [cheap] }  # what awk lets pass

    """)

  /// The venues that the plugin `websocket` knows.
  private static func venues(_ catalogue: Catalogue) -> [String] {
    let preset = catalogue["websocket"]?.optionInfos.first { $0.name == "preset" }
    return (preset?.rangeText ?? "").split(separator: ", ").map(String.init)
  }

  /// What a venue that asks for an account wants, and the variables with it.
  private static let credentials = [
    "alpaca": #"{ key: "${ALPACA_KEY:-not-set}", secret: "${ALPACA_SECRET:-not-set}" }"#,
    "finnhub": #"{ token: "${FINNHUB_TOKEN:-not-set}" }"#, "massive": #"{ key: "${MASSIVE_KEY:-not-set}" }"#,
  ]

  private static func venue(_ name: String?, among names: [String]) throws(Mistake) -> StarterConfig {
    guard let name else { throw Mistake(description: "a venue has a name: \(names.joined(separator: ", "))") }
    guard names.contains(name) else {
      let near = didYouMean(name, among: names, otherwise: "; there are \(names.joined(separator: ", "))")
      throw Mistake(description: "no venue \(shown(name))\(near)")
    }
    let credentials = credentials[name]
    let symbols =
      switch name {
      case _ where credentials != nil: "[AAPL, NVDA, TSLA]"
      case "binance", "binance_futures": "[BTC-USDT, ETH-USDT]"
      case "bitfinex": "[BTCUSD, ETHUSD]"
      default: "[BTC-USD, ETH-USD]"
      }
    let key = credentials.map { "\n    credentials: \($0)  # from the environment" } ?? ""
    return StarterConfig(
      "venue",
      """
      # Live prices of \(name). 'stockbus describe websocket' shows what else can be written here.
      sources:
        live:
          plugin: websocket
          preset: \(name)  # how this venue is spoken to
          symbols: \(symbols)  # as the venue writes them
          event: trade  # or quote, or bar\(key)

      processors:
        ranked: { plugin: sorting_feed, inputs: [live], by: percent, order: descending }  # the order of the table
        minutes: { plugin: bars, inputs: [live], lengths: [1m] }  # the candles of the chart

      sinks:
        screen: { plugin: console_viewer, inputs: [ranked, minutes, connections] }  # the screen of the terminal: ? lists its keys
        web: { plugin: dashboard, inputs: [ranked, minutes, connections], listen: 127.0.0.1:8080 }  # the same in a browser

      """)
  }
}
