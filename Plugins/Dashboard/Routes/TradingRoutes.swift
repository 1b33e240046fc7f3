internal import MarketData
internal import StockbusAccounts
internal import StockbusPlugin
internal import StockbusViewing
internal import StockbusWeb

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The part of the API that trades on paper: orders become commands to the run's broker, in the words that a person would type.
struct TradingRoutes: Sendable {
  let dashboard: Dashboard
  let door: Door

  func add(to routes: inout WebRoutes) {
    let dashboard = dashboard
    routes.add(
      .post, "/api/orders/preview",
      door.behind(.trade) { request, viewer in
        guard let order = OrderForm(request.body) else { return OrderForm.refusal }
        if let unknown = order.unknownSymbol { return .json(["accepted": false, "text": .string(unknown)]) }
        switch await dashboard.trade("preview", [order.side] + order.words, in: order.account, viewer) {
        case .done(let text): return .json(["accepted": true, "text": .string(text)])
        // What would be refused is an answer to the question, and no error.
        case .refused(let text): return .json(["accepted": false, "text": .string(text)])
        case .failed(let response): return response
        }
      })
    routes.add(
      .post, "/api/orders",
      door.behind(.trade) { request, viewer in
        guard let order = OrderForm(request.body) else { return OrderForm.refusal }
        if let unknown = order.unknownSymbol { return .error(422, "refused", unknown) }
        return await dashboard.trade(order.side, order.words, in: order.account, viewer).response
      })
    routes.add(
      .put, "/api/orders/:key",
      door.behind(.trade) { request, viewer in
        guard let change = ChangeForm(request.body) else { return OrderForm.refusal }
        return await dashboard.trade("replace", [request.parameters["key"] ?? ""] + change.words, in: change.account, viewer).response
      })
    routes.add(
      .delete, "/api/orders/:key",
      door.behind(.trade) { request, viewer in
        await dashboard.trade("cancel", [request.parameters["key"] ?? ""], in: request.target["account"], viewer).response
      })
  }
}

/// What became of an order.
enum TradingReply {
  case done(String)
  case refused(String)
  case failed(WebResponse)

  var response: WebResponse {
    switch self {
    case .done(let text): .json(["accepted": true, "text": .string(text)])
    case .refused(let text): .error(422, "refused", text)
    case .failed(let response): response
    }
  }
}

extension Dashboard {
  /// Opens the paper account of a person who has logged in and may trade, if the run's broker opens accounts.
  func openAccount(of viewer: Viewer) async {
    guard let account = viewer.account, viewer.scopes.contains(.trade), let broker = component(with: "open ACCOUNT"), broker.isRunning,
      opened.insert(account).inserted
    else { return }
    do throws(CommandError) {
      _ = try await context.run.perform(Command(verb: "open", arguments: [account.description]), on: broker.id)
    } catch {
      // One that opens none says so each time; one that is not running may later.
      if case .refused = error { return }
      opened.remove(account)
    }
  }

  /// Asks the broker for the fills of runs before, once for each account: the bus brings those of this run only. A broker that does not run
  /// yet is asked again as long as somebody waits.
  func recallFills(of viewer: Viewer, while isWanted: @Sendable () -> Bool) async {
    guard !recalled.contains(viewer.account) else { return }
    let words = viewer.account.map { ["in", $0.description] } ?? []
    while let broker = component(with: "fills "), !recalled.contains(viewer.account) {
      do throws(CommandError) {
        let text = try await context.run.perform(Command(verb: "fills", arguments: words), on: broker.id)
        recalled.insert(viewer.account)
        push.recall(Portfolio.fills(text))
        return stir()
      } catch {
        // Such as an account that is not there: the next one who comes asks again.
        if case .refused = error { return }
      }
      if !isWanted() { return }
      do { try await context.clock.sleep(for: .milliseconds(500)) } catch { return }
    }
  }

