public import StockbusPlugin
internal import StockbusInstruments
internal import StockbusTerminal
package import StockbusViewing

extension Plugin {
  /// Shows prices.
  public static let consoleViewer = Plugin(
    "console_viewer", "Shows prices on the console: a full screen with keys on a terminal, plain lines elsewhere.",
    .sink(ConsoleViewer.self))
}

/// Shows prices, trading accounts, alerts and connection states: on a terminal as a full screen with keys, elsewhere as a line for each event.
///
/// An event costs some nanoseconds, because it only updates its symbol's row. Everything else is computed when a frame is drawn: at most
/// once in `refresh`, and not at all while nothing changes.
package actor ConsoleViewer: MultiSink, BackgroundComponent, CommandableComponent, BlockComponent, MarketShowingComponent {
  package static let handlers: [Handler<ConsoleViewer>] = [
    Handler(Trade.self) { $0.show($1, { $0.take($1, at: $2) }, line: { $0.priceLine($1) }) },
    Handler(Quote.self) { $0.show($1, { $0.take($1, at: $2) }, line: { $0.priceLine($1) }) },
    Handler(Bar.self) { $0.show($1, { $0.take($1, at: $2) }, line: { $0.priceLine($1) }) },
    Handler(Ranked.self) { $0.show($1, { $0.take($1, at: $2) }, line: { PlainText.line($1, zone: $0.context.zone) }) },
    Handler(Mover.self) { $0.show($1, { market, movers, _ in market.take(movers) }, line: { PlainText.line($1, zone: $0.context.zone) }) },
    Handler(Alert.self) { $0.report($1) },
    Handler(ConnectionStatus.self) { $0.report($1) },
    Handler(Order.self) { $0.show($1, { $0.take($1) }, line: { TradingText.line($0, zone: $1) }) },
    Handler(Fill.self) { $0.show($1, { $0.take($1) }, line: { TradingText.line($0, zone: $1) }) },
    // Positions and accounts are frequent, so without a full screen they are lines only with `plain`, and where nothing can be redrawn.
    Handler(Position.self) { $0.show($1, isFrequent: true, { $0.take($1) }, line: { TradingText.line($0, zone: $1) }) },
    Handler(AccountState.self) { $0.show($1, isFrequent: true, { $0.take($1) }, line: { TradingText.line($0, zone: $1) }) },
  ]

  enum Mode { case full, inline, plain }

  let settings: ConsoleViewerSettings
  let context: Context
  let terminal: Terminal
  private(set) var mode: Mode
  var state: ScreenState
  /// The first price of every symbol; used for plain lines.
  private var references = LatestBySymbol<Price>()
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?
  /// Lines that `settle` prints.
  var lines: [StyledLine] = []
  let bell = Parker()
  let inbox: ScreenInbox
  let store: ViewerStore?
  /// Nil if the run has no history.
  let charts: ChartReader?
  /// True while the drawing task sleeps.
  var isAsleep = false
  /// Why the full screen could not be opened.
  private var refusal: ScreenRefusal?
  /// False if the watchlist is for this run only, and is not saved.
  var keepsWatchlist = true
  /// The columns behind plain lines, by their names on the screen.
  private let besideLines: [(name: String, column: BatchColumn)]
  /// The symbols that are shown without a full screen; nil for all.
  private let only: Set<Symbol>?
  /// The symbols that the configuration names.
  private var expectedSymbols: ExpectedSymbols
  /// True after `q` was pressed.
  var wasQuit = false
  /// Effects of commands, to be carried out by the drawing task.
  var effects: [ScreenEffect] = []
  var lastLogLine = 0
  var lastSample: Int64 = .min
  var lastRules: Int64 = .min
  let events: Counter
  let frames: Counter

  package static func namedSymbols(_ settings: ConsoleViewerSettings) -> [NamedSymbol] {
    let watched = (settings.watch ?? []).enumerated().map { NamedSymbol($1.description, in: "watch", item: $0) }
    let listed = settings.watchlists.entries.flatMap { list in
      list.value.enumerated().map { NamedSymbol($1.description, in: list.name, item: $0).inside("watchlists") }
    }
    return watched + listed
  }

  package static func textFaults(in settings: ConsoleViewerSettings, reading columns: ColumnLayout) -> [TextFault] {
    let shown = (settings.columns ?? []).enumerated().compactMap { item, column in
      column.fault(reading: columns).map { TextFault("columns", item: item, "'columns': \($0)") }
    }
    return shown + (settings.sort.fault(reading: columns).map { [TextFault("sort", "'sort': \($0)", character: 0)] } ?? [])
  }

  package static func marketLimits(_: ConsoleViewerSettings) -> MarketLimits { MarketLimits() }

  package static func withoutEffects(_ settings: ConsoleViewerSettings) -> ConsoleViewerSettings {
    var settings = settings
    (settings.state, settings.screen, settings.plain) = ("-", .inline, false)
    // Nobody sees what lasts for moments.
    (settings.flash, settings.calm) = (.zero, .zero)
    return settings
  }

  package init(_ settings: ConsoleViewerSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    let terminal = context.terminal
    self.terminal = terminal
    mode = settings.plain || !terminal.capabilities.canRedraw ? .plain : settings.screen == .full ? .full : .inline
    inbox = ScreenInbox(waking: bell)
    let path = settings.state == nil ? ViewerMemory.usualPath : settings.state == "-" ? nil : settings.state
    store = path.map { ViewerStore(path: $0) }
    charts = context.past.path.map { ChartReader(path: $0, context.instruments) }
    only = settings.watch.map { Set($0) }
    expectedSymbols = ExpectedSymbols((settings.watch ?? []).map(\.description), after: context.recall(ExpectedSymbols.memory))
    var state = ScreenState(
      size: terminal.size, columns: settings.columns ?? Column.usual(with: RowColumns.named(context.columns.layout)),
      sorting: Sorting(settings.sort, isDescending: settings.descending),
      theme: settings.theme, lists: settings.watchlists.entries.map { ($0.name, $0.value) },
      settings: .init(
        flash: settings.flash.wholeNanoseconds, calm: settings.calm.wholeNanoseconds, rows: settings.rows, id: context.id,
        hasHistory: context.past.path != nil, showsWatchlist: settings.watch != nil),
      zone: context.zone)
    state.market = context.market()
    state.market.keep(context.columns)
    besideLines = Self.columnsOfLines(settings, context.columns)
    for list in settings.watchlists.entries { for symbol in list.value { state.market.want(symbol.description) } }
    if let watch = settings.watch {
      keepsWatchlist = false
      _ = state.reduce(.watch(watch))
    }
    splits = SplitWatch(context.instruments)
    if settings.lastPrices, !context.past.isEmpty {
      state.market.begin(withLastPricesOf: settings.watch ?? context.past.symbols)
    }
    self.state = state
    events = context.counter("events", "Events shown.")
    frames = context.counter("frames", "Frames drawn.")
  }

  /// Opens the screen before other components write.
  package func start() async throws {
    guard mode != .plain else { return }
    await recallMemory()
    if mode == .full {
      let inbox = inbox
      do {
        refusal = try await terminal.openScreen(owner: context.id, mouse: settings.mouse) { inbox.add(.terminal($0)) }
      } catch { throw EnvironmentFailure("\(error)", isPermanent: true) }
      // If another program has the screen or the keyboard, a table in place can still be drawn.
      if refusal != nil { mode = .inline }
    }
    await draw()
  }

  private func recallMemory() async {
    guard let store else { return }
    let (memory, fault) = await store.recall()
    if let fault { context.logger.warning("\(fault)") }
    if settings.watch == nil { state.watchlist = memory.watchlist }
    state.alerts = memory.alerts
    for symbol in state.watchlist + state.alerts.map(\.symbol) { state.market.want(symbol.description) }
  }

  // MARK: Events

  /// Where there is a screen, `take` adds the events to the market; elsewhere each event is a line.
  private func show<E: SymbolEvent>(
    _ batch: Span<E>, _ take: (inout Market, Span<E>, _ now: Int64) -> Void, line: (isolated ConsoleViewer, E) -> String
  ) {
    expectedSymbols.look(at: batch)
    if mode == .plain {
      let shown = batch.indices.filter { isShown(batch[$0].symbol) }
      lines += shown.map { StyledLine(line(self, batch[$0]) + textBeside($0)) }
      return events.add(shown.count)
    }
    events.add(batch.count)
    take(&state.market, batch, now)
    requestFrame()
  }

  private func report(_ batch: Span<Alert>) {
    let alerts = batch.indices.map { batch[$0] }.filter { mode == .full || isShown($0.symbol) }
    events.add(alerts.count)
    if mode == .full {
      effects += state.reduce(.alerts(alerts))
      requestFrame()
    } else {
      let zone = context.zone
      lines += alerts.map { StyledLine("\(zone.stamp($0.time)) ALERT \($0.rule): \($0.message)", Style(.yellow, bold: true)) }
    }
  }

  private func report(_ batch: Span<ConnectionStatus>) {
    events.add(batch.count)
    let statuses = batch.indices.map { batch[$0] }
    if mode != .plain {
      _ = state.reduce(.status(statuses))
      requestFrame()
    } else {
      let zone = context.zone
      lines += statuses.map {
        StyledLine("\(zone.stamp($0.time)) \($0.component) \($0.state.fieldName): \($0.reason)", Style(.yellow, bold: true))
      }
    }
  }

  private func priceLine<E: PricedEvent>(_ event: E) -> String {
    while let split = splits?.take(event) {
      if let first = references[event.symbol] { references.update(split.adjust(first) ?? event.lastPrice, for: event.symbol) }
    }
    let first = references[event.symbol] ?? event.lastPrice
    if references[event.symbol] == nil, event.condition.countsForLast { references.update(first, for: event.symbol) }
    return PlainText.line(event, change: Row.difference(event.lastPrice, first), zone: context.zone)
  }

  private static func columnsOfLines(_ settings: ConsoleViewerSettings, _ columns: BatchColumns) -> [(name: String, column: BatchColumn)] {
    let names = RowColumns.named(columns.layout).names
    return zip(names, columns.layout.names.compactMap { columns[$0] }).filter { name, _ in
      settings.columns.map { $0.contains(.beside(name)) } ?? true
    }.map { ($0, $1) }
  }

  /// ` vwap=48.75 away=+0.10%`, as far as the event has values.
  private func textBeside(_ i: Int) -> String {
    if besideLines.isEmpty { return "" }
    return besideLines.map { name, column in column[i].map { " \(name)=\(column.info.kind.text($0, zone: context.zone))" } ?? "" }.joined()
  }

  func isShown(_ symbol: Symbol) -> Bool { only.map { $0.contains(symbol) } ?? true }

  var now: Int64 { context.clock.uptime.wholeNanoseconds }

  /// Wakes the drawing task if it sleeps.
  func requestFrame() {
    if isAsleep {
      isAsleep = false
      bell.wake()
    }
  }

  /// Prints the collected lines. It waits for a slow reader of the output, which slows the bus down, so that lines do not pile up.
  package func settle() async throws {
    if lines.isEmpty { return }
    let out = lines
    lines = []
    do { try await terminal.print(out) } catch {
      if error.isBrokenPipe { context.noteLostReader() }
      context.lose(out.count, "\(error)")
      throw EnvironmentFailure("\(error)", isPermanent: true)
    }
  }

  // MARK: The end

  package func drain() async throws {
    try await settle()
    if mode != .plain {
      // The last frame stays on the terminal, so its order must be up to date.
      state.arrange(force: true)
      await draw()
    }
    context.count(datedAhead: state.market.datedAhead)
    context.note(expectedSymbols)
  }

  /// The next instance draws its own frames, and missing symbols are reported at the end of the run only.
  package func handOver() async throws { try await settle() }

  package func keepMemory() { context.remember(expectedSymbols, ExpectedSymbols.memory) }

  package func stop() async {
    keepMemory()
    switch mode {
    case .plain: break
    case .inline: try? await terminal.finishBlock(owner: context.id)
    case .full:
      let last = wasQuit || state.market.rows.isEmpty ? [] : InlineTable.lines(state, colors: terminal.capabilities.colors)
      try? await terminal.closeScreen(owner: context.id)
      // When the data has ended, the last prices stay readable.
      try? await terminal.print(last)
    }
  }

  // MARK: Commands

  package static let commands = [
    CommandInfo("open SYMBOL", "Shows a symbol's page; the symbol may be a link such as stocks://symbol/AAPL."),
    CommandInfo("watch SYMBOL…", "Shows these symbols as the watchlist, until the program ends."),
  ]

  package func perform(_ command: Command) throws(CommandError) -> String {
    if let reason = NoScreen(settings, terminal.capabilities, refusal, isOpen: mode == .full) {
      throw CommandError("'\(context.id)' has no pages here: \(reason.text)")
    }
    if command.arguments.isEmpty { throw CommandError("'\(command.verb)' needs a symbol") }
    var symbols: [Symbol] = []
    for argument in command.arguments {
      do throws(CommandError) { symbols.append(try StockLink(argument).symbol) } catch { throw CommandError("'\(argument)': \(error)") }
    }
    switch command.verb {
    case "open":
      guard symbols.count == 1 else { throw CommandError("'open' takes one symbol") }
      effects += state.reduce(.open(symbols[0]))
    case "watch":
      keepsWatchlist = false
      effects += state.reduce(.watch(symbols))
    default: throw CommandError("unknown command '\(command.verb)'")
    }
    bell.wake()
    return command.verb == "open" ? "\(symbols[0]) is shown" : "\(symbols.count) symbols are on the watchlist"
  }
}
