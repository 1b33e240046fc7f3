import MarketData
import StockbusPeople
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import StockbusTrading
import StockbusViewing
import Testing

@testable import Dashboard
@testable import StockbusWeb

/// What a page asks of the run: symbols beyond the limit, bars of trades, orders, and fills of runs before.
@Suite(.timeLimit(.minutes(15))) struct RequestTests {
  private static let fill = Fill(
    account: "main", symbol: "AAPL", side: .buy, reason: .touch, number: 7, order: 3, price: 88, quantity: 10, fee: .zero, realised: .zero,
    position: 10, shown: 88, shownSize: 10, time: Timestamp(ns: 1_000_000_000), received: Timestamp(ns: 1_000_000_000))

  private let orders = FakeOrderDesk(past: [Self.fill])
  private let rules = FakeRuleDesk()
  private let run: FakeRun
  private let harness: PluginHarness
  private let dashboard: Dashboard
  private let responder: WebResponder

  init() async throws {
    run = FakeRun().offering((any OrderDesk).self, by: "broker", orders).offering((any RuleDesk).self, by: "bells", rules)
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

  @Test func `the trends of rows are their last prices by seconds, oldest first`() async throws {
    await dashboard.show((0..<100).map { trade("AAPL", Price(raw: Int64(100 + $0) * 1_000_000_000), second: $0) })
    let trends = try await ask(.get, "/api/trends?symbols=NONE,AAPL").text
    // The prices 140 to 199 of the last sixty seconds.
    #expect(trends == "{\"AAPL\":[" + (140..<200).map { "\"\($0)\"" }.joined(separator: ",") + "]}")
    #expect(try await ask(.get, "/api/trends") == (200, "{}"))
  }

  @Test func `a run has the pages for which it has something`() async throws {
    #expect(try await ask(.get, "/api/session").text.contains(#""pages":["alerts","portfolio"]"#))
    await dashboard.show([trade("AAPL", 1)])
    let plain = try Dashboard(DashboardSettings(), PluginHarness(id: "web").context)
    #expect(await plain.pages == .array([]))
  }

  @Test func `what does not work is sent with the numbers of the run, and its reasons only to who controls it`() async throws {
    run.set(problems: ["kept is degraded: the disk is full"])
    await dashboard.show([trade("AAPL", 1)])
    #expect(await dashboard.status(for: .local).contains(#""problems":["kept is degraded: the disk is full"]"#))
    let reader = Viewer(Person.local, may: [.read], hasAccounts: false)
    #expect(await dashboard.status(for: reader).contains(#""problems":["the run does not work as intended; who operates it sees why"]"#))
    run.set(problems: [])
    #expect(await dashboard.status(for: reader).contains(#""problems":[]"#))
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
    #expect(orders.asked.value == [] && rules.asked.value == [])
  }

  /// 10 at 88.10 with a fee of 1, of 10,000; exact, as texts.
  @Test func `a preview has the numbers that the ticket shows`() async throws {
    await dashboard.show([trade("AAPL", 1)])
    let order = #"{"side":"buy","symbol":"AAPL","size":"10","price":"88.10","time":"gtc","key":"k","account":"main"}"#
    #expect(
      try await ask(.post, "/api/orders/preview", order) == (
        200,
        #"{"accepted":true,"text":"at 88.10; reserves 882.00; once filled: position 10, buying power 9118.00","#
          + #""cost":"881","fee":"1","cash":"9118"}"#
      ))
    #expect(try await ask(.post, "/api/orders", order) == (200, #"{"accepted":true,"number":7,"text":"order 7"}"#))
    #expect(orders.asked.value == ["preview buy AAPL 10 at 88.1 gtc key k in main", "buy AAPL 10 at 88.1 gtc key k in main"])
  }

  @Test func `a preview has only the numbers that are known`() {
    func members(_ preview: OrderPreview) -> [String] {
      TradingRoutes.json(preview).members.map { "\($0.name): \($0.value)" }
    }
    let unpriced = OrderPreview(Broker.Estimate(price: 0, value: .zero, fee: .zero), wait: "no price of AAPL has come")
    #expect(members(unpriced) == ["accepted: true", #"text: "no price of AAPL has come""#])
    let unlucky = OrderPreview(Broker.Estimate(price: 2, value: 4, fee: 1), refusal: "the market is closed")
    #expect(
      members(unlucky) == [
        "accepted: false", #"text: "at 2.00; it would be rejected: the market is closed""#, #"cost: "4""#,
        #"fee: "1""#,
      ])
  }

  /// As words of a command, the key would have named the account, and the time a value.
  @Test func `whatever an order's fields say, they are that field`() async throws {
    await dashboard.show([trade("AAPL", 1)])
    _ = try await ask(.post, "/api/orders", #"{"side":"sell","symbol":"AAPL","size":"1","trail":"2%","key":"in","time":"day"}"#)
    _ = try await ask(.put, "/api/orders/in", #"{"price":"9","account":"main"}"#)
    #expect(orders.asked.value == ["sell AAPL 1 % 2 day key in", "replace in - at 9 in main"])
    let time = try await ask(.post, "/api/orders", #"{"side":"buy","symbol":"AAPL","size":"1","time":"gtx"}"#)
    #expect(time.status == 422 && time.text.contains("unknown word 'gtx'; did you mean 'gtc'?"), "\(time)")
    let size = try await ask(.post, "/api/orders/preview", #"{"side":"buy","symbol":"AAPL","size":"two"}"#)
    #expect(size == (200, #"{"accepted":false,"text":"'two' is not a quantity above zero"}"#))
    let done = try await ask(.delete, "/api/orders/7?account=main")
    #expect(done.status == 422 && done.text.contains("not done: the order is already closed"), "\(done)")
    #expect(orders.asked.value.suffix(1) == ["cancel 7 in main"])
  }

  @Test func `rules are asked of the dispatcher by their names`() async throws {
    #expect(
      try await ask(.post, "/api/alerts", #"{"symbol":"A B","crosses_above":"88","once":true,"name":"owner otto"}"#)
        == (200, #"{"reply":"rule 'x' is on"}"#))
    #expect(try await ask(.put, "/api/alerts/channel%20x", #"{"muted":true}"#) == (200, #"{"reply":"rule 'channel x' is off"}"#))
    #expect(try await ask(.delete, "/api/alerts/high") == (200, #"{"reply":"rule 'high' is gone"}"#))
    #expect(
      rules.asked.value == [#"add symbol("A B") crosses_above 88, once true, name owner otto"#, "mute channel x", "remove high"])
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
    #expect(orders.asked.value == ["fills"])
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

  /// The text that a new tab of this viewer is given.
  fileprivate func status(for viewer: Viewer) -> String {
    push.count(1)
    let id = push.connect(viewer, cursor: 0)
    defer { push.disconnect(id) }
    _ = push.tick(now: now, time: 0)
    return next(for: [id]).first?.1.text ?? ""
  }

  /// As if a page did.
  fileprivate func look(at symbols: [String]) {
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(symbols: symbols), 0..<10, now: now)
    push.disconnect(id)
  }
}
