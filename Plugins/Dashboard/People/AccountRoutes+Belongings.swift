internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusWeb

extension AccountRoutes {
  func addWatchlists(to routes: inout WebRoutes) {
    routes.add(.get, "/api/watchlists", gate.behind(.read) { _, identity in .json(try await lists(identity.person)) })
    routes.add(
      .put, "/api/watchlists/:name",
      gate.changing { request, identity in
        let body = try Bodies.read(Bodies.Symbols.self, request)
        try await accounts.putWatchlist(
          identity.person, Watchlist(name: request.parameters["name"] ?? "", symbols: body.symbols))
        try await notify(identity.person, .watchlists)
        return .done
      })
    routes.add(
      .delete, "/api/watchlists/:name",
      gate.changing { request, identity in
        try await accounts.removeWatchlist(identity.person, name: request.parameters["name"] ?? "")
        try await notify(identity.person, .watchlists)
        return .done
      })
  }

  /// A person's rules and those of the configuration, as `GET /api/alerts` shows them.
  func shownRules(_ person: Person) async throws -> JSONValue {
    let own = try await accounts.rules(person).map { own in
      // A stored rule that this program no longer understands is shown by its text, so that it can be removed.
      let shown =
        (try? host.read(rule: own.rule)) ?? ShownRule(name: own.rule, symbol: nil, condition: "not understood", threshold: nil)
      return shown.json(id: "\(own.id)", isMuted: own.isMuted, isOwn: true)
    }
    return .array(own + (await host.configuredRules(for: person)))
  }

  func addRules(to routes: inout WebRoutes) {
    routes.add(.get, "/api/alerts", gate.behind(.read) { _, identity in .json(try await shownRules(identity.person)) })
    routes.add(
      .post, "/api/alerts",
      gate.changing { request, identity in
        let text = try Bodies.object(request)
        let shown = try host.read(rule: text)
        if let refusal = await host.follow(text, .add, of: identity.person) { throw refusal }
        let id: Int64
        do { id = try await accounts.addRule(identity.person, text) } catch {
          _ = await host.follow(text, .remove, of: identity.person)
          throw error
        }
        try await notify(identity.person, .rules)
        return .json(shown.json(id: "\(id)", isMuted: false, isOwn: true), status: 201)
      })
    routes.add(
      .put, "/api/alerts/:id",
      gate.changing { request, identity in
        let body = try Bodies.read(Bodies.Muting.self, request)
        let id = request.parameters["id"] ?? ""
        if let number = Int64(id) {
          let own = try await own(number, of: identity.person)
          if let refusal = await host.follow(own.rule, body.muted ? .mute : .unmute, of: identity.person) { throw refusal }
          try await accounts.muteRule(identity.person, id: number, body.muted)
        } else {
          try needsControl(identity)
          guard await host.muteRule(id, body.muted) else { throw AccountError.unknown("rule") }
        }
        try await notify(identity.person, .rules)
        return .done
      })
    routes.add(
      .delete, "/api/alerts/:id",
      gate.changing { request, identity in
        let id = request.parameters["id"] ?? ""
        if let number = Int64(id) {
          let own = try await own(number, of: identity.person)
          try await accounts.removeRule(identity.person, id: number)
          // The rule is removed, whatever the run replies: the run may have ended.
          _ = await host.follow(own.rule, .remove, of: identity.person)
        } else {
          try needsControl(identity)
          guard await host.removeRule(id) else { throw AccountError.unknown("rule") }
        }
        try await notify(identity.person, .rules)
        return .done
      })
  }

  private func own(_ id: Int64, of person: Person) async throws -> OwnRule {
    guard let own = try await accounts.rules(person).first(where: { $0.id == id }) else { throw AccountError.unknown("rule") }
    return own
  }

  /// A rule of the run is everybody's.
  private func needsControl(_ identity: Identity) throws(AccountError) {
    if !identity.scopes.contains(.control) { throw .lacks(.control) }
  }

  func addSettings(to routes: inout WebRoutes) {
    routes.add(
      .get, "/api/settings", gate.behind(.read) { _, identity in .json(text: try await accounts.settings(of: identity.person)) })
    routes.add(
      .put, "/api/settings",
      gate.changing { request, identity in
        try await accounts.putSettings(of: identity.person, try Bodies.object(request))
        try await notify(identity.person, .settings)
        return .done
      })
  }
}
