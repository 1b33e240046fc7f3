internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusText
internal import StockbusTrading
internal import StockbusWeb

/// The part of the API that trades on paper: through the door of the run's broker, and in its words.
enum TradingRoutes {
  static func add(of dashboard: Dashboard, behind door: Door, to routes: inout WebRoutes) {
    routes.add(
      .post, "/api/orders/preview",
      door.behind(.trade) { request, viewer in
        guard let form = OrderForm(request.body) else { return OrderForm.refusal }
        // What would be refused is an answer to the question, and no error.
        return await dashboard.trade(in: form.account, viewer, refusal: { .json(["accepted": false, "text": .string($0)]) }) {
          desk, account throws(CommandError) in .json(Self.json(try await desk.preview(try form.order(), in: account)))
        }
      })
    routes.add(
      .post, "/api/orders",
      door.behind(.trade) { request, viewer in
        guard let form = OrderForm(request.body) else { return OrderForm.refusal }
        return await dashboard.order(in: form.account, viewer) { desk, account throws(CommandError) in
          try await desk.submit(try form.order(), in: account)
        }
      })
    routes.add(
      .put, "/api/orders/:key",
      door.behind(.trade) { request, viewer in
        guard let form = OrderChangeForm(request.body) else { return OrderForm.refusal }
        return await dashboard.order(in: form.account, viewer) { desk, account throws(CommandError) in
          try await desk.replace(request.parameters["key"] ?? "", by: try form.change(), in: account)
        }
      })
    routes.add(
      .delete, "/api/orders/:key",
      door.behind(.trade) { request, viewer in
        await dashboard.order(in: request.target["account"], viewer) { desk, account throws(CommandError) in
          try await desk.cancel(request.parameters["key"] ?? "", in: account)
        }
      })
  }

  /// The numbers that the ticket shows are there as far as they are known.
  static func json(_ preview: OrderPreview) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("accepted", .bool(preview.refusal == nil)), .init("text", .string(preview.text(besideFigures: true))),
    ]
    let estimate = preview.estimate
    if estimate.price.raw != 0 {
      members += [.init("cost", .string(estimate.value.description)), .init("fee", .string(estimate.fee.description))]
    }
    if let after = estimate.after { members.append(.init("cash", .string(after.cash.description))) }
    return .object(members)
  }
}

extension Dashboard {
  /// Opens the paper account of a person who has logged in and may trade, if the run's broker opens accounts.
  func openAccount(of viewer: Viewer) async {
    guard let account = viewer.account, viewer.scopes.contains(.trade), let broker, broker.isRunning, opened.insert(account).inserted
    else { return }
    do throws(CommandError) { _ = try await desk(of: broker).open(account) } catch {
      // One that opens none says so each time; one that is not running may later.
      if case .refused = error { return }
      opened.remove(account)
    }
  }

  /// Asks the broker for the fills of runs before, once for each account: the bus brings those of this run only. A broker that does not run
  /// yet is asked again as long as somebody waits.
  func recallFills(of viewer: Viewer, while isWanted: @Sendable () -> Bool) async {
    while !recalled.contains(viewer.account), let broker {
      do throws(CommandError) {
        let fills = try await desk(of: broker).fills(of: viewer.account?.description)
        recalled.insert(viewer.account)
        push.recall(fills)
        return requestFrame()
      } catch {
        // Such as an account that is not there: the next one who comes asks again.
        if case .refused = error { return }
      }
      if !isWanted() { return }
      do { try await context.clock.sleep(for: .milliseconds(500)) } catch { return }
    }
  }

  /// True if the broker has an account of this name: a person who signed up under it would trade in it. Throws while it does not say.
  func isReserved(_ name: String) async throws(AccountError) -> Bool {
    guard let broker else { return false }
    do throws(CommandError) { return try await desk(of: broker).hasAccount(name) } catch { throw .busy }
  }

  private var broker: RunComponent? {
    let all = context.run.components(offering: (any OrderDesk).self)
    return all.first(where: \.isRunning) ?? all.first
  }

  private func desk(of broker: RunComponent) throws(CommandError) -> any OrderDesk {
    try context.run.door((any OrderDesk).self, of: broker.id)
  }

