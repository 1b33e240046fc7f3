internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusViewing

/// Prices for browsers, computed from the board when each browser is ready: a value, without clocks and sockets.
///
/// There are no queues. A client's frame has the changes after its cursor, among the rows that it shows; clients with the same cursor and
/// the same rows share one encoding.
struct Push {
  typealias ClientID = UInt64

  /// The shortest times between two values of an account, two states of the run, and two of its numbers, in nanoseconds.
  static let valuing: Int64 = 250_000_000
  static let running: Int64 = 500_000_000
  static let status: Int64 = 1_000_000_000
  /// After this time without a message one is sent all the same, so that a client can distinguish a quiet market from a dead connection.
  static let silence: Int64 = 3_000_000_000

  /// The shortest time between two orders of a view, in nanoseconds.
  let calm: Int64
  /// The clock that measures the cost of a view.
  private let clock: @Sendable () -> Int64
  var board: PageBoard
  private(set) var news = News()
  /// The number of events taken.
  private(set) var events = 0
  private var rate = RateMeter()
  private(set) var clients: [ClientID: Client] = [:]
  private var views: [RowQuery: RowView] = [:]
  private var lastClient: ClientID = 0
  private var lastWindow: UInt64 = 0
  private var ranksRenewedAt: Int64 = .min / 2
  /// When the present frame ended, in milliseconds since 1970.
  private var frameTime: Int64 = 0
  /// The bytes of the present frame's panes; an empty entry has no changes.
  private var encodings: [Encoding: [UInt8]] = [:]
  /// The bytes of whole messages of the present frame, by the encodings in them.
  private var wholes: [[Encoding]: Message] = [:]
  /// Marks the rows of a client's window before, by row.
  private var wasShown: ContiguousArray<UInt64> = []
  private var marking: UInt64 = 0
  private(set) var counts = Counts()
  /// What the numbers of the run say of it besides: its problems, and the pages that it has.
  var problems: [String] = []
  var pages = JSONValue.array([])

  struct Counts: Hashable {
    /// The number of frames sent to clients.
    var frames = 0
    /// The number of frames whose panes were all encoded before for another client.
    var shared = 0
    /// Frames that ended while a client was still painting an earlier one; their changes were sent with the next one.
    var skipped = 0
  }

  private struct Encoding: Hashable {
    var pane: UInt8
    var window: UInt64
    var before: UInt64
    var cursor: UInt32
    var from: Int32
    var total: Int
    /// True if the pane is sent even without changes.
    var isAnswer: Bool
  }

  init(_ board: PageBoard, calm: Int64, clock: @escaping @Sendable () -> Int64) {
    self.board = board
    self.calm = calm
    self.clock = clock
  }

  // MARK: Clients

  /// - Parameter cursor: the last frame that the client had from this run; 0 for none.
  mutating func connect(_ viewer: Viewer = .local, cursor: UInt32) -> ClientID {
    lastClient += 1
    clients[lastClient] = Client(viewer: viewer, cursor: min(cursor, board.frame), isReady: true, wantsMore: true)
    return lastClient
  }

  mutating func disconnect(_ id: ClientID) {
    guard let person = clients.removeValue(forKey: id)?.viewer.person.id else { return }
    if !hasClient(of: person) { news.forgetBelongings(of: person) }
  }

  private func hasClient(of person: Int64) -> Bool { clients.values.contains { $0.viewer.person.id == person } }

  /// Shows `range` of `query` in a pane, or nothing if `query` is nil. Returns the filter's fault.
  mutating func look(_ id: ClientID, pane: UInt8, at query: RowQuery?, _ range: Range<Int32>, now: Int64) -> RowFilter.Problem? {
    guard clients[id] != nil, pane < Client.panes else { return nil }
    clients[id]?.wantsMore = true
    guard let query else {
      clients[id]?.panes[pane] = nil
      return nil
    }
    let count = min(Int32(range.count), Client.largestWindow)
    let shown = range.lowerBound..<range.lowerBound + count
    let old = clients[id]?.panes[pane]
    // The rows that the client has stay known, whatever it shows next.
    clients[id]?.panes[pane] = Client.Pane(query: query, range: shown, sent: old?.sent ?? RowWindow())
    if views[query] == nil { views[query] = RowView(query, reading: board.market.columns) }
    for name in query.symbols ?? [] { board.want(name) }
    views[query]?.usedAt = now
    return views[query]?.problem
  }

