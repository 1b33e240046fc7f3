import MarketData
import StockbusPeople
import StockbusHistory
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import StockbusTrading
import StockbusViewing
import Testing

@testable import Dashboard
@testable import StockbusPeople
@testable import StockbusWeb

/// A page with accounts: who may do what, whose paper accounts are seen, and when sockets end.
@Suite(.timeLimit(.minutes(15))) struct AccountTests {
  private let folder = TemporaryFolder()
  private let orders = FakeOrderDesk()
  private let rules = FakeRuleDesk()
  private let run: FakeRun
  private let harness: PluginHarness
  private let dashboard: Dashboard
  private let responder: WebResponder
  /// Of another program that uses the same file. Its passwords are cheap.
  private let others: Accounts

  init() async throws {
    run = FakeRun().offering((any OrderDesk).self, by: "broker", orders).offering((any RuleDesk).self, by: "bells", rules)
    harness = PluginHarness(id: "web", run: run)
    var settings = DashboardSettings()
    settings.listen = "127.0.0.1:0"
    settings.accounts = .closed
    settings.file = folder.file("h.db")
    dashboard = try Dashboard(settings, harness.context)
    let limits = WebLimits()
    responder = WebResponder(
      routes: try await dashboard.routes(), names: .loopback, proxies: [], isSecure: false, limits: limits, roll: WebRoll(limits))
    var cheap = Accounts.Settings()
    cheap.cost = PasswordCost(rounds: 16, blockSize: 1, parallelism: 1)
    others = Accounts(try await DatabaseShare.open(folder.file("h.db")), cheap, clock: harness.clock)
    try await others.add(name: "hannah", password: Self.password, scopes: [.read, .trade])
    try await others.add(name: "otto", password: Self.password, scopes: [.read])
    try await others.add(name: "carla", password: Self.password, scopes: [.read, .trade, .control])
  }

  private static let password = "four plain words"

  /// The cookie of a new session.
  private func logIn(_ name: String) async throws -> String {
    let response = try await ask(.post, "/api/login", #"{"name":"\#(name)","password":"\#(Self.password)"}"#)
    #expect(response.status == 204, "\(text(response))")
    return String((response.fields["set-cookie"] ?? "").prefix { $0 != ";" })
  }

  private func person(_ name: String) async throws -> Person {
    let secret = try await others.logIn(name: name, password: Self.password, from: "b")
    return try #require(try await others.identity(session: secret)).person
  }

  private func ask(_ method: WebMethod, _ path: String, _ body: String? = nil, cookie: String? = nil) async throws -> WebResponse {
    var fields = WebFields()
    fields.add("Origin", "http://localhost")
    if body != nil { fields.add("Content-Type", "application/json") }
    if let cookie { fields.add("Cookie", cookie) }
    let target = try #require(WebTarget(path))
    let request = WebRequest(
      method, target, fields: fields, body: Array((body ?? "").utf8), from: WebClient(address: "a", origin: "http://localhost"))
    guard case .answer(let response) = await responder.respond(request) else {
      Issue.record("no answer")
      return .done
    }
    return response
  }

  private func text(_ response: WebResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  private static let order = #"{"side":"buy","symbol":"AAPL","size":"10","price":"88.10"}"#

  /// Every route of the run, with what it needs.
  private static let routes: [(WebMethod, String, String?, Scope)] = [
    (.get, "/api/search?q=a", nil, .read), (.get, "/api/symbols/AAPL", nil, .read), (.get, "/api/symbols/AAPL/bars", nil, .read),
    (.get, "/api/run", nil, .read), (.get, "/api/portfolio", nil, .read), (.get, "/api/alerts", nil, .read),
    (.get, "/api/watchlists", nil, .read), (.post, "/api/orders/preview", order, .trade), (.post, "/api/orders", order, .trade),
    (.put, "/api/orders/1", #"{"price":"89"}"#, .trade), (.delete, "/api/orders/1", nil, .trade),
    (.post, "/api/alerts", #"{"symbol":"AAPL","above":"1"}"#, .read), (.put, "/api/alerts/1", #"{"muted":true}"#, .read),
    (.delete, "/api/alerts/1", nil, .read), (.put, "/api/alerts/all", #"{"muted":true}"#, .control),
    (.delete, "/api/alerts/all", nil, .control), (.post, "/api/components/broker/commands", #"{"line":"halt AAPL"}"#, .control),
  ]

  @Test func `who has not logged in sees nothing, and who may too little does nothing`() async throws {
    let cookies: [(String, Set<Scope>)] = [
      (try await logIn("otto"), [.read]), (try await logIn("hannah"), [.read, .trade]),
      (try await logIn("carla"), [.read, .trade, .control]),
    ]
    for (method, path, body, scope) in Self.routes {
      #expect(try await ask(method, path, body).status == 401, "\(path)")
      #expect(try await ask(method, path, body, cookie: "stockbus=" + String(repeating: "A", count: 43)).status == 401, "\(path)")
      for (cookie, scopes) in cookies {
        let status = try await ask(method, path, body, cookie: cookie).status
        #expect((status == 403) == !scopes.contains(scope) && status != 401, "\(path) with \(scopes): \(status)")
      }
    }
    let nobody = text(try await ask(.get, "/api/session"))
    #expect(nobody.hasPrefix(#"{"user":null,"accounts":true,"signup":"closed","can":[],"program":"stockbus","#), "\(nobody)")
    let otto = text(try await ask(.get, "/api/session", cookie: cookies[0].0))
    #expect(otto.hasPrefix(#"{"user":{"name":"otto"},"accounts":true,"signup":"closed","can":[],"#), "\(otto)")
  }

  @Test func `a person trades in the paper account of its name only`() async throws {
    let cookie = try await logIn("hannah")
    #expect(try await ask(.post, "/api/orders", Self.order, cookie: cookie).status == 200)
    let named = #"{"side":"sell","symbol":"AAPL","size":"1","account":"hannah"}"#
    #expect(try await ask(.post, "/api/orders", named, cookie: cookie).status == 200)
    for (method, path, body) in [
      (.post, "/api/orders", named.replacing("hannah", with: "otto")),
      (.post, "/api/orders/preview", named.replacing("hannah", with: "otto")),
      (.put, "/api/orders/1", #"{"price":"89","account":"otto"}"#), (.delete, "/api/orders/1?account=otto", nil),
    ] as [(WebMethod, String, String?)] {
      let response = try await ask(method, path, body, cookie: cookie)
      #expect(response.status == 403 && text(response).contains("paper account 'otto' is not yours"), "\(path)")
    }
    // The account was opened for the first order.
    #expect(orders.asked.value == ["open hannah", "buy AAPL 10 at 88.1 in hannah", "sell AAPL 1 in hannah"])
  }

  /// A person who signed up under the name of a paper account would trade in it.
  @Test func `while the broker does not say whose a name is, nobody gets it`() async throws {
    let answers: [(CommandError?, Bool)] = [(.busy("locked"), true), (.notRunning("broker"), true), (nil, true), (nil, false)]
    for (fault, hasAccounts) in answers {
      let run = FakeRun().offering((any OrderDesk).self, by: "broker", FakeOrderDesk(hasAccounts: hasAccounts, fault: fault))
      let dashboard = try Dashboard(DashboardSettings(), PluginHarness(id: "web", run: run).context)
      do throws(AccountError) {
        let isTaken = try await dashboard.isReserved("momentum")
        #expect(isTaken == hasAccounts && fault == nil)
      } catch { #expect(error == .busy && fault != nil) }
    }
  }

  @Test func `an order that cannot be kept at present is busy, and no fault of the server`() async throws {
    let busy = CommandError.busy("not done: 'paper.db' is locked by another program; try again later")
    let run = FakeRun().offering((any OrderDesk).self, by: "broker", FakeOrderDesk(fault: busy))
    let dashboard = try Dashboard(DashboardSettings(), PluginHarness(id: "web", run: run).context)
    let response = await dashboard.order(in: nil, .local) { desk, account throws(CommandError) in try await desk.cancel("1", in: account) }
    #expect(response.status == 503 && response.fields["retry-after"] == "1")
    #expect(text(response).contains(#""code":"busy""#) && text(response).contains("is locked by another program"))
  }

  @Test func `a person's own rules are the dispatcher's, under the person's name`() async throws {
    let cookie = try await logIn("hannah")
    let rule = #"{"name":"dear","symbol":"AAPL","rises_by":"1%","window":"1h","once":true}"#
    #expect(
      text(try await ask(.post, "/api/alerts", rule, cookie: cookie))
        == #"{"id":"1","name":"dear","symbol":"AAPL","condition":"rises_by 1% in 1h","threshold":"1%","muted":false,"own":true}"#)
    #expect(try await ask(.put, "/api/alerts/1", #"{"muted":true}"#, cookie: cookie).status == 204)
    #expect(try await ask(.delete, "/api/alerts/1", cookie: cookie).status == 204)
    // Without a name it is called what it says; nobody speaks for somebody else.
    #expect(try await ask(.post, "/api/alerts", #"{"symbol":"NVDA","above":"9"}"#, cookie: cookie).status == 201)
    for bad in [
      #"{"symbol":"A","above":"1","owner":"otto"}"#, #"{"symbol":"A","above":"1","channels":"x"}"#,
      #"{"symbol":"A","above":"1","message":"x name y"}"#, #"{"above":"1"}"#, #"{"symbol":"A","above":1}"#,
    ] {
      #expect(try await ask(.post, "/api/alerts", bad, cookie: cookie).status == 400, "\(bad)")
    }
    #expect(
      rules.asked.value == [
        #"add symbol("AAPL") once true, rises_by 1%, window 1h, name dear of hannah"#, "mute @hannah dear", "remove @hannah dear",
        #"add symbol("NVDA") above 9, name NVDA above 9 of hannah"#,
      ])
  }

  @Test func `rules of earlier runs are told to the dispatcher of the next`() async throws {
    let hannah = try await person("hannah")
    _ = try await others.addRule(hannah, #"{"symbol":"AAPL","above":"1"}"#)
    let muted = try await others.addRule(hannah, #"{"symbol":"NVDA","above":"2"}"#)
    try await others.muteRule(hannah, id: muted, true)
    let told = await dashboard.restoreRules(others, unless: nil)
    let again = await dashboard.restoreRules(others, unless: told)
    #expect(told == "bells" && again == "bells")
    #expect(
      rules.asked.value == [
        #"add symbol("AAPL") above 1, name AAPL above 1 of hannah"#, #"add symbol("NVDA") above 2, name NVDA above 2 of hannah"#,
        "mute @hannah NVDA above 2",
      ])
  }

  @Test func `nothing of one person is seen by another`() async throws {
    var push = Push(PageBoard(), calm: 0) { 0 }
    let hannah = push.connect(Viewer(Person(id: 1, name: "hannah", scopes: [.read]), hasAccounts: true), cursor: 0)
    let otto = push.connect(Viewer(Person(id: 2, name: "otto", scopes: [.read]), hasAccounts: true), cursor: 0)
    let local = push.connect(cursor: 0)
    var (fill, position, account, order) = (Fill.schema.example, Position.schema.example, AccountState.schema.example, Order.schema.example)
    (fill.account, position.account, account.account, order.account) = ("hannah", "hannah", "hannah", "hannah")
    push.take([fill].span)
    push.take([position].span)
    push.take([account].span)
    push.take([order].span)
    push.take([["name": "tech", "symbols": []]], named: "watchlists", of: 1)
    push.take([WatchedRule(component: "alerts", name: "high", symbols: "AAPL", condition: "above 88", state: .on)])
    _ = push.tick(now: 0, time: 0)
    let told = [hannah, otto, local].map { push.next(for: $0, now: 0)?.text ?? "" }
    #expect(
      told[0].contains(#""account":"hannah""#) && told[0].contains(#""fills":[{"#) && told[0].contains(#""watchlists":[{"name":"tech""#))
    // Nothing of trading is news to otto.
    #expect(!told[1].contains("accounts") && !told[1].contains("positions"), "\(told[1])")
    #expect(!told[1].contains("hannah") && !told[1].contains("tech"), "\(told[1])")
    // What belongs to somebody without a page is not kept.
    push.disconnect(hannah)
    push.take([], named: "watchlists", of: 1)
    #expect(push.news.belongings.isEmpty)
    // Rules are the run's; who may control them has them as its own.
    #expect(told[0].contains(#""rules":[{"id":"high","name":"high","symbol":"AAPL","condition":"above 88","threshold":"88","muted":false"#))
    #expect(told[0].contains(#""own":false"#) && told[2].contains(#""own":true"#))
    // Without accounts everything is the local user's, but for what belongs to people.
    #expect(told[2].contains(#""account":"hannah""#) && !told[2].contains("tech"))
  }

  @Test func `requests know what has come although no page is open`() async throws {
    let cookie = try await logIn("otto")
    await dashboard.show([PushTests.trade("AAPL", 100), PushTests.trade("MSFT", 200)])
    #expect(text(try await ask(.get, "/api/search?q=aa", cookie: cookie)) == #"[{"symbol":"AAPL","name":"","kind":"","industry":""}]"#)
    await dashboard.show([PushTests.trade("AAPL", 101)])
    #expect(text(try await ask(.get, "/api/symbols/AAPL", cookie: cookie)).contains(#""last":"1.01""#))
    #expect(try await ask(.get, "/api/symbols/MSFT/bars", cookie: cookie).status == 200)
    #expect(try await ask(.get, "/api/symbols/IBM", cookie: cookie).status == 404)
  }

  @Test func `a change of a watchlist is told to the person's other pages`() async throws {
    let cookie = try await logIn("hannah")
    try await running {
      let connection = try await open(cookie)
      _ = try await connection.receive()
      #expect(try await ask(.put, "/api/watchlists/tech", #"{"symbols":["AAPL"]}"#, cookie: cookie).status == 204)
      var told = ""
      while !told.contains("watchlists") {
        // It has painted whatever it was given, and the next frame is due.
        for frame in 0..<10 { connection.queue(text: #"{"op":"ready","frame":\#(frame)}"#) }
        try await connection.flush()
        harness.clock.advance(by: .seconds(1))
        told += try await connection.receive().filter { $0.kind == .text }.map(\.text).joined()
      }
      #expect(told.contains(#""watchlists":[{"name":"tech","symbols":["AAPL"]}]"#), "\(told)")
    }
  }

  @Test func `sockets end with their session`() async throws {
    try await running {
      let refused = await #expect(throws: WebSocketError.self) { try await open("stockbus=" + String(repeating: "A", count: 43)) }
      #expect("\(refused.map { "\($0)" } ?? "")".contains("401"))
      let (first, second) = (try await logIn("hannah"), try await logIn("otto"))
      let (hannah, otto) = (try await open(first), try await open(second))
      #expect(try await hannah.receive().first?.text.contains(#""op":"welcome""#) == true)
      #expect(try await otto.receive().first?.text.contains(#""op":"welcome""#) == true)
      #expect(try await ask(.post, "/api/logout", "{}", cookie: first).status == 204)
      #expect(await ending(of: hannah).contains("1008"))
      // Another program ends it, which shows within a minute.
      try await others.reset(name: "otto", password: "five other plain words")
      await harness.clock.waitForSleeper(until: SessionSockets.interval)
      harness.clock.advance(by: SessionSockets.interval)
      #expect(await ending(of: otto).contains("1008"))
    }
  }

  @Test func `a socket ends with its token`() async throws {
    try await running {
      let cookie = try await logIn("hannah")
      let made = text(try await ask(.post, "/api/tokens", #"{"name":"x","scopes":["read"]}"#, cookie: cookie))
      let secret = try #require(made.split(separator: "\"").last { $0.count > 30 })
      let connection = try await open(bearer: String(secret))
      #expect(try await connection.receive().first?.text.contains(#""op":"welcome""#) == true)
      #expect(try await ask(.delete, "/api/tokens/1", cookie: cookie).status == 204)
      #expect(await ending(of: connection).contains("1008"))
    }
  }

  @Test func `what a tab says is limited, and has to begin with hello`() async throws {
    let cookie = try await logIn("hannah")
    try await running {
      func end(_ texts: [String]) async throws -> String {
        let connection = try await open(cookie, saying: texts)
        return await ending(of: connection)
      }
      let hello = #"{"op":"hello","epoch":null,"cursor":0}"#
      #expect(try await end([#"{"op":"run","on":false}"#]).contains("the first message must be 'hello'"))
      #expect(try await end([hello, "nonsense"]).contains("the message is not JSON"))
      #expect(try await end([hello] + Array(repeating: #"{"op":"run","on":false}"#, count: 100)).contains("more than"))
      let twice = try await open(cookie, saying: [hello, hello])
      var told: [String] = []
      while !told.contains(where: { $0.contains("error") }) { told += try await twice.receive().filter { $0.kind == .text }.map(\.text) }
      #expect(told.last == #"{"op":"error","message":"'hello' was sent already"}"#)
    }
  }

  /// With a dashboard that serves pages.
  private func running(_ body: () async throws -> Void) async throws {
    try await dashboard.start()
    let background = Task { await dashboard.background() }
    do { try await body() } catch {
      background.cancel()
      await background.value
      await dashboard.stop()
      throw error
    }
    background.cancel()
    await background.value
    await dashboard.stop()
  }

  /// A socket of a page with this cookie, which has said hello, or something else.
  private func open(
    _ cookie: String? = nil, bearer: String? = nil, saying texts: [String] = [#"{"op":"hello","epoch":null,"cursor":0}"#]
  ) async throws -> WebSocketConnection {
    await harness.log.wait(for: "the page is at http://")
    let line = harness.log.lines.map(\.message).last { $0.hasPrefix("the page is at ") } ?? ""
    let port = line.split(separator: ":").last?.filter(\.isNumber) ?? ""
    var settings = ConnectionSettings()
    let proof = cookie.map { ("Cookie", $0) } ?? ("Authorization", "Bearer \(bearer ?? "")")
    settings.headers = ["Origin": Secret("http://127.0.0.1:\(port)"), proof.0: Secret(proof.1)]
    settings.subprotocol = "stockbus.v1"
    let client = try WebSocketClient(WebSocketURL(option: "ws://127.0.0.1:\(port)/live"), settings, clock: harness.clock)
    let connection = try await client.open()
    for text in texts { connection.queue(text: text) }
    // The server may have closed by then.
    try? await connection.flush()
    return connection
  }

  private func ending(of connection: WebSocketConnection) async -> String {
    while true {
      do { _ = try await connection.receive() } catch { return "\(error)" }
    }
  }
}

extension Dashboard {
  /// As if these had come.
  fileprivate func show(_ trades: [Trade]) { push.board.take(trades.span, at: now) }
}
