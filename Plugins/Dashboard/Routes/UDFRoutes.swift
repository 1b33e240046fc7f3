internal import StockbusPeople
internal import StockbusHistory
internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusWeb

/// Symbols and bars in the form that charting programs read: TradingView's Universal Data Feed, below `/api/udf`. Times are seconds since
/// 1970; prices are JSON numbers with all their digits.
enum UDFRoutes {
  /// The format's name for each length of bars.
  static let resolutions: [(name: String, length: String)] = [
    ("1S", "1s"), ("1", "1m"), ("5", "5m"), ("15", "15m"), ("60", "1h"), ("1D", "1d"), ("1W", "1w"),
  ]

  static func add(of dashboard: Dashboard, behind door: Door, to routes: inout WebRoutes) {
    routes.add(.get, "/api/udf/config", door.behind(.read) { _, _ in .json(Self.configuration) })
    routes.add(.get, "/api/udf/time", door.behind(.read) { _, _ in .text("\(dashboard.context.clock.now.ns / 1_000_000_000)") })
    routes.add(
      .get, "/api/udf/search",
      door.behind(.read) { request, _ in
        guard let limit = RunRoutes.limit(request, usual: 20, most: 100) else { return Self.error(400, "'limit' must be a number") }
        let kind = request.target["type"] ?? ""
        let found = await dashboard.search(request.target["query"] ?? "", limit: limit)
        return .json(.array(found.filter { kind.isEmpty || $0["kind"] == .string(kind) }.map(Self.found)))
      })
    routes.add(
      .get, "/api/udf/symbols",
      door.behind(.read) { request, _ in
        guard let symbol = await dashboard.udfSymbol(request.target["symbol"] ?? "") else { return Self.error(404, "unknown symbol") }
        return .json(symbol)
      })
    routes.add(.get, "/api/udf/history", door.behind(.read) { request, _ in await Self.history(request, dashboard) })
  }

  static let configuration: JSONValue = [
    "supported_resolutions": .array(resolutions.map { .string($0.name) }), "supports_group_request": false, "supports_marks": false,
    "supports_search": true, "supports_timescale_marks": false, "supports_time": true,
    "symbols_types": .array(
      [["name": "all", "value": ""]] + InstrumentKind.allCases.map { ["name": .string($0.rawValue), "value": .string($0.rawValue)] }),
  ]

  private static func found(_ result: JSONValue) -> JSONValue {
    let symbol = result["symbol"] ?? ""
    return [
      "symbol": symbol, "full_name": symbol, "ticker": symbol, "description": result["name"] ?? "", "exchange": "",
      "type": result["kind"] ?? "",
    ]
  }

  private static func history(_ request: WebRequest, _ dashboard: Dashboard) async -> WebResponse {
    let wanted = request.target["resolution"] ?? ""
    // `D` and `1D` are the same.
    let name = ["D", "W", "S"].contains(wanted) ? "1" + wanted : wanted
    guard let text = resolutions.first(where: { $0.name == name })?.length, let length = BarLength(text) else {
      return error(400, "'resolution' must be one of \(resolutions.map(\.name).joined(separator: ", "))")
    }
    guard let from = time(request.target["from"], else: .min), let to = time(request.target["to"], else: .max), from <= to else {
      return error(400, "'from' and 'to' are seconds since 1970")
    }
    let count = request.target["countback"].map { Int($0) ?? -1 }
    guard count.map({ $0 > 0 }) ?? true else { return error(400, "'countback' must be a number above 0") }
    // With a number of bars, their beginning is not limited. `to` is exclusive.
    let span = (count == nil ? from : .min)...(to == .max ? .max : max(from, to - 1))
    guard
      let found = await dashboard.knownBars(
        request.target["symbol"] ?? "", length, span, limit: min(BarRoutes.most, count ?? BarRoutes.most))
    else { return error(404, "unknown symbol") }
    if !found.isEmpty { return .json(columns(found)) }
    let before = from == .min ? nil : await dashboard.knownBars(request.target["symbol"] ?? "", length, .min...from, limit: 1)?.last
    return .json(["s": "no_data", "nextTime": before.map { .number($0.time.ns / 1_000_000_000) } ?? .null])
  }

  private static func columns(_ bars: [Bar]) -> JSONValue {
    func column(_ value: (Bar) -> Price) -> JSONValue {
      .array(bars.map { .number(value($0).formatted(decimals: Int($0.priceDecimals))) })
    }
    return [
      "s": "ok", "t": .array(bars.map { .number($0.time.ns / 1_000_000_000) }), "o": column(\.open), "h": column(\.high),
      "l": column(\.low),
      "c": column(\.close), "v": .array(bars.map { .number($0.volume.formatted(decimals: Int($0.sizeDecimals))) }),
    ]
  }

  /// Seconds since 1970 in nanoseconds; nil if the text is not a time.
  private static func time(_ text: String?, else usual: Int64) -> Int64? {
    guard let text else { return usual }
    guard let seconds = Int64(text) else { return nil }
    let (ns, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : ns
  }

  /// The format's form of errors.
  private static func error(_ status: Int, _ message: String) -> WebResponse {
    .json(["s": "error", "errmsg": .string(message)], status: status)
  }
}

extension Dashboard {
  /// The description of a symbol for charting programs; nil if the symbol is unknown.
  func udfSymbol(_ name: String) -> JSONValue? {
    guard let symbol = describe(name) else { return nil }
    let decimals = push.board.row(named: name).map { Int(push.board.numbers(of: $0).priceDecimals) } ?? 2
    let calendar = symbol["calendar"].flatMap { wanted in context.instruments.calendars.first { .string($0.name) == wanted } }
    let hasSessions = calendar?.name == "us_equities"
    return [
      "name": .string(name), "ticker": .string(name), "description": symbol["name"] ?? .string(name), "type": symbol["kind"] ?? "",
      "exchange": symbol["venue"] ?? "", "listed_exchange": symbol["venue"] ?? "",
      "timezone": .string(calendar?.clock.zone ?? "Etc/UTC"), "session": hasSessions ? "0930-1600" : "24x7", "minmov": 1,
      "pricescale": .number((0..<decimals).reduce(1) { scale, _ in scale * 10 }), "currency_code": symbol["currency"] ?? "",
      "has_intraday": true, "has_seconds": true, "seconds_multipliers": ["1"], "intraday_multipliers": ["1", "5", "15", "60"],
      "has_daily": true, "has_weekly_and_monthly": true, "supported_resolutions": UDFRoutes.configuration["supported_resolutions"] ?? [],
      "data_status": "streaming",
    ]
  }
}