  /// Shows the trades and bars of a symbol; of none if it is nil.
  mutating func choose(_ id: ClientID, _ name: String?) {
    if clients[id]?.symbol?.name == name { return }
    clients[id]?.symbol = name.map { Client.Chosen(name: $0) }
    if let name { board.want(name) }
    clients[id]?.wantsMore = true
  }

  /// The client has painted the frame that it was given.
  mutating func painted(_ id: ClientID, _ frame: UInt32) { if clients[id]?.cursor == frame { clients[id]?.isReady = true } }

  /// Shows the run's components and edges, or ends that.
  mutating func showRun(_ id: ClientID, _ isOn: Bool) {
    clients[id]?.showsRun = isOn
    clients[id]?.runSentAt = .min / 2
  }

  /// True if the client shows the run, and its state is due.
  func wantsRun(_ id: ClientID, now: Int64) -> Bool { clients[id].map { Self.wantsRun($0, now) } ?? false }

  private static func wantsRun(_ client: Client, _ now: Int64) -> Bool { client.showsRun && now &- client.runSentAt >= running }

  /// True if the numbers of the run are due for a client.
  func wantsStatus(_ id: ClientID, now: Int64) -> Bool { clients[id].map { wantsStatus($0, now) } ?? false }

  private func wantsStatus(_ client: Client, _ now: Int64) -> Bool {
    let isSilent = client.sentAt.map { now &- $0 >= Self.silence } ?? false
    return isSilent || client.sentEvents != events && now &- client.statusSentAt >= Self.status
  }

  /// True if a client that has painted has asked for something, or was too slow for a frame that has ended.
  var hasRequests: Bool { clients.values.contains { $0.isReady && ($0.wantsMore || $0.cursor != board.frame) } }

  // MARK: Events

  /// The number of the next frame.
  private var coming: UInt32 { board.frame &+ 1 }

  mutating func count(_ events: Int) { self.events &+= events }

  mutating func take(_ batch: Span<Mover>) {
    board.take(batch)
    news.moversHaveChanged(coming)
  }

  mutating func take(_ batch: Span<Alert>) {
    want(batch)
    news.take(batch, coming)
  }
  mutating func take(_ batch: Span<ConnectionStatus>) { news.take(batch, coming) }
  mutating func take(_ batch: Span<AccountState>) { news.take(batch, coming) }
  mutating func take(_ batch: Span<Position>) {
    want(batch)
    news.take(batch, coming)
  }
  mutating func take(_ batch: Span<Order>) {
    want(batch)
    news.take(batch, coming)
  }
  mutating func take(_ batch: Span<Fill>) {
    want(batch)
    news.take(batch, coming)
  }

  /// Traded symbols, and those of alerts, get rows.
  private mutating func want<E: SymbolEvent>(_ batch: Span<E>) {
    if board.market.beyond == 0 { return }
    for i in batch.indices { board.want(batch[i].symbol.description) }
  }

  /// Takes fills from before this run, oldest first.
  mutating func recall(_ fills: [Fill]) { news.recall(fills, coming) }

  mutating func take(_ rules: [WatchedRule]) { news.take(rules, coming) }

  /// Takes a person's change of own data; kept only while the person has a page open, which limits the memory.
  mutating func take(_ record: JSONValue, named name: String, of person: Int64) {
    if hasClient(of: person) { news.take(record, named: name, of: person, coming) }
  }

  /// True if there are changes to send.
  var hasChanges: Bool { board.hasChanges || news.newest > board.frame }

  // MARK: Frames

  /// Ends a frame if something changed, and returns the clients that are due.
  mutating func tick(now: Int64, time: Int64) -> [ClientID] {
    let renewsRanks = board.hasOldRanks && now &- ranksRenewedAt >= calm
    if renewsRanks { ranksRenewedAt = now }
    if hasChanges || renewsRanks { board.endFrame(renewingRanks: renewsRanks) }
    encodings.removeAll(keepingCapacity: true)
    wholes.removeAll(keepingCapacity: true)
    frameTime = time
    forgetViews(now)
    return clients.filter { $1.isReady && ($1.wantsMore || $1.cursor != board.frame || isDue($1, now)) }.map(\.key).sorted()
  }

  /// True if the client is due without events: rows wait to move to their place, or accounts for their value.
  private func isDue(_ client: Client, _ now: Int64) -> Bool { waitsUntil(client).map { $0 <= now } ?? false }

