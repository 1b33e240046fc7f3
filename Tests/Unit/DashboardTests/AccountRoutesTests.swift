import StockbusPeople
import StockbusHistory
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Dashboard
@testable import StockbusPeople
@testable import StockbusWeb

/// The routes of people, each without a session, with a wrong, an expired and a too weak one, and from another site.
@Suite(.timeLimit(.minutes(15))) struct AccountRoutesTests {
  private let folder = TemporaryFolder()
  private let clock = ManualTimekeeper()
  private let changes = Watched<[AccountRoutes.Change]>([])
  /// What the run was told of people's own rules: `hannah add {…}`.
  private let followed = Watched<[String]>([])
  private let logged = Watched<[String]>([])
  private let accounts: Accounts
  private let responder: WebResponder

  init() async throws { try await self.init(needsLogin: true) }

  private init(needsLogin: Bool) async throws {
    var settings = Accounts.Settings()
    settings.signup = .open
    settings.cost = PasswordCost(rounds: 16, blockSize: 1, parallelism: 1)
    accounts = Accounts(try await DatabaseShare.open(folder.file("h.db")), settings, clock: clock)
    let routes = AccountRoutes(
      gate: Gate(accounts, needsLogin: needsLogin) { [logged] level, text in logged.update { $0.append("\(level) \(text)") } },
      host: FakePeopleHost(changes: changes, followed: followed))
    let limits = WebLimits()
    responder = WebResponder(
      routes: routes.routes, names: .loopback, proxies: [], isSecure: false, limits: limits, roll: WebRoll(limits))
  }

  private func ask(
    _ method: WebMethod, _ path: String, _ body: String? = nil, cookie: String? = nil, bearer: String? = nil,
    site: String = "http://localhost", origin: String = "http://localhost"
  ) async throws -> WebResponse {
    var fields = WebFields()
    fields.add("Origin", site)
    if body != nil { fields.add("Content-Type", "application/json") }
    if let cookie { fields.add("Cookie", cookie) }
    if let bearer { fields.add("Authorization", "Bearer \(bearer)") }
    let target = try #require(WebTarget(path))
    let request = WebRequest(
      method, target, fields: fields, body: Array((body ?? "").utf8), from: WebClient(address: "a", origin: origin))
    guard case .answer(let response) = await responder.respond(request) else {
      Issue.record("no answer")
      return .done
    }
    return response
  }

  /// A new person's cookie, as a browser sends it back.
  private func signUp(_ name: String) async throws -> String {
    let response = try await ask(.post, "/api/signup", #"{"name":"\#(name)","password":"four plain words"}"#)
    #expect(response.status == 204, "\(text(response))")
    return String((response.fields["set-cookie"] ?? "").prefix { $0 != ";" })
  }

  private func text(_ response: WebResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  /// Every route that needs a person, with a body that it takes.
  private static let guarded: [(WebMethod, String, String?)] = [
    (.post, "/api/logout", "{}"), (.put, "/api/password", #"{"old":"four plain words","new":"five other plain words"}"#),
    (.delete, "/api/account", #"{"password":"four plain words"}"#), (.get, "/api/export", nil), (.get, "/api/tokens", nil),
    (.post, "/api/tokens", #"{"name":"x","scopes":["read"]}"#), (.delete, "/api/tokens/1", nil), (.get, "/api/watchlists", nil),
    (.put, "/api/watchlists/tech", #"{"symbols":["AAPL"]}"#), (.delete, "/api/watchlists/tech", nil), (.get, "/api/alerts", nil),
    (.post, "/api/alerts", #"{"crosses_above":"88"}"#), (.put, "/api/alerts/1", #"{"muted":true}"#), (.delete, "/api/alerts/1", nil),
    (.get, "/api/settings", nil), (.put, "/api/settings", "{}"),
  ]

  @Test func `every route refuses who is nobody, who was somebody, who may too little, and who comes from another site`() async throws {
    let cookie = try await signUp("hannah")
    let secret = String(cookie.drop { $0 != "=" }.dropFirst())
    let identity = try #require(try await accounts.identity(session: secret))
    let weak = try await accounts.addToken(identity, name: "weak", scopes: [.trade])
    for (method, path, body) in Self.guarded {
      #expect(try await ask(method, path, body).status == 401, "\(path)")
      #expect(try await ask(method, path, body, cookie: "stockbus=" + String(repeating: "A", count: 43)).status == 401, "\(path)")
      #expect(try await ask(method, path, body, cookie: "\(cookie); \(cookie)").status == 401, "\(path)")
      #expect(try await ask(method, path, body, bearer: secret).status == 401, "\(path)")
      #expect(try await ask(method, path, body, cookie: cookie, bearer: "x").status == 401, "\(path)")
      #expect(try await ask(method, path, body, bearer: weak.secret).status == 403, "\(path)")
      #expect(try await ask(method, path, body, cookie: cookie, site: "http://evil.test").status == 403, "\(path)")
      // A cookie of the page without TLS is none of the page with TLS.
      #expect(
        try await ask(method, path, body, cookie: cookie, site: "https://localhost", origin: "https://localhost").status == 401, "\(path)")
    }
    clock.advance(by: .seconds(7 * 86_400))
    for (method, path, body) in Self.guarded {
      #expect(try await ask(method, path, body, cookie: cookie).status == 401, "\(path)")
    }
    #expect(changes.value.isEmpty)
  }

  @Test func `a token that may only read changes nothing, and says so`() async throws {
    let cookie = try await signUp("hannah")
    let identity = try #require(try await accounts.identity(session: String(cookie.drop { $0 != "=" }.dropFirst())))
    let reading = try await accounts.addToken(identity, name: "reading", scopes: [.read])
    let trading = try await accounts.addToken(identity, name: "trading", scopes: [.read, .trade])
    for (method, path, body) in Self.guarded {
      let response = try await ask(method, path, body, bearer: reading.secret)
      if method == .get {
        #expect(response.status == 200, "\(path)")
        continue
      }
      #expect(response.status == 403, "\(path)")
      #expect(
        text(response)
          == #"{"error":{"code":"scope","message":"this token may only read; changes need a token with the right to trade or control"}}"#
      )
    }
    #expect(changes.value.isEmpty && followed.value.isEmpty)
    #expect(logged.value.last == "notice a token of hannah may only read: PUT /api/settings from a")
    #expect(try await ask(.put, "/api/watchlists/tech", #"{"symbols":["AAPL"]}"#, bearer: trading.secret).status == 204)
    #expect(try await ask(.put, "/api/settings", "{}", bearer: trading.secret).status == 204)
    // Of what gets one in, a token changes nothing.
    #expect(try await ask(.post, "/api/tokens", #"{"name":"x","scopes":["read"]}"#, bearer: trading.secret).status == 403)
  }

  @Test func `what cannot be kept at present is answered as busy, with the reason in the log only`() async throws {
    let cookie = try await signUp("hannah")
    for name in folder.names { folder.remove(name) }
    for (method, path, body) in Self.guarded {
      let response = try await ask(method, path, body, cookie: cookie)
      #expect(response.status == 503 && response.fields["retry-after"] == "1", "\(path)")
      #expect(text(response).contains(#""code":"busy""#) && !text(response).contains("h.db"))
    }
    #expect(logged.value.last?.contains("it was moved or removed") == true)
  }

  @Test func `what is another person's is not found`() async throws {
    let (hannah, otto) = (try await signUp("hannah"), try await signUp("otto"))
    #expect(try await ask(.put, "/api/watchlists/tech", #"{"symbols":["AAPL","BTC/USD"]}"#, cookie: hannah).status == 204)
    #expect(try await ask(.post, "/api/alerts", #"{"crosses_above":"88"}"#, cookie: hannah).status == 201)
    #expect(try await ask(.post, "/api/tokens", #"{"name":"x","scopes":["read"]}"#, cookie: hannah).status == 201)
    #expect(try await ask(.put, "/api/settings", #"{"theme":"dark"}"#, cookie: hannah).status == 204)
    #expect(text(try await ask(.get, "/api/watchlists", cookie: otto)) == "[]")
    #expect(text(try await ask(.get, "/api/tokens", cookie: otto)) == "[]")
    #expect(text(try await ask(.get, "/api/settings", cookie: otto)) == "{}")
    #expect(text(try await ask(.get, "/api/alerts", cookie: otto)) == #"[{"id":"c1","name":"all","own":false}]"#)
    for (method, path, body) in [
      (.delete, "/api/watchlists/tech", nil), (.delete, "/api/alerts/1", nil), (.put, "/api/alerts/1", #"{"muted":true}"#),
      (.delete, "/api/tokens/1", nil),
    ] as [(WebMethod, String, String?)] {
      #expect(try await ask(method, path, body, cookie: otto).status == 404, "\(path)")
    }
    #expect(
      text(try await ask(.get, "/api/watchlists", cookie: hannah)) == #"[{"name":"tech","symbols":["AAPL","BTC/USD"]}]"#)
    #expect(
      text(try await ask(.get, "/api/alerts", cookie: hannah))
        == #"[{"id":"1","name":"n","symbol":"AAPL","condition":"crosses above 88","threshold":"88","muted":false,"own":true},{"id":"c1","name":"all","own":false}]"#
    )
    #expect(changes.value == [.watchlists, .rules, .settings])
    let export = text(try await ask(.get, "/api/export", cookie: hannah))
    #expect(export.hasPrefix(#"{"name":"hannah","can":["read","trade"],"watchlists":[{"name":"tech","#))
    #expect(export.contains(#""alerts":[{"id":"1","muted":false,"rule":{"crosses_above":"88"}}],"settings":{"theme":"dark"}"#))
    #expect(export.hasSuffix(#""orders":[]}"#) && !export.contains("scrypt"))
  }

  @Test func `a session from its first request to its last`() async throws {
    #expect(
      text(try await ask(.get, "/api/session"))
        == #"{"user":null,"accounts":true,"signup":"open","can":[],"program":"stockbus"}"#)
    let response = try await ask(.post, "/api/signup", #"{"name":"hannah","password":"four plain words"}"#)
    let field = try #require(response.fields["set-cookie"])
    #expect(field.hasPrefix("stockbus=") && field.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
    let cookie = String(field.prefix { $0 != ";" })
    #expect(
      text(try await ask(.get, "/api/session", cookie: cookie))
        == #"{"user":{"name":"hannah"},"accounts":true,"signup":"open","can":["trade"],"program":"stockbus"}"#)
    let again = try await ask(.post, "/api/login", #"{"name":"hannah","password":"four plain words"}"#, cookie: cookie)
    let next = String((again.fields["set-cookie"] ?? "").prefix { $0 != ";" })
    #expect(again.status == 204 && next != cookie)
    #expect(try await ask(.get, "/api/settings", cookie: cookie).status == 401)
    let changed = try await ask(
      .put, "/api/password", #"{"old":"four plain words","new":"five other plain words"}"#, cookie: next)
    let last = String((changed.fields["set-cookie"] ?? "").prefix { $0 != ";" })
    #expect(changed.status == 204 && last != next)
    #expect(try await ask(.get, "/api/settings", cookie: next).status == 401)
    let out = try await ask(.post, "/api/logout", #"{"everywhere":true}"#, cookie: last)
    #expect(out.status == 204 && out.fields["set-cookie"]?.contains("stockbus=; Path=/; Max-Age=0;") == true)
    #expect(try await ask(.get, "/api/settings", cookie: last).status == 401)
  }

  @Test func `over TLS the cookie is the host's own`() async throws {
    let body = #"{"name":"hannah","password":"four plain words"}"#
    let response = try await ask(.post, "/api/signup", body, site: "https://localhost", origin: "https://localhost")
    let field = try #require(response.fields["set-cookie"])
    #expect(field.hasPrefix("__Host-stockbus=") && field.hasSuffix("; HttpOnly; SameSite=Strict; Secure"))
  }

  @Test func `refusals have a code and words, and repeat no password`() async throws {
    _ = try await signUp("hannah")
    func refusal(_ method: WebMethod, _ path: String, _ body: String) async throws -> String {
      let response = try await ask(method, path, body)
      return "\(response.status) \(text(response))"
    }
    let wrong = #"401 {"error":{"code":"wrong_login","message":"the name or the password is wrong"}}"#
    #expect(try await refusal(.post, "/api/login", #"{"name":"hannah","password":"hunter2hunter2"}"#) == wrong)
    #expect(try await refusal(.post, "/api/login", #"{"name":"nobody","password":"hunter2hunter2"}"#) == wrong)
    #expect(
      try await refusal(.post, "/api/login", #"{"name":"hannah"}"#)
        == #"400 {"error":{"code":"malformed","message":"'password' is missing"}}"#)
    #expect(
      try await refusal(.post, "/api/login", #"{"name":1,"password":"x"}"#)
        == #"400 {"error":{"code":"malformed","message":"'name' has the wrong type"}}"#)
    for body in ["", "[]", "null", "{", #"{"name":"hannah","password":"hunter2"#] {
      let text = try await refusal(.post, "/api/login", body)
      #expect(text.hasPrefix("400") && !text.contains("hunter2"), "\(text)")
    }
    #expect(try await refusal(.post, "/api/signup", #"{"name":"otto","password":"short"}"#).hasPrefix("400"))
    #expect(try await refusal(.post, "/api/signup", #"{"name":"hannah","password":"four plain words"}"#).hasPrefix("409"))
    for i in 0..<30 {
      let response = try await ask(.post, "/api/login", #"{"name":"guess","password":"x"}"#)
      if response.status == 429 {
        #expect(response.fields["retry-after"] == "60" && i >= 9)
        return
      }
    }
    Issue.record("guessing has no end")
  }

  @Test func `what is no object is no setting and no rule`() async throws {
    let cookie = try await signUp("hannah")
    for body in ["[]", "1", "{", "{}{}", #"{"a":01}"#, "\u{feff}{}"] {
      #expect(try await ask(.put, "/api/settings", body, cookie: cookie).status == 400, "\(body)")
      #expect(try await ask(.post, "/api/alerts", body, cookie: cookie).status == 400, "\(body)")
    }
    #expect(try await ask(.post, "/api/alerts", "{}", cookie: cookie).status == 400)
    #expect(try await ask(.put, "/api/settings", #"{"a":"\#(String(repeating: "x", count: 16_400))"}"#, cookie: cookie).status == 409)
    // Muting a rule of the configuration takes the right to control.
    #expect(try await ask(.put, "/api/alerts/c1", #"{"muted":true}"#, cookie: cookie).status == 403)
    #expect(try await ask(.delete, "/api/alerts/c1", cookie: cookie).status == 403)
  }

  @Test func `the run follows what people do with their own rules`() async throws {
    let (hannah, otto) = (try await signUp("hannah"), try await signUp("otto"))
    let (rule, refused) = (#"{"crosses_above":"88"}"#, #"{"crosses_above":"refused"}"#)
    #expect(try await ask(.post, "/api/alerts", rule, cookie: hannah).status == 201)
    let refusal = try await ask(.post, "/api/alerts", refused, cookie: hannah)
    #expect(refusal.status == 400 && text(refusal).contains("the rule 'n' exists already"))
    #expect(try await ask(.put, "/api/alerts/1", #"{"muted":true}"#, cookie: hannah).status == 204)
    #expect(try await ask(.put, "/api/alerts/1", #"{"muted":false}"#, cookie: hannah).status == 204)
    // What is not one's own is not touched.
    #expect(try await ask(.put, "/api/alerts/1", #"{"muted":true}"#, cookie: otto).status == 404)
    #expect(try await ask(.delete, "/api/alerts/1", cookie: otto).status == 404)
    #expect(try await ask(.delete, "/api/alerts/1", cookie: hannah).status == 204)
    #expect(try await ask(.post, "/api/alerts", rule, cookie: otto).status == 201)
    #expect(try await ask(.delete, "/api/account", #"{"password":"four plain words"}"#, cookie: otto).status == 204)
    #expect(
      followed.value == [
        "hannah add \(rule)", "hannah add \(refused)", "hannah mute \(rule)", "hannah unmute \(rule)", "hannah remove \(rule)",
        "otto add \(rule)", "otto remove \(rule)",
      ])
    #expect(try await accounts.rulesOfAll().isEmpty)
  }

  @Test func `what people do to their accounts is logged, and no secret`() async throws {
    let hannah = try await signUp("Hannah")
    #expect(try await ask(.post, "/api/login", #"{"name":"hannah","password":"wrong words here"}"#).status == 401)
    #expect(try await ask(.post, "/api/login", #"{"name":"hannah","password":"four plain words"}"#).status == 204)
    let made = text(try await ask(.post, "/api/tokens", #"{"name":"x","scopes":["read","trade"]}"#, cookie: hannah))
    #expect(try await ask(.put, "/api/alerts/c1", #"{"muted":true}"#, cookie: hannah).status == 403)
    #expect(try await ask(.delete, "/api/tokens/1", cookie: hannah).status == 204)
    #expect(
      try await ask(.put, "/api/password", #"{"old":"four plain words","new":"five other plain words"}"#, cookie: hannah).status == 204)
    #expect(
      logged.value == [
        "notice hannah signed up from a", "notice POST /api/login from a: the name or the password is wrong",
        "notice hannah logged in from a", "notice hannah created token 1 with the rights read, trade",
        "notice hannah may not control: PUT /api/alerts/c1 from a", "notice hannah removed token 1",
        "notice hannah changed the password, from a",
      ])
    let secret = made.split(separator: "\"").last { $0.count > 30 }.map(String.init)
    #expect(!logged.value.joined().contains(try #require(secret)))
  }

  /// With more rules than a person may have, the run does not keep one that is not kept.
  @Test func `a rule that cannot be kept is taken back`() async throws {
    let hannah = try await signUp("hannah")
    let rule = #"{"crosses_above":"88"}"#
    for _ in 0..<50 { #expect(try await ask(.post, "/api/alerts", rule, cookie: hannah).status == 201) }
    #expect(try await ask(.post, "/api/alerts", rule, cookie: hannah).status == 409)
    #expect(followed.value.suffix(2) == ["hannah add \(rule)", "hannah remove \(rule)"])
    #expect(try await accounts.rulesOfAll().map(\.person.name) == Array(repeating: "hannah", count: 50))
  }

  @Test func `without accounts there is one user, and nobody logs in`() async throws {
    let local = try await AccountRoutesTests(needsLogin: false)
    #expect(
      local.text(try await local.ask(.get, "/api/session"))
        == #"{"user":{"name":"local"},"accounts":false,"signup":"closed","can":["control","trade"],"program":"stockbus"}"#)
    #expect(try await local.ask(.put, "/api/watchlists/tech", #"{"symbols":["AAPL"]}"#).status == 204)
    #expect(try await local.ask(.put, "/api/watchlists/tech", #"{"symbols":[]}"#, site: "http://evil.test").status == 403)
    #expect(try await local.ask(.put, "/api/alerts/c1", #"{"muted":true}"#).status == 204)
    #expect(try await local.ask(.put, "/api/alerts/c2", #"{"muted":true}"#).status == 404)
    for path in ["/api/signup", "/api/login"] {
      #expect(try await local.ask(.post, path, #"{"name":"hannah","password":"four plain words"}"#).status == 403)
    }
    #expect(try await local.ask(.delete, "/api/account", #"{"password":"x"}"#).status == 403)
    // A token that is not valid is no reason to be let in.
    #expect(try await local.ask(.get, "/api/watchlists", bearer: "x").status == 401)
  }
}

/// A run that keeps what it was asked, and has one rule of its own.
private struct FakePeopleHost: PeopleHost {
  let changes: Watched<[AccountRoutes.Change]>
  let followed: Watched<[String]>

  func usableScopes() -> Set<Scope> { Set(Scope.allCases) }
  func isReserved(_ name: String) -> Bool { false }
  func sessionMembers() -> [JSONValue.Member] { [.init("program", "stockbus")] }
  func exportedMembers(of person: Person) -> [JSONValue.Member] { [.init("orders", [])] }
  func send(_ change: AccountRoutes.Change, _ record: JSONValue, to person: Person) { changes.update { $0.append(change) } }
  func configuredRules(for person: Person) -> [JSONValue] { [["id": "c1", "name": "all", "own": false]] }
  func muteRule(_ id: String, _ isMuted: Bool) -> Bool { id == "c1" }
  func removeRule(_ id: String) -> Bool { id == "c1" }

  func read(rule: String) throws(AccountError) -> ShownRule {
    guard rule.contains("crosses_above") else { throw .malformed("a rule needs a condition") }
    return ShownRule(name: "n", symbol: "AAPL", condition: "crosses above 88", threshold: "88")
  }

  func follow(_ rule: String, _ change: OwnRuleChange, of person: Person) -> AccountError? {
    followed.update { $0.append("\(person.name) \(change) \(rule)") }
    return rule.contains("refused") ? .malformed("the rule 'n' exists already") : nil
  }
}
