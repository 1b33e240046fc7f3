internal import StockbusDecoding
internal import StockbusNetwork
internal import StockbusPlugin

/// What a feed does about breaks in the numbers of its trades.
enum FeedGaps: String, Choice {
  /// Each is published as a gap.
  case report
  /// Missing trades are fetched from the venue's REST; those that cannot be had are a gap.
  case fill
}

/// The counters of a feed that fills its gaps.
struct FillTallies: Sendable {
  let doubles: Counter
  /// Nil if nothing is fetched.
  let fetching: (filled: Counter, requests: Counter, failures: Counter)?

  init(_ context: Context, fetches: Bool) {
    doubles = context.counter("doubles", "Events that had come before, in the past or live, and were not sent again.")
    if !fetches {
      fetching = nil
      return
    }
    let filled = context.counter("filled", "Missed trades that were fetched and sent.")
    let requests = context.counter("fill requests", "Requests for missed trades.")
    let failures = context.counter("fill failures", "Requests for missed trades that failed.")
    fetching = (filled, requests, failures)
  }
}

/// The limits of requests for missed trades.
enum FillLimits {
  /// The most bytes of a page.
  static let pageBytes = 4 << 20
  /// The longest time for a page.
  static let timeout = Duration.seconds(10)
  /// The most pages for a hole.
  static let pages = 100
  /// The most trades that wait for the last of several pages that lead back.
  static let held = 200_000
  /// The first pause after a failure, and the longest.
  static let pauses = (first: Duration.seconds(1), most: Duration.seconds(60))
}

/// The state of the filling of a feed.
struct Filling {
  var filler: GapFiller
  let tallies: FillTallies
  let transport: any HTTPTransport
  var pauses: Backoff
  /// When the next request may be sent.
  var free = Duration.zero
  /// Fetched trades that wait for the loop that sends, with their numbers' owner.
  var ready: (key: GapFiller.Key, rows: [FillPlan.Row])?

  /// - Parameter past: the numbers from which the feed goes on.
  init(_ plans: [FillPlan], series: [String], after past: VenueNumbers, _ settings: ConnectionSettings, _ context: Context) {
    let times = context.recall(PastEnd.memory)?.times ?? [:]
    filler = GapFiller(plans, series: series, after: past) { times[$0] ?? context.clock.now }
    tallies = FillTallies(context, fetches: !plans.isEmpty)
    transport = NetworkTransport(certificates: settings.tls.ca)
    pauses = Backoff(first: FillLimits.pauses.first, most: FillLimits.pauses.most, random: context.random())
  }
}

/// Fetches missing trades, one request after the other, while the feed goes on. Fetched trades are handed to the loop that receives, which
/// alone sends.
extension WebSocketFeed {
  /// Fetches what is missing until the task is cancelled.
  func fillGaps() async {
    while !Task.isCancelled {
      let heard = fillNews.rings
      guard let filling else { return }
      guard let due = filling.filler.nextDue.map({ max($0, filling.free) }) else {
        await fillNews.wait(after: heard)
        continue
      }
      guard due <= context.clock.uptime, let pursuit = filling.filler.next(at: context.clock.uptime) else {
        await fillNews.wait(until: due, context.clock) { fillNews.rings == heard }
        continue
      }
      do { try await pursue(pursuit) } catch { return }
    }
  }

  private enum Reply {
    case rows([FillPlan.Row])
    /// The request may succeed later.
    case failed(String, RetryAfter?)
    /// The venue does not give these trades; others may be had.
    case refused(String, isFinal: Bool)
  }

  /// Fetches the pages of a hole. Throws only if the task is cancelled.
  private func pursue(_ first: Pursuit) async throws(CancellationError) {
    var pursuit = first
    var held: [FillPlan.Row] = []
    var isOver = false
    while !isOver {
      do { try await context.clock.sleep(until: filling?.free ?? .zero) } catch { throw CancellationError() }
      let reply = await ask(pursuit)
      if Task.isCancelled { throw CancellationError() }
      var step = Pursuit.Step.stalled
      if case .rows(let rows) = reply {
        step = pursuit.take(rows)
        if step == .more, pursuit.pages >= FillLimits.pages || held.count >= FillLimits.held { step = .done }
        held += filling?.filler.wanted(rows, of: pursuit.key) ?? []
      }
      isOver = step != .more
      if !isOver, pursuit.leadsBack { continue }
      try await handOver(held, of: pursuit.key)
      held = []
      filling?.filler.note(pursuit)
      if isOver { settle(pursuit, reply, step) }
      reportTold()
    }
  }