  private func waitsUntil(_ client: Client) -> Int64? {
    let value = client.waitsForValues ? client.valuedAt &+ Self.valuing : nil
    let run = client.showsRun ? client.runSentAt &+ Self.running : nil
    let status = client.sentEvents == events ? nil : client.statusSentAt &+ Self.status
    return [orderDue(client), value, run, status, client.sentAt.map { $0 &+ Self.silence }].compactMap { $0 }.min()
  }

  /// When the next order that a client shows may be computed again; nil if all are up to date.
  private func orderDue(_ client: Client) -> Int64? {
    client.panes.values.compactMap { pane in
      views[pane.query].flatMap { $0.renewedFrame == board.frame ? nil : $0.dueAt(calm: calm) }
    }.min()
  }

  /// When a tick is due without events; nil if never. Clients that have not painted wait for nothing.
  func nextTick() -> Int64? {
    let waits = clients.values.lazy.filter(\.isReady).compactMap { waitsUntil($0) }.min()
    let ranks = board.hasOldRanks && !clients.isEmpty ? ranksRenewedAt &+ calm : nil
    return [waits, ranks].compactMap { $0 }.min()
  }

  /// A message to a client: the bytes of a binary message, and the text of one that follows it.
  struct Message {
    let frame: [UInt8]
    /// Messages without a text have the same number if they are of one tick and have the same frame.
    let number: Int
    let text: String?
  }

  /// The next message for the client, or nil if nothing that it shows has changed. A message moves the client's cursor, and the client must
  /// paint it before it gets another.
  ///
  /// - Parameter run: the state of the run, for a client that shows it; a value, because it cannot be read while this value changes.
  mutating func next(for id: ClientID, now: Int64, run: JSONValue? = nil) -> Message? {
    guard var client = clients[id], client.isReady else { return nil }
    var panes: [Encoding] = []
    var isShared = true
    for number in 0..<Client.panes {
      guard var pane = client.panes[number] else { continue }
      let encoding = encode(number, &pane, cursor: client.cursor, now: now, &isShared)
      client.panes[number] = pane
      if let encoding { panes.append(encoding) }
    }
    let state = state(&client, now: now, run)
    let before = client.cursor
    if !panes.isEmpty || !state.isEmpty { client.sentAt = now }
    client.cursor = board.frame
    client.wantsMore = false
    client.isReady = panes.isEmpty && state.isEmpty
    clients[id] = client
    if client.isReady { return nil }
    counts.frames += 1
    // A client may get further messages in the frame that it has.
    if before != 0 { counts.skipped += max(0, Int(board.frame &- before) - 1) }
    if isShared { counts.shared += 1 }
    return message(panes, state)
  }

  /// The message of these panes, made once for all clients without other changes.
  private mutating func message(_ panes: [Encoding], _ state: StateText) -> Message {
    if state.isEmpty, let made = wholes[panes] { return made }
    var frame = FrameBytes()
    frame.append(1)
    frame.append((state.isEmpty ? 0 : 1) | (board.market.beside == nil ? 0 : 2))
    frame.append(varint: UInt64(board.frame))
    frame.append(varint: UInt64(max(0, frameTime)))
    frame.append(varint: UInt64(panes.count))
    for pane in panes { frame.append(contentsOf: encodings[pane] ?? []) }
    let message = Message(frame: frame.bytes, number: wholes.count, text: state.isEmpty ? nil : state.text(board.frame))
    if state.isEmpty { wholes[panes] = message }
    return message
  }

  /// The changes besides prices.
  private mutating func state(_ client: inout Client, now: Int64, _ run: JSONValue?) -> StateText {
    var state = StateText()
    state.addAlerts(news, for: client.viewer, after: client.cursor)
    state.addConnections(news, after: client.cursor)
    state.addMovers(news, board.market, after: client.cursor)
    let trading = news.trading(for: client.viewer)
    if trading.fillsFrame > client.cursor { state.addFills(trading, after: client.cursor) }
    state.addRules(news, for: client.viewer, after: client.cursor)
    state.addBelongings(news, of: client.viewer.person.id, after: client.cursor)
    let isRevalued = trading.isRevalued(board, after: client.valuedFrame)
    client.waitsForValues = isRevalued && now &- client.valuedAt < Self.valuing
    if trading.portfolioFrame > client.cursor || isRevalued && !client.waitsForValues {
      state.addPortfolio(trading, board.market)
      (client.valuedAt, client.valuedFrame, client.waitsForValues) = (now, board.frame, false)
    }
    if let chosen = client.symbol, let row = board.row(named: chosen.name) {
      board.look(at: row, now: now)
      state.addTrades(board.market, row: row, sent: chosen.sentTrades)
      client.symbol?.sentTrades = board.market.tape.count(of: Int(row))
      client.symbol?.sentBar = state.addBars(board.market, row: row, Self.minute, sent: chosen.sentBar)
    }
    if Self.wantsRun(client, now), let run {
      client.runSentAt = now
      state.add("run", run)
    }
    if wantsStatus(client, now) {
      (client.statusSentAt, client.sentEvents) = (now, events)
      let rate = Int((rate.count(events, at: now) ?? 0).rounded())
      let market = board.market
      state.add(
        "status",
        [
          "events": .number(events), "rate": .number(rate), "clients": .number(clients.count), "symbols": .number(market.rows.count),
          "beyond": .number(market.beyond), "forgotten": .number(market.forgotten), "pages": pages,
          "problems": .array(client.viewer.problems(problems).map { .string($0) }),
        ])
    }
    return state
  }

