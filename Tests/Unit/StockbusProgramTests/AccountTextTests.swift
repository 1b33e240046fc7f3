import MarketData
import StockbusConfig
import StockbusPeople
import Testing

@testable import Stockbus

@Suite struct AccountTextTests {
  @Test func `rights are words`() {
    #expect(AccountText.rights([.read]) == "look")
    #expect(AccountText.rights([.read, .trade]) == "look and trade")
    #expect(AccountText.rights([.control, .read, .trade]) == "look, trade and control")
  }

  @Test func `the file is that of the one dashboard with accounts`() {
    func file(_ sinks: String) -> String {
      let config = ConfigLoader(environment: { _ in nil }).load(text: "sinks: { \(sinks) }\n")
      do throws(HistoryMistake) { return try AccountFileArgument.path(in: config) } catch { return error.text }
    }
    let open = "open: { plugin: dashboard, inputs: [a], file: open.db }"
    let web = "web: { plugin: dashboard, inputs: [a], accounts: closed, file: people.db }"
    #expect(file("\(open), \(web)") == "people.db")
    #expect(file(open) == "which file? 'plugins.yaml' has no dashboard with 'accounts': write --file")
    #expect(
      file("\(web), \(web.replacing("web:", with: "more:"))")
        == "which file? 'plugins.yaml' has several dashboards with 'accounts': write --file")
    #expect(file(web.replacing("people.db", with: #""${WHERE}""#)).hasPrefix("which file? 'file' at plugins.yaml:1:"))
    #expect(file(web.replacing(", file: people.db", with: "")).hasSuffix("stockbus/dashboard.db"))
  }

  @Test func `tokens are a table, and a name from outside controls no terminal`() {
    #expect(AccountText.tokens([]) == "no tokens")
    let time: Int64 = 1_381_239_000_000_000_000
    let lines = AccountText.tokens([
      ("hannah", TokenSummary(id: 3, name: "a\u{1b}[2J", scopes: [.read, .trade], created: time)),
      ("local", TokenSummary(id: 11, name: "phone", scopes: [.read], created: time)),
    ]).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].split(separator: " ") == ["ID", "OF", "NAME", "MAY", "SINCE"])
    #expect(lines[1].hasPrefix("3") && lines[1].contains("hannah") && lines[1].contains("look and trade") && !lines[1].contains("\u{1b}"))
    #expect(lines[2].hasPrefix("11") && lines[2].hasSuffix(Timestamp(ns: time).description))
  }

  @Test func `accounts are a table`() {
    #expect(AccountText.list([]) == "no accounts")
    let time: Int64 = 1_381_239_000_000_000_000
    let lines = AccountText.list([
      AccountSummary(name: "hannah", scopes: [.read, .trade], created: time, sessions: 2),
      AccountSummary(name: "otto", scopes: [.read], created: time, sessions: 0),
    ]).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].split(separator: " ") == ["NAME", "MAY", "SINCE", "SESSIONS"])
    #expect(lines[1].hasPrefix("hannah") && lines[1].contains("look and trade") && lines[1].hasSuffix("2"))
    #expect(lines[2].hasPrefix("otto") && lines[2].contains(Timestamp(ns: time).description))
  }
}