  private func settle(_ pursuit: Pursuit, _ reply: Reply, _ step: Pursuit.Step) {
    let now = context.clock.uptime
    let ending: GapFiller.Ending
    switch reply {
    case .rows:
      if step == .done { filling?.pauses.reset() }
      ending = step == .done ? .complete : .stalled(until: now + pause())
    case .failed(let reason, let asked):
      let due = now + max(pause(), asked?.pause ?? .zero)
      keepAway(until: due)
      ending = .failed(until: due)
      report(pursuit, reason + (asked.map { "; \($0)" } ?? ""))
    case .refused(let reason, let isFinal):
      let due = now + pause()
      keepAway(until: due)
      ending = isFinal ? .complete : .stalled(until: due)
      report(pursuit, reason)
    }
    filling?.filler.settle(pursuit, ending)
  }

  private func keepAway(until due: Duration) {
    let free = max(due, filling?.free ?? .zero)
    filling?.free = free
  }

  private func pause() -> Duration { filling?.pauses.next() ?? .zero }

  private func report(_ pursuit: Pursuit, _ reason: String) {
    filling?.tallies.fetching?.failures.add(1)
    context.logger.warning("missed trades of \(pursuit.key.symbol) were not fetched: \(reason)")
  }

  /// Gives fetched trades to the loop that sends, and waits until it has taken them: not before there is a connection.
  private func handOver(_ rows: [FillPlan.Row], of key: GapFiller.Key) async throws(CancellationError) {
    if rows.isEmpty { return }
    filling?.ready = (key, rows.sorted { $0.number < $1.number })
    connection?.wake()
    while filling?.ready != nil {
      let heard = fillTaken.rings
      await fillTaken.wait(after: heard)
      if Task.isCancelled { throw CancellationError() }
    }
  }

  /// Sends the fetched trades that wait. Their receipt is now; their time, which is older, tells that they are late.
  func sendFetched(into output: inout Outlet<E>) {
    guard let (key, rows) = filling?.ready else { return }
    filling?.ready = nil
    let received = output.receipt(context.clock.now)
    for row in rows {
      guard filling?.filler.admit(fetched: row, of: key) == true else {
        filling?.tallies.doubles.add(1)
        continue
      }
      var trade = row.trade
      trade.received = received
      if let event = trade as? E { output.send(event) }
      filling?.tallies.fetching?.filled.add(1)
    }
    fillTaken.ring()
  }

  /// Records a trade of the feed by its number; false if it must not be sent again.
  func admits(_ number: EventNumber) -> Bool {
    let now = context.clock.uptime
    if filling?.filler.admit(number.value, series: number.series, of: number.symbol, at: number.time, now: now) == true { return true }
    filling?.tallies.doubles.add(1)
    return false
  }

  func reportTold() {
    for gap in filling?.filler.takeTold() ?? [] { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
  }

  private func ask(_ pursuit: Pursuit) async -> Reply {
    guard let plan = filling?.filler.plan(of: pursuit.key), let transport = filling?.transport else { return .rows([]) }
    let text = plan.address(of: pursuit.key.symbol, from: pursuit.from, before: pursuit.before, since: pursuit.since)
    guard let text else { return .refused("the REST has no name for the symbol", isFinal: true) }
    filling?.tallies.fetching?.requests.add(1)
    filling?.free = context.clock.uptime + plan.pace
    do throws(HTTPError) {
      var request = HTTPRequest(.get, try WebAddress(text))
      try request.fields.set("Accept", "application/json")
      try request.fields.set("User-Agent", "stockbus")
      for (name, value) in plan.headers { try request.fields.set(name, value.revealed) }
      let limits = HTTPLimits(connect: FillLimits.timeout, whole: FillLimits.timeout, redirects: 2, body: FillLimits.pageBytes)
      let response = try await transport.send(
        request, limits: limits, secrets: plan.headers.map(\.name), clock: context.clock)
      return reply(to: request.address, response, plan, pursuit.key.symbol)
    } catch {
      return error.isTransient ? .failed(error.description, nil) : .refused(error.description, isFinal: true)
    }
  }

  private func reply(to address: WebAddress, _ response: HTTPResponse, _ plan: FillPlan, _ symbol: Symbol) -> Reply {
    guard response.isSuccess else {
      let reason = "\(address) answers with status \(response.status)"
      return response.isTransient ? .failed(reason, response.retryAfter(now: context.clock.wall)) : .refused(reason, isFinal: true)
    }
    var body = response.body
    switch body.withUnsafeBufferPointer({ CompressedContents(of: $0, limit: FillLimits.pageBytes) }) {
    case .plain: break
    case .contents(let contents): body = contents
    case .unreadable(let reason): return .failed("\(address): \(reason)", nil)
    }
    let page = body.withUnsafeBufferPointer { plan.read($0, of: symbol, received: context.clock.now) }
    if let refusal = page.refusal { return .refused("\(address) refuses: \(visible(refusal, limit: 200))", isFinal: false) }
    if let fault = page.fault {
      tallies.malformed.add(1)
      context.reject(String(decoding: body.prefix(2048), as: UTF8.self), origin: address.origin, reason: fault)
      if page.rows.isEmpty { return .refused("\(address): \(fault)", isFinal: false) }
    }
    return .rows(page.rows)
  }
}