  private static let minute = BarLength.time(60_000_000_000)

  /// Encodes a pane; returns the key of its bytes, or nil if it has no changes.
  private mutating func encode(_ number: UInt8, _ pane: inout Client.Pane, cursor: UInt32, now: Int64, _ isShared: inout Bool)
    -> Encoding?
  {
    var view = views[pane.query] ?? RowView(pane.query, reading: board.market.columns)
    view.usedAt = now
    if view.renewedFrame != board.frame || view.renewedAt == nil, view.dueAt(calm: calm) <= now { view.renew(board, at: now, clock: clock) }
    let window = view.window(pane.range) {
      lastWindow += 1
      return lastWindow
    }
    views[pane.query] = view
    let key = Encoding(
      pane: number, window: window.number, before: pane.sent.number, cursor: cursor, from: pane.range.lowerBound, total: view.order.count,
      isAnswer: !pane.isAnswered || pane.sentTotal != view.order.count)
    let before = pane.sent
    pane.sent = window
    pane.isAnswered = true
    pane.sentTotal = view.order.count
    if let bytes = encodings[key] { return bytes.isEmpty ? nil : key }
    isShared = false
    let bytes = encode(key, window, before)
    encodings[key] = bytes
    return bytes.isEmpty ? nil : key
  }

  /// The bytes of a pane; empty if it has no changes.
  private mutating func encode(_ key: Encoding, _ window: RowWindow, _ before: RowWindow) -> [UInt8] {
    marking += 1
    if wasShown.count < board.market.rows.count {
      wasShown.append(contentsOf: repeatElement(0, count: board.market.rows.count - wasShown.count))
    }
    if window.number != before.number { for row in before.rows { wasShown[Int(row)] = marking } }
    var rows = FrameBytes()
    var count = 0
    var last: Int32 = 0
    for row in window.rows {
      let isKnown = window.number == before.number || wasShown[Int(row)] == marking
      let stamps = board.stamps(of: row)
      if isKnown, stamps.any <= key.cursor { continue }
      let fields = isKnown ? RowFields(stamps, after: key.cursor) : .all
      rows.append(row, after: last, board.numbers(of: row), fields, name: board.texts.name(of: row), time: frameTime)
      if board.market.beside != nil { rows.append(columns: board.columns(of: row, after: isKnown ? key.cursor : nil)) }
      last = row
      count += 1
    }
    let hasOrder = window.number != before.number && window.rows != before.rows
    if count == 0, !hasOrder, !key.isAnswer { return [] }
    var bytes = FrameBytes()
    bytes.append(key.pane)
    bytes.append(hasOrder ? 1 : 0)
    bytes.append(varint: UInt64(key.total))
    bytes.append(varint: UInt64(max(0, key.from)))
    if hasOrder {
      bytes.append(varint: UInt64(window.rows.count))
      var last: Int32 = 0
      for row in window.rows {
        bytes.append(svarint: Int64(row) - Int64(last))
        last = row
      }
    }
    bytes.append(varint: UInt64(count))
    bytes.append(contentsOf: rows.bytes)
    return bytes.bytes
  }

  /// Removes views that no client has used for ten seconds.
  private mutating func forgetViews(_ now: Int64) {
    if views.count <= clients.count { return }
    let used = Set(clients.values.flatMap { $0.panes.values.map(\.query) })
    views = views.filter { used.contains($0.key) || now &- $0.value.usedAt < 10_000_000_000 }
  }
}
