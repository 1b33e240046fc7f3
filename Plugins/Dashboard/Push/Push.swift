internal import MarketData
internal import StockbusViewing

/// Prices for browsers, drawn from the board when each of them is ready: a value, without clocks and sockets.
///
/// There is no queue for anybody. A client's frame is what changed after its cursor, among what it looks at; clients that have the same
/// cursor and look at the same share one encoding.
struct Push {
  typealias ClientID = UInt64

  /// The shortest time between two orders of a view, in nanoseconds.
  let calm: Int64
  /// The present time for measuring what a view takes.
  private let clock: @Sendable () -> Int64
  var board: Board
  private(set) var clients: [ClientID: Client] = [:]
  private var views: [RowQuery: RowView] = [:]
  private var lastClient: ClientID = 0
  private var lastWindow: UInt64 = 0
  private var ranksRenewedAt: Int64 = .min / 2
  /// When the present frame ended, in milliseconds since 1970.
  private var frameTime: Int64 = 0
  /// What the present frame's panes are as bytes; an empty one has no news.
  private var encodings: [Encoding: [UInt8]] = [:]
  /// Marks the rows of a client's window before, by row.
  private var wasShown: ContiguousArray<UInt64> = []
  private var marking: UInt64 = 0
  private(set) var counts = Counts()

  struct Counts: Hashable {
    /// Frames given to clients.
    var frames = 0
    /// Those of them whose panes were all encoded before for another client.
    var shared = 0
  }

  private struct Encoding: Hashable {
    var pane: UInt8
    var window: UInt64
    var before: UInt64
    var cursor: UInt32
    var from: Int32
    var total: Int
    /// Whether the pane is to be sent even if it has no news.
    var isAnswer: Bool
  }

  init(_ board: Board, calm: Int64, clock: @escaping @Sendable () -> Int64) {
    self.board = board
    self.calm = calm
    self.clock = clock
  }

  // MARK: Clients

  /// - Parameter cursor: the last frame that it had from this run; 0 for none.
  mutating func connect(cursor: UInt32) -> ClientID {
    lastClient += 1
    clients[lastClient] = Client(cursor: min(cursor, board.frame), isReady: true, wantsMore: true)
    return lastClient
  }

  mutating func disconnect(_ id: ClientID) { clients[id] = nil }

  /// Shows `range` of `query` in a pane, or nothing if `query` is nil. Returns what is wrong with the filter.
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
    // The rows that it has stay known, whatever it looks at next.
    clients[id]?.panes[pane] = Client.Pane(query: query, range: shown, told: old?.told ?? RowWindow())
    if views[query] == nil { views[query] = RowView(query) }
    views[query]?.usedAt = now
    return views[query]?.problem
  }

  /// The client has painted what it was given.
  mutating func painted(_ id: ClientID) { clients[id]?.isReady = true }

  // MARK: Frames

  /// Ends a frame if something happened, and says who is due.
  mutating func tick(now: Int64, time: Int64) -> [ClientID] {
    let renewsRanks = board.hasOldRanks && now &- ranksRenewedAt >= calm
    if renewsRanks { ranksRenewedAt = now }
    if board.hasNews || renewsRanks { board.endFrame(renewingRanks: renewsRanks) }
    encodings.removeAll(keepingCapacity: true)
    frameTime = time
    forgetViews(now)
    return clients.filter { $1.isReady && ($1.wantsMore || $1.cursor != board.frame || hasOldOrder($1, now)) }.map(\.key).sorted()
  }

  /// True if rows wait for a place that is due to them.
  private func hasOldOrder(_ client: Client, _ now: Int64) -> Bool { orderDue(client).map { $0 <= now } ?? false }

  /// When the next order that a client looks at may be worked out again; nil if all are the present ones.
  private func orderDue(_ client: Client) -> Int64? {
    client.panes.values.compactMap { pane in
      views[pane.query].flatMap { $0.renewedFrame == board.frame ? nil : $0.dueAt(calm: calm) }
    }.min()
  }

  /// When a tick brings something although no event comes; nil if never. Clients that have not painted wait for nothing.
  func nextTick() -> Int64? {
    let orders = clients.values.lazy.filter(\.isReady).compactMap { orderDue($0) }.min()
    let ranks = board.hasOldRanks && !clients.isEmpty ? ranksRenewedAt &+ calm : nil
    return [orders, ranks].compactMap { $0 }.min()
  }

  /// The client's next frame, or nil if nothing that it looks at has changed. With a frame its cursor moves, and it has to paint before it
  /// gets another.
  ///
  /// - Parameter withText: whether a text message follows. The client then gets a frame even if no price changed.
  mutating func frame(for id: ClientID, now: Int64, withText: Bool) -> [UInt8]? {
    guard var client = clients[id], client.isReady else { return nil }
    var panes: [[UInt8]] = []
    var isShared = true
    for number in client.panes.keys.sorted() {
      guard var pane = client.panes[number] else { continue }
      let bytes = encode(number, &pane, cursor: client.cursor, now: now, &isShared)
      client.panes[number] = pane
      if !bytes.isEmpty { panes.append(bytes) }
    }
    client.cursor = board.frame
    client.wantsMore = false
    if panes.isEmpty, !withText {
      clients[id] = client
      return nil
    }
    client.isReady = false
    clients[id] = client
    counts.frames += 1
    if isShared { counts.shared += 1 }
    var frame = FrameBytes()
    frame.append(1)
    frame.append(withText ? 1 : 0)
    frame.append(varint: UInt64(board.frame))
    frame.append(varint: UInt64(max(0, frameTime)))
    frame.append(varint: UInt64(panes.count))
    for pane in panes { frame.append(contentsOf: pane) }
    return frame.bytes
  }

  private mutating func encode(_ number: UInt8, _ pane: inout Client.Pane, cursor: UInt32, now: Int64, _ isShared: inout Bool) -> [UInt8] {
    var view = views[pane.query] ?? RowView(pane.query)
    view.usedAt = now
    if view.renewedFrame != board.frame || view.renewedAt == nil, view.dueAt(calm: calm) <= now { view.renew(board, at: now, clock: clock) }
    let window = view.window(pane.range) {
      lastWindow += 1
      return lastWindow
    }
    views[pane.query] = view
    let key = Encoding(
      pane: number, window: window.number, before: pane.told.number, cursor: cursor, from: pane.range.lowerBound, total: view.order.count,
      isAnswer: !pane.isAnswered || pane.toldTotal != view.order.count)
    let before = pane.told
    pane.told = window
    pane.isAnswered = true
    pane.toldTotal = view.order.count
    if let bytes = encodings[key] { return bytes }
    isShared = false
    let bytes = encode(key, window, before)
    encodings[key] = bytes
    return bytes
  }

  /// The bytes of a pane; empty if it has no news.
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

  /// Views that nobody has looked at for ten seconds are forgotten.
  private mutating func forgetViews(_ now: Int64) {
    if views.count <= clients.count { return }
    let used = Set(clients.values.flatMap { $0.panes.values.map(\.query) })
    views = views.filter { used.contains($0.key) || now &- $0.value.usedAt < 10_000_000_000 }
  }
}
