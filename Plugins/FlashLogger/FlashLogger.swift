internal import StockbusFiles
internal import StockbusInstruments
public import StockbusPlugin
internal import StockbusTerminal

extension Plugin {
  /// Logs price changes.
  public static let flashLogger = Plugin(
    "flash_logger", "Logs every price change with direction, old, new and change; flashes and fades on a terminal.",
    FlashLoggerPlugin.self,
    hot: [.sink(FlashLogger<Trade>.self), .sink(FlashLogger<Quote>.self), .sink(FlashLogger<Bar>.self), .sink(FlashLogger<Ranked>.self)])
}

enum FlashLoggerPlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .sink(FlashLogger<E>.self) }
}

/// Logs price changes: on a terminal in a pane whose lines fade, elsewhere as plain lines, or to a file that rotates.
package actor FlashLogger<E: PricedEvent>: Sink, BackgroundComponent, BoundComponent, FileWritingComponent {
  package static var bond: String { "writes to the terminal of this one" }

  private let executor = BlockingExecutor(label: "flash_logger")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FlashLoggerSettings
  private let context: Context
  private let terminal: Terminal
  private var last = LatestBySymbol<Price>()
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?
  private var file: RetryingFile?
  private var out = RecordText(capacity: 1024)
  /// The pane's lines with their times of arrival, newest last.
  private var shown: [(change: PriceChange, at: Duration)] = []
  private var needsDrawing = false
  /// True when the inputs have ended: from then on every frame is drawn faded, so that none is brighter than the last one.
  private var hasEnded = false
  private var canDraw = true
  /// The drawing task sleeps here while no price changes.
  private let bell = Parker()
  private var isAsleep = false
  private let changes: Counter
  private let small: Counter

  package init(_ settings: FlashLoggerSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    terminal = context.terminal
    splits = SplitWatch(context.instruments)
    changes = context.counter("changes", "Price changes that were logged.")
    small = context.counter("below minimum", "Price changes that were not logged because they are smaller than the option 'minimum'.")
  }

  package func start() throws {
    // A terminal is shared, so output to it goes through the terminal's actor.
    guard settings.path != "-" || (settings.format == .jsonl && !terminal.capabilities.canRedraw) else { return }
    let file = RetryingFile(path: settings.path, settings.file, context)
    try file.open()
    self.file = file
  }

  private var usesPane: Bool { file == nil && settings.format == .text && settings.pane > 0 && terminal.capabilities.canRedraw }

  package func receive(_ events: Span<E>) async throws {
    if let file { return try await write(events, to: file) }
    var found: [PriceChange] = []
    for i in events.indices {
      if let change = change(by: events[i], i) { found.append(change) }
    }
    if found.isEmpty { return }
    changes.add(found.count)
    if usesPane {
      let now = context.clock.uptime
      shown = (shown + found.suffix(settings.pane).map { ($0, now) }).suffix(settings.pane)
      needsDrawing = true
      if isAsleep {
        isAsleep = false
        bell.wake()
      }
    } else {
      let zone = context.zone
      let lines = found.map { settings.format == .jsonl ? StyledLine($0.json) : $0.line(age: .zero, fade: .zero, zone: zone) }
      do { try await terminal.print(lines) } catch {
        if error.isBrokenPipe { context.noteLostReader() }
        throw EnvironmentFailure("\(error)", isPermanent: true)
      }
    }
  }

  /// The price change of this event; nil if it needs no line.
  private func change(by event: E, _ i: Int) -> PriceChange? {
    if event.hasLeft || !event.condition.countsForLast { return nil }
    let price = event.lastPrice
    while let split = splits?.take(event) {
      if let old = last[event.symbol] { last.update(split.adjust(old) ?? price, for: event.symbol) }
    }
    guard let old = last[event.symbol] else {
      last.update(price, for: event.symbol)
      return nil
    }
    if old == price { return nil }
    var change = PriceChange(symbol: event.symbol, old: old, new: price, decimals: event.priceDecimals, time: event.time)
    if change.change.raw.magnitude < settings.minimum.raw.magnitude {
      small.add(1)
      return nil
    }
    last.update(price, for: event.symbol)
    if !context.columns.layout.isEmpty {
      change.columns = context.columns.layout
      context.columns.copyRow(i, to: &change.row)
    }
    return change
  }

  private func write(_ events: Span<E>, to file: RetryingFile) async throws {
    file.beginBatch()
    var done = 0
    for i in events.indices {
      guard let change = change(by: events[i], i) else { continue }
      out.clear()
      if settings.format == .jsonl { change.encode(to: &out.bytes) } else { out.bytes.append(change.text(in: context.zone)) }
      out.bytes.append("\n")
      out.endRecord()
      try await file.write(out, of: i + 1 - done)
      changes.add(1)
      done = i + 1
    }
    try await file.endBatch()
  }

  /// Draws the pane while something in it changes or fades, and writes waiting lines to the file.
  package func background() async {
    if usesPane { return await drawPane() }
    await file?.flushRegularly()
  }

  package func keepMemory() throws { try file?.keepMemory() }

  package func renewFiles() -> [String] { [file?.renew()].compactMap(\.self) }

  private func drawPane() async {
    while canDraw, !Task.isCancelled {
      // Sleeps until a price moves.
      if !needsDrawing {
        isAsleep = true
        await bell.sleepCancellably()
        isAsleep = false
        // `drain` has drawn the last frame, with everything faded.
        if Task.isCancelled { return }
      }
      let now = context.clock.uptime
      needsDrawing = shown.contains { now - $0.at < settings.fade }
      await draw(at: now)
      try? await context.clock.sleep(for: .milliseconds(50))
    }
  }

  private func draw(at now: Duration) async {
    if !canDraw { return }
    let (zone, fade) = (context.zone, settings.fade)
    let lines = shown.map { $0.change.line(age: hasEnded ? fade : now - $0.at, fade: fade, zone: zone) }
    do { try await terminal.setBlock(lines, owner: context.id) } catch {
      if canDraw { context.logger.error("\(error); the pane is no longer drawn") }
      canDraw = false
    }
  }

  package func drain() async throws {
    try await file?.finish()
    hasEnded = true
    if usesPane { await draw(at: context.clock.uptime) }
  }

  package func stop() {
    file?.close()
    file = nil
  }
}
