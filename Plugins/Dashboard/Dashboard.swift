internal import StockbusPeople
internal import StockbusFiles
internal import StockbusHistory
internal import StockbusInstruments
internal import StockbusNetwork
public import StockbusPlugin
package import StockbusViewing
internal import StockbusWeb

extension Plugin {
  /// Shows the run in a browser.
  public static let dashboard = Plugin(
    "dashboard", "Shows prices, movers, alerts, trading and the run itself on a web page.", .sink(Dashboard.self))
}

/// Serves a web page that shows the run live, and the API that the page uses.
///
/// An event only changes the board. Changes are sent to browsers when they are ready, at most `rate` times a second, and are computed from
/// the board then, so no component waits for a browser.
package actor Dashboard: MultiSink, BackgroundComponent, OfferingComponent, PageDesk, MarketShowingComponent {
  package static let doors = [ComponentDoor<Dashboard>((any PageDesk).self) { $0 }]

  package static let handlers: [Handler<Dashboard>] = [
    handler(Trade.self) { $0.push.board.take($1, at: $0.now) },
    handler(Quote.self) { $0.push.board.take($1, at: $0.now) },
    handler(Bar.self) { $0.push.board.take($1, at: $0.now) },
    handler(Ranked.self) { $0.push.board.take($1, at: $0.now) },
    handler(Mover.self) { $0.push.take($1) },
    handler(Alert.self) { $0.push.take($1) },
    handler(ConnectionStatus.self) { $0.push.take($1) },
    handler(Order.self) { $0.push.take($1) },
    handler(Fill.self) { $0.push.take($1) },
    handler(Position.self) { $0.push.take($1) },
    handler(AccountState.self) { $0.push.take($1) },
  ]

  private static func handler<E: Event>(
    _ type: E.Type, _ take: @escaping @Sendable (isolated Dashboard, Span<E>) -> Void
  ) -> Handler<Dashboard> {
    Handler(type) { dashboard, batch in
      take(dashboard, batch)
      dashboard.note(batch.count)
    }
  }

  package static func marketLimits(_ settings: DashboardSettings) -> MarketLimits {
    MarketLimits(symbols: settings.symbols, memory: settings.memory.bytes)
  }

  let settings: DashboardSettings
  let context: Context
  var push: Push
  /// Changes with each instance: a cursor of another instance is invalid.
  let epoch: String
  private let listen: ListenAddress
  private var server: WebServer?
  private var address: String?
  /// The sockets of logged-in users.
  private let sockets = SessionSockets()
  /// Reads the run's history file, if there is one.
  let history: PastBars?
  private let bell: Parker
  private let mailbox: PageMailbox
  private var isAsleep = false
  /// The tabs that have sent `hello`, and the numbers of their clients.
  private var tabs: [Push.ClientID: Tab] = [:]
  private var clients: [ObjectIdentifier: Push.ClientID] = [:]
  private(set) var door = Door(gate: nil)
  /// Nil if the page has no accounts.
  private var accounts: Accounts?
  private var people: AccountRoutes?
  /// People whose paper accounts are open, or cannot be opened.
  var opened: Set<Symbol> = []
  /// Accounts whose fills from before this run were requested from the broker; nil stands for all accounts.
  var recalled: Set<Symbol?> = []
  /// The state of the run when it was last requested.
  var run = RunSample()
  let events: Counter
  private let frames: Counter
  private let skipped: Counter
  private let bytes: Counter
  /// The counts of left-out symbols and of shortened histories that were logged last.
  private var logged = (beyond: 0, forgotten: 0)

  package init(_ settings: DashboardSettings, _ context: Context) throws {
    guard let listen = ListenAddress(settings.listen) else { throw EnvironmentFailure("'listen' is not an address", isPermanent: true) }
    self.settings = settings
    self.context = context
    self.listen = listen
    bell = Parker()
    mailbox = PageMailbox(waking: bell)
    epoch = String(UInt64.random(in: .min ... .max), radix: 16)
    history = context.past.path.map { PastBars(path: $0, context) }
    let clock = context.clock
    var market = context.market(Self.marketLimits(settings))
    market.keep(context.columns)
    push = Push(PageBoard(context.instruments, market), calm: settings.calm.wholeNanoseconds) {
      clock.uptime.wholeNanoseconds
    }
    events = context.counter("events", "Events shown.")
    frames = context.counter("frames", "Frames sent to browsers.")
    skipped = context.counter(
      "skipped", "Frames that were not sent because a browser was too slow; their changes came with the next frame.")
    bytes = context.counter("bytes", "Bytes of the frames sent to browsers.")
  }

  package func start() async throws {
    var settings = WebServer.Settings(.port(listen.host, listen.port))
    if let certificate = self.settings.certificate, let key = self.settings.key {
      settings.identity = TLSIdentity(certificateFile: certificate, keyFile: key)
    }
    settings.names = HostNames(HostNames.loopback.names.union(self.settings.names))
    if self.settings.proxy { settings.proxies = ["127.0.0.1", "::1"] }
    settings.limits.connections = self.settings.clients + 64
    // All clients on this machine have one address.
    if listen.isLoopback { settings.limits.connectionsPerAddress = settings.limits.connections }
    // Besides its own messages, a page acknowledges each frame that it has painted.
    settings.limits.messagesPerSecond += self.settings.rate
    let routes = try await routes()
    let server = try await WebServer.start(settings, routes, clock: context.clock) { [context] reason in
      context.counter("refused: \(reason.rawValue)", "Requests and connections that were refused for this reason.").add(1)
    }
    self.server = server
    let isSecure = settings.identity != nil
    // The address of a page for other machines is shown by name.
    let place = isSecure ? self.settings.names.first.flatMap { ListenAddress("\($0):\(listen.port)") } ?? listen : listen
    let address = place.address(port: server.port, isSecure: isSecure)
    context.logger.notice("the page is at \(address)")
    self.address = address
  }

  package func pageAddress() -> String? { address }

  func routes() async throws -> WebRoutes {
    var routes = WebRoutes()
    PageFiles.add(to: &routes)
    let door = Door(gate: try await gate())
    self.door = door
    routes.socket("/live", subprotocol: "stockbus.v1", accepts: { await door.refusal($0) }) { [self, sockets, mailbox] request, socket in
      guard let viewer = await sockets.enter(socket, request, door) else { return }
      await openAccount(of: viewer)
      socket.pass(to: Tab(socket, viewer, mailbox))
      await recallFills(of: viewer, while: { socket.isOpen })
    }
    RunRoutes.add(of: self, behind: door, to: &routes)
    BarRoutes.add(of: self, behind: door, to: &routes)
    UDFRoutes.add(of: self, behind: door, to: &routes)
    TradingRoutes.add(of: self, behind: door, to: &routes)
    if !door.hasAccounts { AlertRoutes.add(of: self, behind: door, to: &routes) }
    people = door.gate.map { AccountRoutes(gate: $0, host: self) }
    if let people { routes.add(people.routes) }
    accounts = door.hasAccounts ? door.gate?.accounts : nil
    return routes
  }

  /// The gate for accounts; nil if the page has no accounts.
  private func gate() async throws -> Gate? {
    guard let path = settings.path else {
      if settings.accounts == .none { return nil }
      throw EnvironmentFailure("accounts need a file, and there is no home folder for the default one: set 'file'", isPermanent: true)
    }
    var rules = Accounts.Settings()
    rules.signup = Accounts.Signup(rawValue: settings.accounts.rawValue) ?? .closed
    var share: DatabaseShare?
    try await PatientWriting(.seconds(30), context).insist(mayPass: { $0.mayPass }) { () async throws(HistoryError) in
      share = try await DatabaseShare.open(path)
    }
    guard let share else { return nil }
    let (context, logger) = (context, context.logger)
    let trouble: @Sendable (String?) -> Void = { reason in
      context.report(trouble: reason)
      if reason == nil { logger.notice("\(shown(path)) works again") }
    }
    let accounts = Accounts(share, rules, clock: context.clock, trouble: trouble) { [sockets] in sockets.end($0) }
    return Gate(accounts, needsLogin: settings.accounts != .none) { level, text in logger.log(level: level, "\(text)") }
  }

  /// Sends the present rules to all viewers.
  func sendRules() async {
    guard accounts != nil, let people else {
      push.take(await rules())
      return requestFrame()
    }
    for person in Set(push.clients.values.map(\.viewer.person)) {
      if let shown = try? await people.shownRules(person) { send(.rules, shown, to: person) }
    }
  }

  /// Sends a person's change to the other viewers of that person.
  func send(_ change: AccountRoutes.Change, _ record: JSONValue, to person: Person) {
    push.take(record, named: change.rawValue, of: person.id)
    requestFrame()
  }

  package func stop() async {
    let bye = JSONValue.object([.init("op", "bye"), .init("again", 3000)]).description
    await server?.stop(farewell: WebSocketFrames(text: bye))
    (server, address) = (nil, nil)
    _ = try? await door.gate?.accounts.close()
    // All tabs have left by now; an unread letter would keep its tab alive.
    readLetters()
  }

  // MARK: Events

  var now: Int64 { context.clock.uptime.wholeNanoseconds }

  private func note(_ count: Int) {
    events.add(count)
    push.count(count)
    if push.board.market.beyond != logged.beyond || push.board.market.forgotten != logged.forgotten { noteLimits() }
    // Without a browser an event costs no more than this.
    if isAsleep, !push.clients.isEmpty { requestFrame() }
  }

  @inline(never)
  private func noteLimits() {
    let market = push.board.market
    if logged.beyond == 0, market.beyond > 0 {
      context.logger.warning(
        "more than \(settings.symbols) symbols have come; further symbols get a row only when somebody opens them ('symbols' sets the limit)"
      )
    }
    if logged.forgotten == 0, market.forgotten > 0 {
      context.logger.notice(
        "trades and bars of all symbols take \(settings.memory), the limit; the oldest of symbols that nobody looks at are removed ('memory' sets the limit)"
      )
    }
    // A requested symbol has a row later; a counter only grows.
    if market.beyond > logged.beyond {
      context.counter("symbols beyond", "Symbols without a row, because 'symbols' allows no more.")
        .add(market.beyond - logged.beyond)
    }
    if market.forgotten > logged.forgotten {
      context.counter("forgotten", "Bars of symbols that were removed to stay within 'memory'.")
        .add(market.forgotten - logged.forgotten)
    }
    logged = (market.beyond, market.forgotten)
  }

  func requestFrame() {
    isAsleep = false
    bell.wake()
  }

  package func background() async {
    await withDiscardingTaskGroup { group in
      if let accounts { group.addTask { await self.restoreRules(accounts) } }
      group.addTask { [mailbox] in await mailbox.watch { await self.readLetters() } }
      group.addTask { [sockets, door, context] in await sockets.watch(door, context.clock) }
      await endFrames()
      group.cancelAll()
    }
  }

  /// Ends frames while something changes and there are viewers; sleeps otherwise.
  private func endFrames() async {
    while !Task.isCancelled {
      let began = now
      readLetters()
      send(push.tick(now: began, time: context.clock.now.ns / 1_000_000))
      do { try await context.clock.sleep(until: .nanoseconds(began + 1_000_000_000 / Int64(settings.rate))) } catch { break }
      while !Task.isCancelled {
        readLetters()
        if !push.clients.isEmpty, push.hasChanges || push.hasRequests { break }
        let next = push.nextTick()
        if let next, next <= now { break }
        guard mailbox.sleeps() else { continue }
        isAsleep = true
        await bell.sleep(until: next.map { .nanoseconds($0) }, context.clock)
        isAsleep = false
        mailbox.isAwake()
      }
    }
  }

  /// Ends a frame, for a request, if there are no viewers: otherwise the request would not see the latest events.
  func catchUp() { if push.clients.isEmpty { _ = push.tick(now: now, time: context.clock.now.ns / 1_000_000) } }

  /// The last changes are sent before the page is notified of the end of the run.
  package func drain() async {
    readLetters()
    send(push.tick(now: now, time: context.clock.now.ns / 1_000_000))
  }

  package func handOver() async {}

  // MARK: Browsers

  /// Handles the messages of tabs. The mailbox has woken the loop of the frames if it slept.
  private func readLetters() {
    for letter in mailbox.take() {
      switch letter {
      case .says(let tab, let message):
        tab.noteRead()
        if let id = clients[ObjectIdentifier(tab)] { take(message, from: tab, id) } else { welcome(tab, message) }
      case .leaves(let tab):
        sockets.leave(tab.socket)
        guard let id = clients.removeValue(forKey: ObjectIdentifier(tab)) else { continue }
        push.disconnect(id)
        tabs[id] = nil
      }
    }
  }

  /// Registers a tab, unless the limit is reached; its first message must be `hello`.
  private func welcome(_ tab: Tab, _ message: PageMessage) {
    guard tab.socket.isOpen else { return }
    guard case .hello(let epoch, let cursor) = message else {
      return tab.socket.close(.policyViolation, "the first message must be 'hello'")
    }
    if push.clients.count >= settings.clients { return tab.socket.close(.tryAgainLater, "too many pages are open") }
    let isResumed = epoch == self.epoch
    let id = push.connect(tab.viewer, cursor: isResumed ? cursor : 0)
    tabs[id] = tab
    clients[ObjectIdentifier(tab)] = id
    let welcome: JSONValue = [
      "op": "welcome", "epoch": .string(self.epoch), "frame": .number(push.board.frame), "resumed": .bool(isResumed),
      "rate": .number(settings.rate), "columns": columns,
    ]
    WebSocket.post([(tab.socket, WebSocketFrames(text: welcome.description))])
  }

  /// The columns beside the events of prices, in the order of the frame's values.
  private var columns: JSONValue {
    .array(
      push.board.market.columns.columns.map { column in
        ["name": .string(column.name), "kind": .string(column.kind.rawValue)]
      })
  }

  /// Handles a message of a tab.
  private func take(_ message: PageMessage, from tab: Tab, _ id: Push.ClientID) {
    switch message {
    case .hello: tab.report("'hello' was sent already")
    case .pane(let pane, let query, let range):
      if case .beside(let name)? = query?.sorting?.column, push.board.market.columns.place(of: name) == nil {
        tab.report("rows cannot be sorted by this column", pane: pane)
      } else if let problem = push.look(id, pane: pane, at: query, range, now: now) {
        tab.report(problem.description, pane: pane, at: problem.character)
      }
    case .symbol(let name): push.choose(id, name)
    case .ready(let frame): push.painted(id, frame)
    case .run(let isOn): push.showRun(id, isOn)
    }
  }

  /// Sends each of these tabs its next message. A tab whose socket is still sending gets it later, however often it reports that it is
  /// ready.
  private func send(_ due: [Push.ClientID]) {
    var messages: [(WebSocket, WebSocketFrames)] = []
    let before = push.counts.skipped
    var shared: [Int: WebSocketFrames] = [:]
    for (id, message) in next(for: due.filter { tabs[$0]?.socket.isWritable == true }) {
      guard let socket = tabs[id]?.socket else { continue }
      messages.append((socket, frames(of: message, &shared)))
      bytes.add(message.frame.count + (message.text?.utf8.count ?? 0))
    }
    frames.add(messages.count)
    skipped.add(push.counts.skipped - before)
    WebSocket.post(messages)
  }

  /// The next message for each of these clients, without those for whom nothing has changed.
  func next(for due: [Push.ClientID]) -> [(Push.ClientID, Push.Message)] {
    let now = now
    let run = due.contains { push.wantsRun($0, now: now) } ? sample() : nil
    if due.contains(where: { push.wantsStatus($0, now: now) }) { (push.problems, push.pages) = (context.run.problems, pages) }
    return due.compactMap { id in push.next(for: id, now: now, run: run).map { (id, $0) } }
  }

  /// - Parameter shared: the frames of this tick by the messages' numbers.
  private func frames(of message: Push.Message, _ shared: inout [Int: WebSocketFrames]) -> WebSocketFrames {
    if message.text == nil, let made = shared[message.number] { return made }
    var frames = WebSocketFrames()
    frames.add(binary: message.frame)
    if let text = message.text { frames.add(text: text) } else { shared[message.number] = frames }
    return frames
  }
}
