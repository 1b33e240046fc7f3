import MarketData
import StockbusAccounts
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Dashboard
@testable import StockbusWeb

/// What a page asks of the run: symbols beyond the limit, bars of trades, orders, and fills of runs before.
@Suite(.timeLimit(.minutes(15))) struct RequestTests {
  private static let fill = Fill(
    account: "main", symbol: "AAPL", side: .buy, reason: .touch, number: 7, order: 3, price: 88, quantity: 10, fee: .zero, realised: .zero,
    position: 10, shown: 88, shownSize: 10, time: Timestamp(ns: 1_000_000_000), received: Timestamp(ns: 1_000_000_000))

  private let run = FakeRun(
    components: [
      RunComponent(
        id: "broker", kind: .processor, plugin: "paper_broker",
        commands: [
          CommandInfo("preview buy|sell SYMBOL QUANTITY [WORDS]", "Says what an order would cost."),
          CommandInfo("fills [in ACCOUNT]", "Shows the last fills."),
        ])
    ],
    reply: { command, _ in command.verb == "fills" ? Fill.schema.json(Self.fill) : "done" })
  private let harness: PluginHarness
  private let dashboard: Dashboard
  private let responder: WebResponder

  init() async throws {
    harness = PluginHarness(id: "web", run: run)
    var settings = DashboardSettings()
    settings.listen = "127.0.0.1:0"
    settings.file = "-"
    settings.symbols = 2
    dashboard = try Dashboard(settings, harness.context)
    let limits = WebLimits()
    responder = WebResponder(
      routes: try await dashboard.routes(), names: .loopback, proxies: [], isSecure: false, limits: limits, roll: WebRoll(limits))
  }

  private func ask(_ method: WebMethod, _ path: String, _ body: String? = nil) async throws -> (status: Int, text: String) {
    var fields = WebFields()
    fields.add("Origin", "http://localhost")
    if body != nil { fields.add("Content-Type", "application/json") }
    let target = try #require(WebTarget(path))
    let request = WebRequest(
      method, target, fields: fields, body: Array((body ?? "").utf8), from: WebClient(address: "a", origin: "http://localhost"))
    guard case .answer(let response) = await responder.respond(request) else { return (0, "") }
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  private func trade(_ symbol: Symbol, _ price: Price, size: Quantity = 1, second: Int64 = 0) -> Trade {
    let time = Timestamp(ns: 1_381_239_000_000_000_000 + second * 1_000_000_000)
    return Trade(symbol: symbol, price: price, size: size, time: time, received: time)
  }

  @Test func `a symbol beyond the limit has come, and has a row from its next price on`() async throws {
    await dashboard.show(["JUNK1", "JUNK2", "S29999"].map { trade($0, 1) })
    #expect(try await ask(.get, "/api/search?q=s29999") == (200, #"[{"symbol":"S29999","name":"","kind":"","industry":""}]"#))
    #expect(try await ask(.get, "/api/run").text.contains(#""symbols":2,"beyond":1"#))
    for _ in 1...2 { #expect(try await ask(.get, "/api/symbols/S29999") == (200, #"{"symbol":"S29999","beyond":true}"#)) }
    #expect(try await ask(.get, "/api/symbols/S29999/bars") == (200, #"{"length":"1m","decimals":2,"complete":true,"bars":[]}"#))
    #expect(try await ask(.get, "/api/symbols/S30000").status == 404)
    await dashboard.show([trade("S29999", 5)])
    let shown = try await ask(.get, "/api/symbols/S29999").text
    #expect(shown.contains(#""last":"5""#) && !shown.contains("beyond"), "\(shown)")
    #expect(try await ask(.get, "/api/run").text.contains(#""symbols":3,"beyond":0"#))
  }

  @Test func `symbols of orders and of lists that somebody looks at have a row, however many names came before`() async throws {
    await dashboard.show(["JUNK1", "JUNK2", "ORDERED", "LISTED"].map { trade($0, 1) })
    await dashboard.look(at: ["LISTED"])
    await dashboard.show([Self.fill(of: "ORDERED")])
    await dashboard.show([trade("ORDERED", 2), trade("LISTED", 3)])
    for symbol in ["ORDERED", "LISTED"] {
      #expect(try await ask(.get, "/api/symbols/" + symbol).text.contains(#""updates":1"#))
    }
  }

  private static func fill(of symbol: Symbol) -> Fill {
    var fill = fill
    fill.symbol = symbol
    return fill
  }

  @Test func `bars made of trades have their volume, and those of a second are of a second`() async throws {
    await dashboard.show((0..<400).map { trade("AAPL", 10, size: 3, second: $0) })
    let minutes = try await ask(.get, "/api/symbols/AAPL/bars?length=1m").text
    // 400 s that begin at 13:30: six whole minutes of 60 × 3, and 40 s.
    #expect(minutes.contains(#"[[1381239000000,"10","10","10","10","180"],"#), "\(minutes)")
    #expect(minutes.contains(#"[1381239360000,"10","10","10","10","120"]]"#), "\(minutes)")
    let seconds = try await ask(.get, "/api/symbols/AAPL/bars?length=1s&limit=2").text
    #expect(
      seconds.contains(#""bars":[[1381239398000,"10","10","10","10","3"],[1381239399000,"10","10","10","10","3"]]"#), "\(seconds)")
  }

  @Test(arguments: [
    (WebMethod.post, "/api/orders", #"{"side":"buy","symbol":"AAPL","size":"1e3"}"#),
    (.post, "/api/orders/preview", #"{"side":"buy","symbol":"AAPL","size":"10","price":"8E1"}"#),
    (.post, "/api/orders", #"{"side":"buy","symbol":"AAPL","size":"10","stop":"1e0"}"#),
    (.post, "/api/orders", #"{"side":"buy","symbol":"AAPL","size":"10","trail":"1e0%"}"#),
    (.put, "/api/orders/1", #"{"size":"1e1"}"#), (.post, "/api/alerts", #"{"symbol":"AAPL","above":"1e2"}"#),
  ])
  func `numbers with an exponent are refused, as the description of the API says`(method: WebMethod, path: String, body: String)
    async throws
  {
    await dashboard.show([trade("AAPL", 1)])
    let answer = try await ask(method, path, body)
    #expect(answer.status == 400 && answer.text.contains("exponent"), "\(answer)")
    #expect(run.commands == [])
  }

  @Test func `a tab that shows the graph is given the state of the run, with what is on the board`() async throws {
    await dashboard.show([trade("A", 1), trade("B", 1)])
    let text = try #require(await dashboard.textOfGraph())
    #expect(text.contains(#""run":{"symbols":2,"beyond":0,"components":[{"id":"broker""#), "\(text)")
  }

  @Test func `the broker's fills of runs before are there, each once`() async throws {
    var newer = Self.fill
    (newer.number, newer.time) = (8, Timestamp(ns: 2_000_000_000))
    await dashboard.show([newer])
    for _ in 1...2 {
      let text = try await ask(.get, "/api/portfolio").text
      let numbers = text.split(separator: #""number":"#).dropFirst().map { $0.prefix { $0.isNumber } }
      #expect(numbers == ["7", "8"], "\(text)")
    }
    #expect(run.commands == ["broker fills"])
  }
}

extension Dashboard {
  /// As if these had come.
  fileprivate func show(_ trades: [Trade]) { push.board.take(trades.span, at: now) }
  fileprivate func show(_ fills: [Fill]) { push.take(fills.span) }

  /// What a tab that shows the graph is given.
  fileprivate func textOfGraph() -> String? {
    let id = push.connect(cursor: 0)
    push.showRun(id, true)
    return next(for: push.tick(now: now, time: 0)).first?.1.text
  }

  /// As if a page did.
  fileprivate func look(at symbols: [String]) {
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(symbols: symbols), 0..<10, now: now)
    push.disconnect(id)
  }
}
