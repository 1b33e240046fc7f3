internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// A value with all the state that determines the screen's contents. Events change `market`; keys and all other input are handled by
/// `reduce`; `ScreenLayout` makes a frame of the state. None of them reads a clock or does I/O.
struct ScreenState {
  /// The page that a tab shows.
  enum Tab: Hashable {
    case prices
    case watchlist
    /// A list from the configuration.
    case named(String, [Symbol])
    case movers, alerts, log, graph
    /// Only in runs with events of trading.
    case portfolio

    var title: String {
      switch self {
      case .prices: "Prices"
      case .watchlist: "Watchlist"
      case .named(let name, _): name
      case .movers: "Movers"
      case .alerts: "Alerts"
      case .log: "Log"
      case .graph: "Graph"
      case .portfolio: "Portfolio"
      }
    }

    var isTable: Bool {
      switch self {
      case .prices, .watchlist, .named: true
      default: false
      }
    }
  }

  /// A page shown over the tab.
  enum Page: Hashable {
    case list
    case detail(Symbol)
    case help
    /// The choice of columns, with the selected line.
    case columns(Int)
  }

  /// A line that is being typed.
  enum Prompt: Hashable {
    /// `before` is the filter before the prompt was opened.
    case filter(String, before: String)
    case alert(Symbol, String)
    case order(OrderDraft)
    /// A question: there is nothing to type.
    case cancel(Portfolio.OrderID)

    var text: String {
      switch self {
      case .filter(let text, _), .alert(_, let text): text
      case .order(let draft): draft.text
      case .cancel: ""
      }
    }
  }

  /// A message in the status line, shown until some time.
  struct Message: Hashable {
    var text: String
    var isError = false
    var until: Int64
  }

  // The state from the bus.
  var market = Market()
  /// The contents of the screen while it is paused.
  var frozen: (market: Market, portfolio: Portfolio)?
  var portfolio = Portfolio()
  /// True once the fills of runs before were asked for.
  var hasAskedFills = false
  var connections: [(component: String, status: ConnectionStatus)] = []
  var notifications: [ScreenNotification] = []
  var unseen = 0
  /// Alerts that the screen has shown and that a dispatcher checks too, with the time.
  var told: [String: Int64] = [:]

  // The state of the terminal and the run.
  var size: TerminalSize
  var panes: [ScreenPane] = []
  var log: [LogEntry] = []
  var run = RunSample()
  var now: Int64 = 0
  var wall = Timestamp(ns: 0)
  /// The zone in which times are shown.
  let zone: DisplayZone
  var rate = 0.0
  var lag: Int64?
  var meter = RateMeter()
  /// The rules of dispatchers.
  var rules: [WatchedRule] = []
  /// When there were prices for the first time.
  var firstPrice: Int64?

  // The user's choices.
  private(set) var tabs: [Tab]
  var tab = 0
  var page = Page.list
  var prompt: Prompt?
  /// The fault of the text in the prompt after Enter; the text stays.
  var promptFault: String?
  var filter = RowFilter()
  var sorting: Sorting
  var columns: [Column]
  var selection: Symbol?
  /// The first line of the page's list that is shown.
  var offset = 0
  var pinned: [Symbol] = []
  var watchlist: [Symbol]
  var alerts: [PriceAlert] = []
  var span = ChartSpan.fiveMinutes
  /// The order to which keys apply on the portfolio's page.
  var chosenOrder: Portfolio.OrderID?
  /// The number of previews requested so far.
  var previews = 0
  /// The chosen length of candles, and whether the line of prices is shown instead.
  var barLength: BarLength?
  var showsLine = false
  /// The span of the history that a symbol's page shows; nil to show only data received during the run.
  var pastSpan: PastSpan?
  var past = PastPage()
  /// The time of the candle whose figures are shown.
  var crosshair: Timestamp?
  var theme: ThemeName
  /// How often the next period of movers was chosen.
  var moverChoice = 0
  /// The reply to a key or command.
  var message: Message?
  /// The last alert; shown after a reply.
  var news: Message?
  /// The order does not change until this time, because the user is choosing a row.
  var readingUntil = Int64.min

  // State that is derived from the above from time to time.
  var order = CalmOrder()
  var ordered: Int64 = .min
  var missing = MissingNames()
  let settings: Preferences

  /// Settings of the configuration.
  struct Preferences: Hashable {
    /// How long a price stays marked, in nanoseconds.
    var flash: Int64 = 1_000_000_000
    /// How long a row must belong in another place before it moves, in nanoseconds.
    var calm: Int64 = 1_000_000_000
    /// The maximum number of rows of the table.
    var rows: Int?
    /// The component's own name.
    var id = "screen"
    /// Whether there is a history to be read for charts.
    var hasHistory = false
    /// If there are no tabs, only the watchlist is shown.
    var showsWatchlist = false
  }

