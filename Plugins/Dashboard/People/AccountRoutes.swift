internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusWeb

/// The routes of people and of their own data: `/api/session`, `/api/login`, `/api/watchlists` and the others of `/api`.
struct AccountRoutes: Sendable {
  /// What a person has changed, so that the person's other viewers can be notified.
  enum Change: String, Sendable, Hashable {
    case watchlists, rules, settings
  }

  let gate: Gate
  let host: any PeopleHost
  var accounts: Accounts { gate.accounts }

  var routes: WebRoutes {
    var routes = WebRoutes()
    addSessions(to: &routes)
    addAccount(to: &routes)
    addTokens(to: &routes)
    addWatchlists(to: &routes)
    addRules(to: &routes)
    addSettings(to: &routes)
    return routes
  }

  // MARK: Sessions

  private func addSessions(to routes: inout WebRoutes) {
    routes.add(.get, "/api/session", gate.open { request in .json(.object(await sessionMembers(request))) })
    routes.add(
      .post, "/api/signup",
      gate.open { request in
        try needsAccounts()
        let body = try Bodies.read(Bodies.Signup.self, request)
        let secret = try await accounts.signUp(
          name: body.name, password: body.password, invitation: body.invitation, from: request.client.address,
          isReserved: { name throws(AccountError) in try await host.isReserved(name) })
        gate.log(.notice, "\(body.name.lowercased()) signed up from \(request.client.address)")
        return loggedIn(secret, request)
      })
    routes.add(
      .post, "/api/login",
      gate.open { request in
        try needsAccounts()
        let body = try Bodies.read(Bodies.Login.self, request)
        let secret = try await accounts.logIn(
          name: body.name, password: body.password, from: request.client.address, instead: SessionCookie.secret(in: request))
        gate.log(.notice, "\(body.name.lowercased()) logged in from \(request.client.address)")
        return loggedIn(secret, request)
      })
    routes.add(
      .post, "/api/logout",
      gate.changing { request, identity in
        let everywhere = request.body.isEmpty ? false : try Bodies.read(Bodies.Logout.self, request).everywhere ?? false
        try await accounts.logOut(identity, everywhere: everywhere)
        gate.log(.info, "\(identity.person.name) logged out" + (everywhere ? " everywhere" : ""))
        return loggedOut(request)
      })
  }

  private func sessionMembers(_ request: WebRequest) async -> [JSONValue.Member] {
    let identity = try? await gate.identity(request)
    let can = (identity?.scopes ?? []).subtracting([.read]).intersection(await host.usableScopes()).sorted().map {
      JSONValue.string($0.rawValue)
    }
    return [
      .init("user", identity.map { ["name": .string($0.person.name)] } ?? .null), .init("accounts", .bool(gate.needsLogin)),
      .init("signup", .string(gate.needsLogin ? accounts.settings.signup.rawValue : Accounts.Signup.closed.rawValue)),
      .init("can", .array(can)),
    ] + (await host.sessionMembers())
  }

  private func needsAccounts() throws(AccountError) {
    if !gate.needsLogin { throw .forbidden("this dashboard has no accounts") }
  }

  private func loggedIn(_ secret: String, _ request: WebRequest) -> WebResponse {
    let seconds = Int(accounts.settings.absolute / .seconds(1))
    return .done.with("set-cookie", SessionCookie.field(secret, for: request.client, seconds: seconds))
  }

  private func loggedOut(_ request: WebRequest) -> WebResponse {
    .done.with("set-cookie", SessionCookie.field("", for: request.client, seconds: 0))
  }

  // MARK: The account

