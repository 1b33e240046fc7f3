internal import StockbusPeople
internal import StockbusHistory
internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusViewing
internal import StockbusWeb

/// Candles of a symbol: from the run's history file, then from the bars of this run; without either, from the prices of each second.
enum BarRoutes {
  static let lengths = ["1s", "1m", "5m", "15m", "1h", "1d", "1w"]
  static let most = 1000
  static let mostTrends = 100
  /// Seconds with prices in a trend, as many as the page draws.
  static let trend = 60

  static func add(of dashboard: Dashboard, behind door: Door, to routes: inout WebRoutes) {
    routes.add(.get, "/api/symbols/:symbol/bars", door.behind(.read) { request, _ in await Self.answer(request, dashboard) })
    routes.add(
      .get, "/api/trends",
      door.behind(.read) { request, _ in
        let names = (request.target["symbols"] ?? "").split(separator: ",").prefix(Self.mostTrends).map(String.init)
        return .json(await dashboard.trends(of: names))
      })
  }

  private static func answer(_ request: WebRequest, _ dashboard: Dashboard) async -> WebResponse {
    let text = request.target["length"] ?? "1m"
    guard Self.lengths.contains(text), let length = BarLength(text) else {
      return .error(400, "bad_request", "'length' must be one of \(Self.lengths.joined(separator: ", "))")
    }
    guard let from = Self.time(request.target["from"], else: .min), let to = Self.time(request.target["to"], else: .max) else {
      return .error(400, "bad_request", "'from' and 'to' are milliseconds since 1970")
    }
    guard let limit = RunRoutes.limit(request, usual: Self.most, most: Self.most) else { return RunRoutes.noLimit }
    let name = request.parameters["symbol"] ?? ""
    let span = from.ns <= to.ns ? from.ns...to.ns : from.ns...from.ns
    guard let answer = await dashboard.bars(name, length, span, limit: limit) else { return RunRoutes.unknown(name) }
    return .json(answer)
  }

  private static func time(_ text: String?, else usual: Int64) -> Timestamp? {
    guard let text else { return Timestamp(ns: usual) }
    guard let milliseconds = Int64(text) else { return nil }
    let (ns, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : Timestamp(ns: ns)
  }
}

extension Dashboard {
  /// The newest `limit` bars that begin in `times`, oldest first, in the form of the page; nil if the symbol is unknown.
  func bars(_ name: String, _ length: BarLength, _ times: ClosedRange<Int64>, limit: Int) async -> JSONValue? {
    guard let bars = await knownBars(name, length, times, limit: limit) else { return nil }
    let usual = push.board.row(named: name).map { Int(push.board.numbers(of: $0).priceDecimals) } ?? 2
    return [
      "length": .string(length.description), "decimals": .number(bars.map { Int($0.priceDecimals) }.max() ?? usual),
      "complete": .bool(bars.count < limit), "bars": .array(bars.map(StateText.bar)),
    ]
  }

  /// The last prices by seconds of these symbols, oldest first; without those that have no row.
  func trends(of names: [String]) -> JSONValue {
    catchUp()
    return .object(
      Set(names).sorted().compactMap { name in
        guard let row = push.board.row(named: name) else { return nil }
        let decimals = Int(push.board.numbers(of: row).priceDecimals)
        let prices = push.board.market.trend(of: Int(row), count: BarRoutes.trend)
        return .init(name, .array(prices.map { .string(Price(raw: $0).formatted(decimals: decimals)) }))
      })
  }

  /// The known bars of a symbol as events.
  func knownBars(_ name: String, _ length: BarLength, _ times: ClosedRange<Int64>, limit: Int) async -> [Bar]? {
    catchUp()
    let row = push.board.row(named: name)
    if let row { push.board.look(at: row, now: now) } else { push.board.want(name) }
    guard
      let symbol = row.map({ push.board.market.rows[Int($0)].symbol })
        ?? context.instruments.all.first(where: { $0.symbol.description == name })?.symbol
        ?? (push.board.isBeyond(name) ? Symbol(known: name) : nil)
    else { return nil }
    let present = row.map { push.board.market.rows[Int($0)].time }
    let past = await history?.bars(symbol, length, times, limit: limit, to: present)
    var live: [Bar] = []
    if let row { live = liveBars(row, symbol, length).filter { times.contains($0.time.ns) } }
    // Bars of this run replace stored bars of the same time.
    let first = live.first?.time.ns ?? .max
    return Array(((past ?? []).filter { $0.time.ns < first } + live).suffix(limit))
  }

  /// Bars of this run: those of this length or made of shorter ones, or else of the stored prices.
  private func liveBars(_ row: Int32, _ symbol: Symbol, _ length: BarLength) -> [Bar] {
    let market = push.board.market
    let period = BarPeriod.length(length)
    let known = market.bars.lengths(of: Int(row))
    if known.contains(length) { return Array(market.bars.last(length, of: Int(row))) }
    if let part = known.last(where: period.isMade) { return period.bars(of: market.bars.last(part, of: Int(row))) }
    let numbers = push.board.numbers(of: row)
    let parts = market.parts(of: Int(row), length: length.nanoseconds ?? .max).map { sample in
      let price = Price(raw: sample.price)
      return Bar(
        symbol: symbol, open: price, high: price, low: price, close: price, volume: Quantity(raw: sample.volume),
        time: Timestamp(ns: sample.time), received: Timestamp(ns: sample.time), priceDecimals: numbers.priceDecimals,
        sizeDecimals: numbers.sizeDecimals, length: .time(1_000_000_000))
    }
    return period.bars(of: parts)
  }
}

/// Reads bars beside the file's writer, on a separate thread, so that a slow disk delays no frame.
actor PastBars {
  private let executor = BlockingExecutor(label: "dashboard.history")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String
  private let context: Context
  private var reader: HistoryReader?
  private var hasFailed = false

  init(path: String, _ context: Context) {
    self.path = path
    self.context = context
  }

  /// Bars for the shares of `present`. Empty without bars, and if the file cannot be read, which is logged once until it can be read.
  func bars(_ symbol: Symbol, _ length: BarLength, _ times: ClosedRange<Int64>, limit: Int, to present: Timestamp?) -> [Bar] {
    do throws(HistoryError) {
      let reader: HistoryReader
      if let known = self.reader { reader = known } else { reader = try HistoryReader(path) }
      self.reader = reader
      let range = HistoryTimes(
        from: Timestamp(ns: times.lowerBound), to: times.upperBound == .max ? nil : Timestamp(ns: times.upperBound + 1))
      let found = try reader.bars(symbol, .length(length), in: range, limit: limit) { context.instruments.adjusted($0, to: present) }
      hasFailed = false
      return found?.bars ?? []
    } catch {
      reader = nil
      if !hasFailed { context.logger.warning("\(error)") }
      hasFailed = true
      return []
    }
  }
}