  /// - Parameters:
  ///   - account: the paper account; where there are accounts, a person trades in the one of its name only.
  ///   - refusal: the response where the broker refuses.
  ///   - ask: asks the broker, in this account.
  func trade(
    in account: String?, _ viewer: Viewer, refusal: (String) -> WebResponse = { .error(422, "refused", $0) },
    _ ask: (any OrderDesk, _ account: String?) async throws(CommandError) -> WebResponse
  ) async -> WebResponse {
    let own = viewer.account?.description
    if let own, let account, account != own {
      return .error(403, "foreign_account", "paper account \(shown(account)) is not yours")
    }
    await openAccount(of: viewer)
    guard let broker else { return .error(404, "no_broker", "this run has no paper broker") }
    do throws(CommandError) { return try await ask(desk(of: broker), own ?? account) } catch {
      if case .refused(let reason) = error { return refusal(reason) }
      if case .busy(let reason) = error { return .busy(reason) }
      return .error(503, "not_running", "\(error)")
    }
  }

  func order(
    in account: String?, _ viewer: Viewer, _ ask: (any OrderDesk, _ account: String?) async throws(CommandError) -> OrderAnswer
  ) async -> WebResponse {
    await trade(in: account, viewer) { desk, account throws(CommandError) in
      var answer = try await ask(desk, account)
      // A page makes a key for each order, and its user knows none of them.
      answer.key = nil
      return .json(["accepted": true, "number": .number(Int(answer.reply.number)), "text": .string(try answer.words())])
    }
  }
}

/// Numbers as `openapi.yaml` has them. The broker would take an exponent too, and `1e3` is easily not what somebody means.
enum PlainNumbers {
  /// True if none of the texts has an exponent. What else is wrong with one the broker says.
  static func are(_ texts: [String?]) -> Bool { !texts.contains { $0?.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") } ?? false } }
}

/// An order as the page sends it. All numbers are texts, so that they are exact.
private struct OrderForm {
  static let refusal = WebResponse.error(
    400, "bad_request",
    "numbers are texts such as \"88.10\", without an exponent; an order is {\"side\":\"buy\",\"symbol\":\"AAPL\",\"size\":\"10\",\"price\":\"88.10\",\"time\":\"day\",\"account\":\"main\",\"key\":\"1\"}"
  )

  let account: String?
  private let members: Members

  private struct Members: Decodable {
    let side: String
    let symbol: String
    let size: String
    var price: String?
    var stop: String?
    var trail: String?
    var time: String?
    var key: String?
    var account: String?
  }

  init?(_ body: [UInt8]) {
    guard let members = JSONDocument.read(Members.self, body), members.side == "buy" || members.side == "sell",
      PlainNumbers.are([members.size, members.price, members.stop, members.trail])
    else { return nil }
    self.members = members
    account = members.account.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws what is wrong with it, in a sentence.
  func order() throws(CommandError) -> OrderRequest {
    // What people type must not fill the memory with symbols.
    guard let symbol = Symbol(known: members.symbol) else {
      throw CommandError("this run has no symbol \(shown(members.symbol)) so far")
    }
    var terms = OrderTerms()
    try terms.set(.quantity, to: members.size)
    try terms.set([(.limit, members.price), (.stop, members.stop), (.trail, members.trail), (.key, members.key)])
    if let time = members.time, !time.isEmpty { try terms.setTimeInForce(time) }
    return OrderRequest(members.side == "buy" ? .buy : .sell, symbol, terms)
  }
}

/// What is to change of an order.
private struct OrderChangeForm {
  let account: String?
  private let members: Members

  private struct Members: Decodable {
    var size: String?
    var price: String?
    var stop: String?
    var account: String?
  }

  init?(_ body: [UInt8]) {
    guard let members = JSONDocument.read(Members.self, body),
      PlainNumbers.are([members.size, members.price, members.stop])
    else { return nil }
    self.members = members
    account = members.account.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws what is wrong with it, in a sentence.
  func change() throws(CommandError) -> OrderTerms {
    var change = OrderTerms()
    try change.set([(.quantity, members.size), (.limit, members.price), (.stop, members.stop)])
    return change
  }
}

extension OrderTerms {
  /// Reads what is there.
  fileprivate mutating func set(_ texts: [(Part, String?)]) throws(CommandError) {
    for (part, text) in texts { if let text, !text.isEmpty { try set(part, to: text) } }
  }
}
