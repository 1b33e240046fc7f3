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
    /// `fault` says why Enter did not take the text, which stays.
    case alert(Symbol, String, fault: String? = nil)
    case order(OrderDraft)
    /// A question: there is nothing to type.
    case cancel(Portfolio.OrderID)

    var text: String {
      switch self {
      case .filter(let text, _), .alert(_, let text, _): text
      case .order(let draft): draft.text
      case .cancel: ""
      }
    }
  }

  /// A message in the status line, shown until some time.
  struct Message: Hashable {
    var text: String
    var isError = false
    /// An alert is shown after the reply to a key or command.
    var isAlert = false
    var until: Int64
  }

  /// The alerts that have fired, the newest last.
  struct Notifications {
    private(set) var all: [ScreenNotification] = []
    private(set) var unseen = 0
    /// Alerts that the screen has shown and that a dispatcher checks too, with the time.
    private var expected: [String: Int64] = [:]

    mutating func add(_ notification: ScreenNotification, isSeen: Bool) {
      all.append(notification)
      if all.count > ScreenState.kept { all.removeFirst() }
      if !isSeen { unseen += 1 }
    }

    mutating func markSeen() { unseen = 0 }

    /// The dispatcher will report an alert that is shown already.
    mutating func expect(_ rule: String, at now: Int64) { expected[rule] = now }

    /// Returns true, once, if the alert was shown in the minute before.
    mutating func isRepetition(_ rule: String, at now: Int64) -> Bool {
      guard let shown = expected[rule], now - shown < 60_000_000_000 else { return false }
      expected[rule] = nil
      return true
    }
  }

  /// What a symbol's page shows.
  struct ChartChoice: Hashable {
    /// The span of the line of prices.
    var span = ChartSpan.fiveMinutes
    /// The chosen length of candles, and whether the line of prices is shown instead.
    var barLength: BarLength?
    var showsLine = false
    /// The span of the history; nil to show only data received during the run.
    var past: PastSpan?
    /// The time of the candle whose figures are shown.
    var crosshair: Timestamp?

    /// From candles to the line of prices and back; from the past to the line.
    mutating func turn() {
      showsLine = past != nil || !showsLine
      past = nil
    }

    /// Switches to a longer (`step` 1) or shorter span of the past, from the end of those of the run on; returns false if there is none.
    mutating func stepPast(_ step: Int, atEnd: Bool) -> Bool {
      let all = PastSpan.allCases
      if let span = past, let at = all.firstIndex(of: span) {
        past = at + step < 0 ? nil : all[min(at + step, all.count - 1)]
      } else if step > 0, atEnd {
        past = all.first
      } else {
        return false
      }
      crosshair = nil
      return true
    }
  }

  // The state from the bus.
  var market = Market()
  /// The contents of the screen while it is paused.
  var frozen: (market: Market, portfolio: Portfolio)?
  var portfolio = Portfolio()
  /// True once the fills of runs before were asked for.
  var hasAskedFills = false
  var connections: [(component: String, status: ConnectionStatus)] = []
  var notifications = Notifications()

  // The state of the terminal and the run.
  var size: TerminalSize
  var panes: [ScreenPane] = []
  var log: [LogEntry] = []
  var run = RunSample()
  var problems: [String] = []
  /// Where the run's page is.
  var address: String?
  var now: Int64 = 0
  var wall = Timestamp(ns: 0)
  /// The zone in which times are shown.
  let zone: DisplayZone
  var lag: Int64?
  var meter = RateMeter()
  /// The rules of dispatchers.
  var rules: [WatchedRule] = []

  // The user's choices.
  private let usualTabs: [Tab]
  var tab = 0
  var page = Page.list
  var prompt: Prompt?
  var filter = RowFilter()
  var sorting: Sorting
  var columns: [Column]
  var selection: Symbol?
  /// The first line of the page's list that is shown.
  var offset = 0
  var pinned: [Symbol] = []
  var watchlist: [Symbol]
  var alerts: [PriceAlert] = []
  var chart = ChartChoice()
  /// The order to which keys apply on the portfolio's page.
  var chosenOrder: Portfolio.OrderID?
  /// The number of previews requested so far.
  var previews = 0
  var past = PastPage()
  var theme: ThemeName
  /// How often the next period of movers was chosen.
  var moverChoice = 0
  /// The reply to a key or command, then the last alert.
  private(set) var messages: [Message] = []
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
    usualTabs = [.prices, .watchlist] + lists.map { .named($0.name, $0.symbols) } + [.movers, .alerts, .log, .graph]
  }

  var isPaused: Bool { frozen != nil }
  /// The shown prices: the current ones, or those at which the screen was paused.
  var shown: Market { frozen?.market ?? market }
  var shownPortfolio: Portfolio { frozen?.portfolio ?? portfolio }
  /// The number of events so far that change the page.
  var changes: Int { market.total &+ portfolio.total }
  /// The portfolio's tab is there from its first event on, after the others, so that their numbers stay.
  var tabs: [Tab] { portfolio.total == 0 && portfolio.fills.isEmpty ? usualTabs : usualTabs + [.portfolio] }
  var current: Tab { tabs[tab] }
  /// True while the order does not change because the user is choosing a row.
  var isReading: Bool { now < readingUntil }

  mutating func say(_ text: String, isError: Bool = false, isAlert: Bool = false) {
    messages.removeAll { $0.isAlert == isAlert }
    let begin = isAlert ? max(now, messages.first?.until ?? now) : now
    let message = Message(text: text, isError: isError, isAlert: isAlert, until: begin + 4_000_000_000)
    messages.insert(message, at: isAlert ? messages.count : 0)
  }

  /// Removes the messages whose time has passed.
  mutating func passMessages() { messages.removeAll { $0.until <= now } }

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
    return filter.isEmpty ? rows : rows.filter { filter.matches(Int($0), of: market) }
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
    missing.look(for: wanted, in: market, at: now)
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