  private func addAccount(to routes: inout WebRoutes) {
    routes.add(
      .put, "/api/password",
      gate.changing { request, identity in
        let body = try Bodies.read(Bodies.NewPassword.self, request)
        let secret = try await accounts.changePassword(identity, old: body.old, new: body.new, from: request.client.address)
        gate.log(.notice, "\(identity.person.name) changed the password, from \(request.client.address)")
        return loggedIn(secret, request)
      })
    routes.add(
      .delete, "/api/account",
      gate.changing { request, identity in
        let body = try Bodies.read(Bodies.Proof.self, request)
        let own = try await accounts.rules(identity.person)
        try await accounts.delete(identity, password: body.password, from: request.client.address)
        gate.log(.notice, "\(identity.person.name) deleted the account, from \(request.client.address)")
        for each in own { _ = await host.follow(each.rule, .remove, of: identity.person) }
        return loggedOut(request)
      })
    routes.add(
      .get, "/api/export",
      gate.behind(.read) { _, identity in
        .json(text: try await exported(identity)).with("content-disposition", "attachment; filename=\"stockbus.json\"")
      })
  }

  /// All data of a person except secrets and their hashes.
  private func exported(_ identity: Identity) async throws -> String {
    let person = identity.person
    let own = try await accounts.rules(person).map { "{\"id\":\"\($0.id)\",\"muted\":\($0.isMuted),\"rule\":\($0.rule)}" }
    var members = [
      "\"name\":\(JSONValue.string(person.name))", "\"can\":\(JSONValue.array(person.scopes.sorted().map { .string($0.rawValue) }))",
      "\"watchlists\":\(try await lists(person))", "\"alerts\":[\(own.joined(separator: ","))]",
      "\"settings\":\(try await accounts.settings(of: person))", "\"tokens\":\(try await tokens(identity))",
    ]
    members += await host.exportedMembers(of: person).map { "\(JSONValue.string($0.name)):\($0.value)" }
    return "{\(members.joined(separator: ","))}"
  }

  // MARK: Tokens

  private func addTokens(to routes: inout WebRoutes) {
    routes.add(.get, "/api/tokens", gate.behind(.read) { _, identity in .json(try await tokens(identity)) })
    routes.add(
      .post, "/api/tokens",
      gate.changing { request, identity in
        let body = try Bodies.read(Bodies.NewToken.self, request)
        let scopes = body.scopes.compactMap { Scope(rawValue: $0) }
        guard scopes.count == body.scopes.count else { throw AccountError.malformed("scopes are 'read', 'trade' and 'control'") }
        let made = try await accounts.addToken(identity, name: body.name, scopes: Set(scopes))
        gate.log(.notice, "\(identity.person.name) created token \(made.id) with the rights \(body.scopes.joined(separator: ", "))")
        return .json(["id": .string("\(made.id)"), "secret": .string(made.secret)], status: 201)
      })
    routes.add(
      .delete, "/api/tokens/:id",
      gate.changing { request, identity in
        guard let id = Int64(request.parameters["id"] ?? "") else { throw AccountError.unknown("token") }
        try await accounts.removeToken(identity, id: id)
        gate.log(.notice, "\(identity.person.name) removed token \(id)")
        return .done
      })
  }

  private func tokens(_ identity: Identity) async throws -> JSONValue {
    .array(
      try await accounts.tokens(identity).map { token in
        [
          "id": .string("\(token.id)"), "name": .string(token.name),
          "scopes": .array(token.scopes.sorted().map { .string($0.rawValue) }), "created": .number(token.created / 1_000_000),
        ]
      })
  }

  /// Reports a person's change with the new data.
  func notify(_ person: Person, _ change: Change) async throws {
    let record =
      switch change {
      case .watchlists: try await lists(person)
      case .rules: try await shownRules(person)
      // The text is an object: it was checked before it was stored.
      case .settings: JSONValue.number(try await accounts.settings(of: person))
      }
    await host.send(change, record, to: person)
  }

  func lists(_ person: Person) async throws -> JSONValue {
    .array(
      try await accounts.watchlists(person).map { list in
        ["name": .string(list.name), "symbols": .array(list.symbols.map { .string($0) })]
      })
  }
}
