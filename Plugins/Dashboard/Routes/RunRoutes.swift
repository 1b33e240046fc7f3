internal import StockbusPeople
internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading
internal import StockbusViewing
internal import StockbusWeb

/// The part of the API that is about the run and its prices.
enum RunRoutes {
  static func add(of dashboard: Dashboard, behind door: Door, to routes: inout WebRoutes) {
    // With a file the session is among the routes of people.
    if door.gate == nil { routes.add(.get, "/api/session") { _ in .json(await dashboard.localSession) } }
    routes.add(
      .get, "/api/search",
      door.behind(.read) { request, _ in
        guard let limit = Self.limit(request, usual: 20, most: 100) else { return Self.noLimit }
        return .json(.array(await dashboard.search(request.target["q"] ?? "", limit: limit)))
      })
    routes.add(
      .get, "/api/symbols/:symbol",
      door.behind(.read) { request, _ in
        let name = request.parameters["symbol"] ?? ""
        guard let symbol = await dashboard.describe(name) else { return Self.unknown(name) }
        return .json(symbol)
      })
    routes.add(.get, "/api/run", door.behind(.read) { _, _ in .json(await dashboard.sample()) })
    routes.add(
      .get, "/api/portfolio",
      door.behind(.read) { _, viewer in
        await dashboard.recallFills(of: viewer, while: { false })
        return .json(await dashboard.portfolio(of: viewer))
      })
    routes.add(
      .get, "/api/portfolio/equity",
      door.behind(.read) { request, viewer in
        guard let line = await dashboard.equity(of: request.target["account"], viewer) else {
          return .error(404, "unknown_account", "this run has no such account so far")
        }
        return .json(line)
      })
    let run = dashboard.context.run
    routes.add(
      .post, "/api/components/:id/commands",
      door.behind(.control) { request, _ in
        let id = request.parameters["id"] ?? ""
        return await CommandForm.answer(request) { command throws(CommandError) in try await run.perform(command, on: id) }
      })
  }

  static let noLimit = WebResponse.error(400, "bad_request", "'limit' must be a number")

  /// How many are asked for; nil if it is no number.
  static func limit(_ request: WebRequest, usual: Int, most: Int) -> Int? {
    guard let text = request.target["limit"] else { return usual }
    return Int(text).map { max(1, min(most, $0)) }
  }

  static func unknown(_ name: String) -> WebResponse {
    .error(404, "unknown_symbol", "this run has no symbol \(shown(name)) so far")
  }
}

extension Dashboard {
  /// What everybody may know of the page.
  func sessionMembers() -> [JSONValue.Member] {
    [
      .init("program", "stockbus"), .init("zone", .string(context.zone.name)),
      .init("columns", .array((Column.own.map(\.name) + push.board.market.columns.names).map { .string($0) })), .init("pages", pages),
    ]
  }

  /// The pages for which the run has something, besides prices and the run itself.
  var pages: JSONValue {
    let (run, market) = (context.run, push.board.market)
    let found = [
      "watchlists": door.gate != nil,
      "movers": !market.movers.periods.isEmpty || run.components.contains { $0.plugin == "movers" },
      "crypto": context.instruments.all.contains { $0.kind == .crypto },
      "portfolio": push.news.hasTrading || !run.components(offering: (any OrderDesk).self).isEmpty,
      "alerts": push.news.alertCount > 0 || !run.components(offering: (any RuleDesk).self).isEmpty,
    ]
    return .array(found.filter(\.value).keys.sorted().map { .string($0) })
  }

  /// What can be done in this run: trading only with a broker.
  func usableScopes() -> Set<Scope> {
    let hasBroker = !context.run.components(offering: (any OrderDesk).self).isEmpty
    return hasBroker ? Set(Scope.allCases) : Set(Scope.allCases).subtracting([.trade])
  }

  /// The session of everybody, where nothing is kept.
  var localSession: JSONValue {
    let can = Set<Scope>([.control, .trade]).intersection(usableScopes()).sorted().map { JSONValue.string($0.rawValue) }
    let who: JSONValue = ["user": ["name": "local"], "accounts": false, "signup": "closed", "can": .array(can)]
    return .object(who.members + sessionMembers())
  }