  init(
    size: TerminalSize, columns: [Column] = Column.usual, sorting: Sorting = Sorting(.rank), theme: ThemeName = .dark,
    watchlist: [Symbol] = [],
    lists: [(name: String, symbols: [Symbol])] = [], settings: Preferences = Preferences(), zone: DisplayZone = .utc
  ) {
    self.zone = zone
    self.size = size
    self.columns = columns
    self.sorting = sorting
    self.theme = theme
    self.watchlist = watchlist
    self.settings = settings
    tabs = [.prices, .watchlist] + lists.map { .named($0.name, $0.symbols) } + [.movers, .alerts, .log, .graph]
  }

  var isPaused: Bool { frozen != nil }
  /// The shown prices: the current ones, or those at which the screen was paused.
  var shown: Market { frozen?.market ?? market }
  var shownPortfolio: Portfolio { frozen?.portfolio ?? portfolio }
  /// The number of events so far that change the page.
  var changes: Int { market.total &+ portfolio.total }
  var current: Tab { tabs[tab] }
  /// True while the order does not change because the user is choosing a row.
  var isReading: Bool { now < readingUntil }

  /// The portfolio's tab is added with its first event, after the others, so that their numbers stay.
  mutating func addPortfolioTab() { if tabs.last != .portfolio { tabs.append(.portfolio) } }

  mutating func say(_ text: String, isError: Bool = false) {
    message = Message(text: text, isError: isError, until: now + 4_000_000_000)
  }

  // MARK: Lists

  /// The period whose lists the movers' page shows; nil if there is none, so that the screen compares prices itself.
  var moverPeriod: MoverPeriod? {
    let periods = shown.movers.periods
    return periods.isEmpty ? nil : periods[moverChoice % periods.count]
  }

  /// The rows of a tab that pass the filter, in any order.
  func rows(of tab: Tab) -> [Int32] {
    let market = shown
    let rows: [Int32]
    switch tab {
    case .watchlist: rows = watchlist.compactMap { market.place(of: $0).map(Int32.init) }
    case .named(_, let symbols): rows = symbols.compactMap { market.place(of: $0).map(Int32.init) }
    default: rows = (0..<Int32(market.rows.count)).map { $0 }
    }
    return filter.isEmpty ? rows : rows.filter { filter.matches(market.rows[Int($0)]) }
  }

  /// Updates the order of the table; at most four times a second, because it reads every row, and less often where there are very many.
  mutating func arrange(force: Bool = false) {
    if !force, now < ordered &+ 250_000_000 &* Int64(max(1, shown.rows.count / 20_000)) { return }
    ordered = now
    guard current.isTable else { return }
    let wanted = wanted
    // A requested symbol has a row however many symbols there are.
    for name in wanted { market.want(name) }
    let market = shown
    missing.look(for: wanted, in: market, isDue: (missingFrom ?? .max) <= now)
    let target = sorting.sorted(rows(of: current), of: market)
    if force {
      order.take(target)
    } else if isReading || isPaused {
      order.hold(target)
    } else {
      order.follow(target, at: now, delay: settings.calm)
    }
  }

  /// The names of the symbols that the page or the current list should show.
  private var wanted: [String] {
    if case .detail(let symbol) = page { return shown.place(of: symbol) == nil ? [symbol.description] : [] }
    return switch current {
    case .watchlist where filter.isEmpty: watchlist.map(\.description)
    case .named(_, let symbols) where filter.isEmpty: symbols.map(\.description)
    default: filter.names.filter { name in !shown.rows.contains { name.isIn($0.symbol) } }.map(\.description)
    }
  }

  /// When a symbol without an event is reported as missing; nil before the first price.
  var missingFrom: Int64? { firstPrice.map { $0 + 2_000_000_000 } }

  /// The rows of the table in the shown order: the pinned ones first.
  var listed: [Int32] {
    if pinned.isEmpty { return order.rows }
    let market = shown
    let first = pinned.compactMap { market.place(of: $0).map(Int32.init) }.filter(order.rows.contains)
    return first + order.rows.filter { !first.contains($0) }
  }

  /// The symbols of the table as they are shown.
  var listedSymbols: [Symbol] {
    let market = shown
    return listed.map { market.rows[Int($0)].symbol }
  }
}

/// A line of the log page.
struct LogEntry: Hashable {
  enum Weight: Hashable { case quiet, normal, warning, error }
  var time: Timestamp?
  var weight: Weight
  var text: String
}
