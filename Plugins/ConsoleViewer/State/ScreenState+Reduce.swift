internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenState {
  /// How many lines and notifications are kept.
  static let kept = 500

  /// Takes one event; returns the effects that the actor has to carry out.
  mutating func reduce(_ event: ScreenEvent) -> [ScreenEffect] {
    switch event {
    case .key(let press): return reduce(press)
    case .mouse(let mouse): return reduce(mouse)
    case .resize(let size):
      self.size = size
      keepSelectionVisible()
    case .tick(let now, let wall): return tick(now, wall)
    case .sample(let components, let edges, let lines):
      run = RunSample(components, edges, at: now, after: run)
      meter.count(market.total, at: now)
      measureLag()
      note(lines)
      return askFills() + askPage()
    case .problems(let problems): self.problems = problems
    case .panes(let panes): self.panes = panes.filter { $0.owner != settings.id }
    case .printed(let lines): add(lines.map { LogEntry(time: nil, weight: .normal, text: $0.text) })
    case .status(let statuses): statuses.forEach { note($0) }
    case .alerts(let alerts): return alerts.isEmpty ? [] : note(alerts)
    case .reply(let text, let isError): say(text, isError: isError)
    case .rules(let id, let own): rules = rules.filter { $0.component != id } + own
    case .preview(let number, let text, let isError): previewed(number, text, isError: isError)
    case .fills(let past): recallFills(past)
    case .page(let address): self.address = address
    case .past(let request, let answer): answerPast(request, answer)
    case .open(let symbol):
      market.want(symbol.description)
      selection = symbol
      page = .detail(symbol)
      prompt = nil
    case .watch(let symbols):
      watchlist = symbols
      tab = tabs.firstIndex(of: .watchlist) ?? 0
      arrange(force: true)
    }
    return []
  }

  /// Asks for the address of the run's page, which may be another one after a change of the run.
  private mutating func askPage() -> [ScreenEffect] {
    guard let desk = run.components(offering: (any PageDesk).self).first else {
      address = nil
      return []
    }
    return [.askPage(desk.id, known: address)]
  }

  private mutating func tick(_ now: Int64, _ wall: Timestamp) -> [ScreenEffect] {
    self.now = now
    self.wall = wall
    showPreview()
    passMessages()
    missing.wait(in: market, at: now)
    let effects = fireAlerts()
    arrange()
    return effects + askPast()
  }

  private mutating func measureLag() {
    guard let newest = market.newest else { return }
    // How late the newest event was when it was taken, not how old it is. Recorded events count by the difference of their two times.
    let late = wall.ns &- (now &- newest.taken) &- newest.received.ns
    let between = newest.received.ns &- newest.time.ns
    let day: Int64 = 86_400_000_000_000
    lag = [late, between].first { (0..<day).contains($0) }
  }

  // MARK: Alerts

  /// Fires the screen's own alerts whose price has been reached.
  private mutating func fireAlerts() -> [ScreenEffect] {
    let reached = market.takeReached()
    if reached.isEmpty { return [] }
    for (at, price, time) in reached {
      let row = market.rows[at]
      let fired = alerts.filter {
        $0.symbol == row.symbol && ($0.isAbove ? price.raw >= $0.level.raw : price.raw <= $0.level.raw)
      }
      alerts.removeAll { fired.contains($0) }
      for alert in fired {
        let text = "\(row.symbol) \(alert.isAbove ? "rose" : "fell") to \(price.formatted(decimals: Int(row.decimals)))"
        add(ScreenNotification(time: time, symbol: row.symbol, title: alert.text, text: text))
        if alert.isDelegated { notifications.expect(alert.rule, at: now) }
      }
      arm(row.symbol)
    }
    return [.ring, .save]
  }

  /// Tells the market the prices of a symbol's alerts.
  mutating func arm(_ symbol: Symbol) {
    guard let at = market.place(of: symbol) else { return }
    let mine = alerts.filter { $0.symbol == symbol }
    market.watch(
      at, above: mine.filter(\.isAbove).map(\.level.raw).min(), below: mine.filter { !$0.isAbove }.map(\.level.raw).max())
  }

  private mutating func note(_ alerts: [Alert]) -> [ScreenEffect] {
    var effects: [ScreenEffect] = []
    for alert in alerts {
      // An alert that the dispatcher checks too is shown once.
      if notifications.isRepetition(alert.rule, at: now) { continue }
      if let at = self.alerts.firstIndex(where: { $0.isDelegated && $0.rule == alert.rule }) {
        self.alerts.remove(at: at)
        arm(alert.symbol)
        effects = [.save]
      }
      add(ScreenNotification(time: alert.time, symbol: alert.symbol, title: alert.rule, text: alert.message))
      if effects.first != .ring { effects.insert(.ring, at: 0) }
    }
    return effects
  }

  private mutating func add(_ notification: ScreenNotification) {
    notifications.add(notification, isSeen: current == .alerts)
    say("\(notification.title): \(notification.text)", isAlert: true)
  }

  // MARK: Connections and the log

  private mutating func note(_ status: ConnectionStatus) {
    if let at = connections.firstIndex(where: { $0.component == status.component }) {
      connections[at].status = status
    } else {
      connections.append((status.component, status))
    }
  }

  private mutating func note(_ lines: [RunLogLine]) {
    add(
      lines.map { line in
        let weight: LogEntry.Weight =
          switch line.level {
          case .trace, .debug: .quiet
          case .info, .notice: .normal
          case .warning: .warning
          case .error, .critical: .error
          }
        return LogEntry(time: line.time, weight: weight, text: (line.component.map { "\($0): " } ?? "") + line.message)
      })
  }

  private mutating func add(_ entries: [LogEntry]) {
    log += entries
    if log.count > Self.kept { log.removeFirst(log.count - Self.kept) }
  }

  // MARK: When to look again

  /// When the screen changes next without an event; nil if it does not change.
  func nextChange(steps: Int) -> Int64? {
    var times: [Int64] = []
    let market = shown
    if settings.flash > 0, now < market.lastMove &+ settings.flash {
      // The flashes of different rows have their steps at different times; the shortest interval is used for all.
      times.append(now + settings.flash / Int64(max(1, steps)))
    }
    times += messages.map(\.until)
    if let due = missing.due, due > now { times.append(due) }
    // A rate that is not zero has to fall, and a held order has to be updated.
    if meter.rate ?? 0 > 0 || market.total != meter.total { times.append(max(now, meter.time) + 500_000_000) }
    if let due = pastDue { times.append(max(now, due)) }
    if isReading { times.append(readingUntil) }
    if current == .graph || current == .log { times.append(now + 1_000_000_000) }
    // A run may get a problem without an event.
    times.append(now + 5_000_000_000)
    // The clock shows minutes.
    let minute: Int64 = 60_000_000_000
    times.append(now + minute - (wall.ns % minute + minute) % minute)
    return times.min()
  }
}