  /// Instruments by symbol, name and industry, and symbols that have come without being described.
  func search(_ text: String, limit: Int) -> [JSONValue] {
    catchUp()
    let text = text.cut(toBytes: 200)
    let instruments = context.instruments
    var found: [JSONValue] = instruments.search(text, limit: limit).map { Self.result(instruments.all[$0]) }
    let search = RowSearch(text, kind: "")
    if !search.parts.isEmpty {
      for row in 0..<push.board.count where found.count < limit && push.board.texts.matches(search, row) {
        let symbol = push.board.market.rows[Int(row)].symbol
        if instruments[symbol] == nil { found.append(Self.result(symbol.description)) }
      }
    }
    // Without a row it is found by its whole name.
    for name in [text, text.uppercased()] where found.count < limit && push.board.isBeyond(name) {
      found.append(Self.result(name))
      break
    }
    return found
  }

  private static func result(_ symbol: String) -> JSONValue { ["symbol": .string(symbol), "name": "", "kind": "", "industry": ""] }

  private static func result(_ instrument: Instrument) -> JSONValue {
    [
      "symbol": .string(instrument.symbol.description), "name": .string(instrument.name), "kind": .string(instrument.kind.rawValue),
      "industry": .string(instrument.industry),
    ]
  }

  func describe(_ name: String) -> JSONValue? {
    catchUp()
    let place = push.board.row(named: name).map { Int($0) }
    let row = place.map { push.board.market.rows[$0] }
    let instrument = context.instruments.all.first { $0.symbol.description == name }
    let isBeyond = push.board.isBeyond(name)
    push.board.want(name)
    if row == nil, instrument == nil, !isBeyond { return nil }
    var members: [JSONValue.Member] = [.init("symbol", .string(name))]
    if isBeyond { members.append(.init("beyond", true)) }
    if let instrument {
      members += Self.result(instrument).members.dropFirst()
      members += [
        .init("venue", .string(instrument.venue)), .init("currency", .string(instrument.currency)),
        .init("calendar", .string(instrument.calendar)), .init("tick", instrument.tickSize.map { .string($0.description) } ?? .null),
        .init("lot", instrument.lot.map { .string($0.description) } ?? .null),
        .init("multiplier", .string(instrument.multiplier.description)),
      ]
    }
    if let row {
      members += [
        .init("last", .string(row.price.formatted(decimals: Int(row.decimals)))), .init("time", StateText.time(row.time)),
        .init("updates", .number(row.updates)),
      ]
      let close = place.flatMap { push.board.market.previousClose(of: $0) }
      members.append(.init("previousClose", close.map { .string($0.formatted(decimals: Int(row.decimals))) } ?? .null))
    }
    return .object(members)
  }

  /// The components of the run with their rates, and the edges with their counts.
  func sample() -> JSONValue {
    run = RunSample(context.run.components, context.run.edges, at: now, after: run)
    return [
      "symbols": .number(push.board.market.rows.count), "beyond": .number(push.board.market.beyond),
      "components": .array(
        run.components.map { component in
          [
            "id": .string(component.id), "plugin": .string(component.plugin), "kind": .string("\(component.kind)"),
            "inputs": .array(component.inputs.map { .string($0) }), "running": .bool(component.isRunning),
            "published": component.published.map { .number($0) } ?? .null,
            "rate": run.published[component.id].map { .number(Int($0.rounded())) } ?? .null,
            "commands": .array(component.commands.map { ["usage": .string($0.usage), "doc": .string($0.doc)] }),
          ]
        }),
      "edges": .array(
        run.edges.map { edge in
          [
            "from": .string(edge.from), "to": .string(edge.to), "in": .number(edge.counts.published),
            "delivered": .number(edge.counts.delivered), "filtered": .number(edge.counts.filtered),
            "dropped": .number(edge.counts.dropped), "conflated": .number(edge.counts.conflated),
            "dead": .number(edge.counts.deadLettered), "waiting": .number(edge.counts.inFlight),
            "rate": run.rates[RunSample.key(edge)].map { .number(Int($0.rounded())) } ?? .null,
          ]
        }),
    ]
  }

  func portfolio(of viewer: Viewer) -> JSONValue {
    catchUp()
    var text = StateText()
    let trading = push.news.trading(for: viewer)
    text.addPortfolio(trading, push.board.market)
    text.addFills(trading, after: 0)
    return text.value
  }

  /// What an account was worth in the course of this run; the only one that the viewer sees if none is named. Nil if there is none.
  func equity(of account: String?, _ viewer: Viewer) -> JSONValue? {
    let lines = push.news.trading(for: viewer).equity
    let line = account.map { name in lines.first { $0.key.description == name }?.value } ?? (lines.count == 1 ? lines.first?.value : nil)
    return line.map { line in
      ["points": .array(line.points.map { [StateText.time($0.time), .string($0.equity.description)] })]
    }
  }
}
