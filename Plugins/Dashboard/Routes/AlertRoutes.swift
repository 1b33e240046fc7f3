internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusText
internal import StockbusViewing
internal import StockbusWeb

/// The part of the API that makes, mutes and removes alerts, where there are no accounts: through the door of the run's dispatcher, with the
/// rules of YAML.
enum AlertRoutes {
  static func add(of dashboard: Dashboard, behind door: Door, to routes: inout WebRoutes) {
    routes.add(
      .get, "/api/alerts", door.behind(.read) { _, viewer in .json(.array(StateText.rules(await dashboard.rules(), for: viewer))) })
    routes.add(
      .post, "/api/alerts",
      door.behind(.control) { request, _ in
        guard let form = RuleForm(request.body) else { return .error(400, "bad_request", RuleForm.usage) }
        return await dashboard.ask { desk throws(CommandError) in try await desk.add(form.request()) }
      })
    routes.add(
      .put, "/api/alerts/:name",
      door.behind(.control) { request, _ in
        guard let form = JSONDocument.read(Bodies.Muting.self, request.body) else {
          return .error(400, "bad_request", "write {\"muted\":true} or {\"muted\":false}")
        }
        return await dashboard.mute(request.parameters["name"] ?? "", form.muted)
      })
    routes.add(
      .delete, "/api/alerts/:name",
      door.behind(.control) { request, _ in await dashboard.remove(request.parameters["name"] ?? "") })
  }
}

extension Dashboard {
  private var dispatcher: RunComponent? { context.run.components(offering: (any RuleDesk).self).first(where: \.isRunning) }

  /// The rules of the run's dispatcher.
  func rules() async -> [WatchedRule] {
    guard let dispatcher, let desk = try? context.run.door((any RuleDesk).self, of: dispatcher.id) else { return [] }
    let rules = await desk.rules()
    // A pattern is not the name of a symbol, and finds nothing.
    for rule in rules { for name in rule.symbols.split(separator: ",").prefix(Self.mostWanted) { push.board.want(String(name)) } }
    return rules
  }

  /// Of the symbols of one rule.
  private static var mostWanted: Int { 100 }

  func ask(_ change: (any RuleDesk) async throws(CommandError) -> RuleChange) async -> WebResponse {
    guard let dispatcher else { return .error(404, "no_dispatcher", "this run has no notification_dispatcher") }
    let response = await WebResponse.reply { () throws(CommandError) in
      try await change(context.run.door((any RuleDesk).self, of: dispatcher.id)).text
    }
    if response.status == 200 { await sendRules() }
    return response
  }

  func mute(_ rule: String, _ isMuted: Bool) async -> WebResponse {
    await ask { desk throws(CommandError) in try await desk.mute(RuleOwner(name: nil, title: rule), isMuted) }
  }

  func remove(_ rule: String) async -> WebResponse {
    await ask { desk throws(CommandError) in try await desk.remove(RuleOwner(name: nil, title: rule)) }
  }
}

// Where there are accounts.
extension Dashboard: PeopleHost {
  func exportedMembers(of person: Person) -> [JSONValue.Member] {
    portfolio(of: Viewer(person, hasAccounts: door.hasAccounts)).members
  }

  nonisolated func read(rule: String) throws(AccountError) -> ShownRule {
    guard let form = RuleForm(Array(rule.utf8)) else { throw .malformed(RuleForm.usage) }
    return form.shown
  }

  func configuredRules(for person: Person) async -> [JSONValue] { StateText.rules(await rules(), for: Viewer(person, hasAccounts: true)) }

  func muteRule(_ id: String, _ isMuted: Bool) async -> Bool { await mute(id, isMuted).status == 200 }

  func removeRule(_ id: String) async -> Bool { await remove(id).status == 200 }

  /// Makes the dispatcher follow a change of a person's own rule; returns why it is refused.
  func follow(_ text: String, _ change: OwnRuleChange, of person: Person) async -> AccountError? {
    guard let form = RuleForm(Array(text.utf8)) else { return .malformed(RuleForm.usage) }
    guard let dispatcher else { return .unknown("notification_dispatcher in this run") }
    push.board.want(form.symbol)
    let own = RuleOwner(name: person.name, title: form.title)
    do throws(CommandError) {
      let desk = try context.run.door((any RuleDesk).self, of: dispatcher.id)
      switch change {
      case .add: _ = try await desk.add(form.request(owner: person.name))
      case .mute: _ = try await desk.mute(own, true)
      case .unmute: _ = try await desk.mute(own, false)
      case .remove: _ = try await desk.remove(own)
      }
    } catch {
      if case .refused(let reason) = error { return .malformed(reason) }
      return .busy
    }
    return nil
  }

  /// Adds the rules that people have made to a dispatcher, as soon as there is one, also if a change of the run brings it.
  func restoreRules(_ accounts: Accounts) async {
    var restored: String?
    while !Task.isCancelled {
      restored = await restoreRules(accounts, unless: restored)
      do { try await context.clock.sleep(for: Self.lookingForDispatcher) } catch { return }
    }
  }

  private static var lookingForDispatcher: Duration { .seconds(2) }

  /// Adds them unless the present dispatcher is `restored`, which has them, and returns the present one. A rule that it has already is
  /// refused there, and stays as it is.
  func restoreRules(_ accounts: Accounts, unless restored: String?) async -> String? {
    guard let present = dispatcher?.id else { return nil }
    if present == restored { return restored }
    do throws(AccountError) {
      for (person, own) in try await accounts.rulesOfAll() {
        while await follow(own.rule, .add, of: person) == .busy {
          do { try await context.clock.sleep(for: .milliseconds(100)) } catch { return nil }
        }
        if own.isMuted { _ = await follow(own.rule, .mute, of: person) }
      }
    } catch { context.logger.error("the alerts of accounts: \(error)") }
    return present
  }
}
