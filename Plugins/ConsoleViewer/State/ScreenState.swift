internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal

/// Everything that decides what the screen shows: a value. Events change `market`, keys and the rest go through `reduce`, and
/// `ScreenLayout` makes a frame of it; none of them looks at a clock or does I/O.
struct ScreenState {
  /// What a tab shows.
  enum Tab: Hashable {
    case prices
    case watchlist
    /// A list from the configuration.
    case named(String, [Symbol])
    case movers, alerts, log, graph

    var title: String {
      switch self {
      case .prices: "Prices"
      case .watchlist: "Watchlist"
      case .named(let name, _): name
      case .movers: "Movers"
      case .alerts: "Alerts"
      case .log: "Log"
      case .graph: "Graph"
      }
    }

    var isTable: Bool {
      switch self {
      case .prices, .watchlist, .named: true
      default: false
      }
    }
  }

  /// What lies over the tab.
  enum Page: Hashable {
    case list
    case detail(Symbol)
    case help
    /// The choice of columns, with the line that is chosen.
    case columns(Int)
  }

  /// A line that is being typed.
  enum Prompt: Hashable {
    /// With what the filter was before.
    case filter(String, before: String)
    case alert(Symbol, String)

    var text: String {
      switch self {
      case .filter(let text, _), .alert(_, let text): text
      }
    }
  }

  /// A sentence in the status line until some time.
  struct Message: Hashable {
    var text: String
    var isError = false
    var until: Int64
  }

  // What comes from the bus.
  var market = Market()
  /// What the screen shows while it is paused.
  var frozen: Market?
  var connections: [(component: String, status: ConnectionStatus)] = []
  var notifications: [Notification] = []
  var unseen = 0
  /// Alerts that we told although a dispatcher watches them too, with when.
  var told: [String: Int64] = [:]

  // What comes from the terminal and the run.
  var size: TerminalSize
  var panes: [ScreenPane] = []
  var log: [LogEntry] = []
  var run = RunSample()
  var now: Int64 = 0
  var wall = Timestamp(ns: 0)
  /// Where times are shown.
  let zone: DisplayZone
  var rate = 0.0
  var lag: Int64?
  var meter = RateMeter()
  /// What dispatchers watch for.
  var rules: [WatchedRule] = []
  /// When there were prices for the first time.
  var firstPrice: Int64?

  // What somebody has chosen.
  let tabs: [Tab]
  var tab = 0
  var page = Page.list
  var prompt: Prompt?
  /// What is wrong with the line in the prompt after Enter; the line stays.
  var promptFault: String?
  var filter = RowFilter()
  var sorting: Sorting
  var columns: [Column]
  var selection: Symbol?
  /// The first line that is shown, of whatever the page lists.
  var offset = 0
  var pinned: [Symbol] = []
  var watchlist: [Symbol]
  var alerts: [PriceAlert] = []
  var span = ChartSpan.fiveMinutes
  var theme: ThemeName
  /// What somebody was answered.
  var message: Message?
  /// The last alert; stands back for an answer.
  var news: Message?
  /// The order is held until then, because somebody reads.
  var readingUntil = Int64.min

  // What is worked out from it once in a while.
  var order = CalmOrder()
  var ordered: Int64 = .min
  var missing = MissingNames()
  let settings: Preferences

  /// What the configuration says for good.
  struct Preferences: Hashable {
    /// Nanoseconds that a price stays marked.
    var flash: Int64 = 1_000_000_000
    /// Nanoseconds that a row must be due for another place before it moves.
    var calm: Int64 = 1_000_000_000
    /// Rows of the table at the most.
    var rows: Int?
    /// The component's own name.
    var id = "screen"
    /// Where there are no tabs, the watchlist is shown and nothing else.
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
  /// What is shown: the present prices, or those at which the screen was paused.
  var shown: Market { frozen ?? market }
  var current: Tab { tabs[tab] }
  /// True while the order stays because somebody is reading.
  var isReading: Bool { now < readingUntil }

  mutating func say(_ text: String, isError: Bool = false) {
    message = Message(text: text, isError: isError, until: now + 4_000_000_000)
  }

  // MARK: Lists

  /// The rows of a tab that pass the filter, in no order.
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

  /// Brings the order of the table up to date; at most four times a second, because it looks at every row.
  mutating func arrange(force: Bool = false) {
    if !force, now < ordered &+ 250_000_000 { return }
    ordered = now
    guard current.isTable else { return }
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

  /// What the page or the present list was asked to show, by name.
  private var wanted: [String] {
    if case .detail(let symbol) = page { return shown.place(of: symbol) == nil ? [symbol.description] : [] }
    return switch current {
    case .watchlist where filter.isEmpty: watchlist.map(\.description)
    case .named(_, let symbols) where filter.isEmpty: symbols.map(\.description)
    default: filter.names.filter { name in !shown.rows.contains { $0.symbol.description.uppercased().contains(name) } }
    }
  }

  /// A symbol that has not come by then is said to be missing; nil before the first price.
  var missingFrom: Int64? { firstPrice.map { $0 + 2_000_000_000 } }

  /// The rows of the table as they are shown: the pinned ones first.
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