  /// True if the broker has an account of this name: a person who signed up under it would trade in it. Throws while it does not say.
  func hasPaperAccount(_ name: String) async throws(AccountError) -> Bool {
    guard let broker = component(with: "open ACCOUNT") else { return false }
    do throws(CommandError) {
      _ = try await context.run.perform(Command(verb: "show", arguments: ["in", name]), on: broker.id)
      return true
    } catch {
      if case .refused = error { return false }
      throw .busy
    }
  }

  private func component(with usage: String) -> RunComponent? {
    let all = context.run.components.filter { $0.commands.contains { $0.usage.hasPrefix(usage) } }
    return all.first(where: \.isRunning) ?? all.first
  }

  /// - Parameter account: the paper account; where there are accounts, a person trades in the one of its name only.
  func trade(_ verb: String, _ words: [String], in account: String?, _ viewer: Viewer) async -> TradingReply {
    let own = viewer.account?.description
    if let own, let account, account != own {
      return .failed(.error(403, "foreign_account", "paper account \(shown(account)) is not yours"))
    }
    let words = words + ((own ?? account).map { ["in", $0] } ?? [])
    await openAccount(of: viewer)
    guard let broker = component(with: "preview ") else { return .failed(.error(404, "no_broker", "this run has no paper broker")) }
    do throws(CommandError) { return .done(try await context.run.perform(Command(verb: verb, arguments: words), on: broker.id)) } catch {
      if case .refused(let reason) = error { return .refused(reason) }
      if case .busy(let reason) = error { return .failed(.busy(reason)) }
      return .failed(.error(503, "not_running", "\(error)"))
    }
  }
}

/// Numbers as `openapi.yaml` has them. The broker's commands would take an exponent too, and `1e3` is easily not what somebody means.
enum PlainNumbers {
  /// True if none of the texts has an exponent. What else is wrong with one the broker says.
  static func are(_ texts: [String?]) -> Bool { !texts.contains { $0?.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") } ?? false } }
}

/// An order as the page sends it. All numbers are texts, so that they are exact.
private struct OrderForm {
  static let refusal = WebResponse.error(
    400, "bad_request",
    "numbers are texts of digits with at most a point, without an exponent; an order is {\"side\":\"buy\",\"symbol\":\"AAPL\",\"size\":\"10\",\"price\":\"88.10\",\"time\":\"day\",\"account\":\"main\",\"key\":\"1\"}"
  )

  let side: String
  /// What follows `buy` or `sell` in a command.
  let words: [String]
  let account: String?
  /// Why nothing of its name can be traded: what people type must not fill the memory with symbols.
  let unknownSymbol: String?

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
    guard let form = try? JSONDecoder().decode(Members.self, from: Data(body)), form.side == "buy" || form.side == "sell",
      PlainNumbers.are([form.size, form.price, form.stop, form.trail])
    else { return nil }
    side = form.side
    unknownSymbol = Symbol(known: form.symbol) == nil ? "no symbol \(shown(form.symbol)) has come in this run" : nil
    var words = [form.symbol, form.size]
    for (word, value) in [("at", form.price), ("stop", form.stop), ("trail", form.trail), ("key", form.key)] {
      if let value, !value.isEmpty { words += [word, value] }
    }
    if let time = form.time, !time.isEmpty { words.append(time) }
    self.words = words
    account = form.account.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// What is to change of an order.
private struct ChangeForm {
  let words: [String]
  let account: String?

  private struct Members: Decodable {
    var size: String?
    var price: String?
    var stop: String?
    var account: String?
  }

  init?(_ body: [UInt8]) {
    guard let form = try? JSONDecoder().decode(Members.self, from: Data(body)), PlainNumbers.are([form.size, form.price, form.stop])
    else { return nil }
    var words: [String] = []
    for (word, value) in [("quantity", form.size), ("at", form.price), ("stop", form.stop)] {
      if let value, !value.isEmpty { words += [word, value] }
    }
    self.words = words
    account = form.account.flatMap { $0.isEmpty ? nil : $0 }
  }
}
