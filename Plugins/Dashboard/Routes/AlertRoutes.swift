internal import Foundation
internal import StockbusAccounts
internal import StockbusPlugin
internal import StockbusViewing
internal import StockbusWeb

/// The part of the API that makes, mutes and removes alerts: commands to the run's dispatcher, with the rules of YAML. They are the run's, and
/// everybody sees them; where there are accounts, changing them needs the right to control.
struct AlertRoutes: Sendable {
  let dashboard: Dashboard
  let door: Door

  func add(to routes: inout WebRoutes) {
    let dashboard = dashboard
    routes.add(
      .get, "/api/alerts", door.behind(.read) { _, viewer in .json(StateText.rules(await dashboard.rules(), for: viewer)) })
    routes.add(
      .post, "/api/alerts",
      door.behind(.control) { request, _ in
        guard let words = RuleForm.words(request.body) else {
          return .error(
            400, "bad_request",
            "a rule is {\"symbol\":\"AAPL\",\"crosses_above\":\"88\"} with the options of a rule in YAML; numbers are texts")
        }
        return await dashboard.ask("add", words)
      })
    routes.add(
      .put, "/api/alerts/:name",
      door.behind(.control) { request, _ in
        guard let form = try? JSONDecoder().decode(MuteForm.self, from: Data(request.body)) else {
          return .error(400, "bad_request", "write {\"muted\":true} or {\"muted\":false}")
        }
        return await dashboard.ask(form.muted ? "disable" : "enable", [request.parameters["name"] ?? ""])
      })
    routes.add(
      .delete, "/api/alerts/:name",
      door.behind(.control) { request, _ in await dashboard.ask("remove", [request.parameters["name"] ?? ""]) })
  }

  private struct MuteForm: Decodable { let muted: Bool }
}

/// A rule as the page sends it, in the words of the dispatcher's `add`.
private enum RuleForm {
  private static let flags = ["once", "initial", "urgent"]

  static func words(_ body: [UInt8]) -> [String]? {
    guard let members = try? JSONDecoder().decode([String: Value].self, from: Data(body)), case .text(let symbol)? = members["symbol"]
    else {
      return nil
    }
    var words = [symbol, "exactly"]
    var name: [String] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) where key != "symbol" {
      switch value {
      case .text(let text) where key == "name": name = ["name", text]
      // The last option takes the rest of the command, so there can be only one such text.
      case .text where key == "message": return nil
      case .text(let text): words += [key, text]
      case .flag(let isOn): if flags.contains(key) { words += [key, isOn ? "true" : "false"] } else { return nil }
      }
    }
    return words + name
  }

  private enum Value: Decodable {
    case text(String)
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) { self = .flag(flag) } else { self = .text(try container.decode(String.self)) }
    }
  }
}

extension Dashboard {
  private var dispatcher: RunComponent? {
    context.run.components.first { component in component.isRunning && component.commands.contains { $0.usage.hasPrefix("add SYMBOLS") } }
  }

  /// The rules of the run's dispatcher.
  func rules() async -> [WatchedRule] {
    guard let dispatcher,
      let text = try? await context.run.perform(Command(verb: "rules", arguments: []), on: dispatcher.id)
    else { return [] }
    return WatchedRule.all(text, of: dispatcher.id)
  }

  func ask(_ verb: String, _ words: [String]) async -> WebResponse {
    guard let dispatcher else { return .error(404, "no_dispatcher", "this run has no notification_dispatcher") }
    let response = await perform(Command(verb: verb, arguments: words), on: dispatcher.id)
    if response.status == 200 { tell(await rules()) }
    return response
  }
}
