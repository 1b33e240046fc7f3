internal import MarketData
public import StockbusPlugin
internal import StockbusTerminal

extension Plugin {
  /// Shows prices.
  public static let consoleViewer = Plugin(
    "console_viewer", "Shows prices on the console: a live table on a terminal, plain lines elsewhere.", .sink(ConsoleViewer.self))
}

/// Shows prices, alerts and connection states: on a terminal as a table in place, elsewhere a line an event.
///
/// However many events come, the table is drawn at most once a `refresh`, and not at all while nothing changes.
public actor ConsoleViewer: MultiSink, BackgroundComponent {
  public static let handlers: [Handler<ConsoleViewer>] = [
    Handler(Trade.self) { $0.show($1) },
    Handler(Quote.self) { $0.show($1) },
    Handler(Bar.self) { $0.show($1) },
    Handler(Ranked.self) { $0.show(ranked: $1) },
    Handler(Alert.self) { $0.tell($1) { "\($0.time.timeOfDay) ALERT \($0.rule): \($0.message)" } },
    Handler(ConnectionStatus.self) { $0.tell($1) { "\($0.time.timeOfDay) \($0.component) \($0.state.fieldName): \($0.reason)" } },
  ]

  private let settings: ConsoleViewerSettings
  private let context: Context
  private let isLive: Bool
  private var board: Board
  /// Lines that wait for `settle`.
  private var lines: [StyledLine] = []
  private var needsDrawing = false
  private var drawnSize: TerminalSize?
  private let events: Counter
  private let frames: Counter

  public init(_ settings: ConsoleViewerSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    isLive = Terminal.shared.capabilities.canRedraw && !settings.plain
    board = Board(flash: settings.flash)
    events = context.counter("events", "Events shown.")
    frames = context.counter("frames", "Frames drawn.")
  }

  /// Takes its place on the screen before anybody else does.
  public func start() async throws {
    if isLive { try await draw() }
  }

  private func show<E: PricedEvent>(_ run: Span<E>) {
    events.add(run.count)
    if isLive {
      board.update(run, at: context.clock.uptime)
      needsDrawing = true
    } else {
      for i in run.indices { lines.append(StyledLine(PlainText.line(run[i], change: board.update(run[i])))) }
    }
  }

  private func show(ranked run: Span<Ranked>) {
    events.add(run.count)
    if isLive {
      board.update(ranked: run, at: context.clock.uptime)
      needsDrawing = true
    } else {
      for i in run.indices { lines.append(StyledLine(PlainText.line(run[i]))) }
    }
  }

  private func tell<E: Event>(_ run: Span<E>, _ text: (E) -> String) {
    events.add(run.count)
    for i in run.indices { lines.append(StyledLine(text(run[i]), Style(.yellow, bold: true))) }
  }

  /// Prints what was collected; a slow reader of our output slows the bus down here, and nothing piles up.
  public func settle() async throws {
    if lines.isEmpty { return }
    let out = lines
    lines = []
    do { try await Terminal.shared.print(out) } catch {
      context.lose(out.count, "\(error)")
      throw EnvironmentFailure("\(error)", isPermanent: true)
    }
  }

  public func background() async {
    guard isLive else { return }
    while (try? await context.clock.sleep(for: settings.refresh)) != nil {
      if !needsDrawing, Terminal.shared.size == drawnSize { continue }
      do { try await draw() } catch {
        context.logger.error("\(error); the table is not drawn any more")
        return
      }
    }
  }

  private func draw() async throws {
    let now = context.clock.uptime
    let size = Terminal.shared.size
    drawnSize = size
    // Below the table there is room for other panes and for the prompt.
    let rows = settings.rows ?? max(3, size.rows - 14)
    needsDrawing = board.isFlashing(at: now)
    let frame = TableLayout(columns: size.columns, rows: rows).lines(board, at: now)
    frames.add(1)
    do { try await Terminal.shared.setBlock(frame, owner: context.id) } catch {
      throw EnvironmentFailure("\(error)", isPermanent: true)
    }
  }

  public func drain() async throws {
    try await settle()
    if isLive { try await draw() }
  }

  public func stop() async {
    if isLive { try? await Terminal.shared.finishBlock(owner: context.id) }
  }
}
