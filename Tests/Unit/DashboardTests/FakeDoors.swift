import MarketData
import StockbusPlugin
import StockbusTestKit
import StockbusViewing

@testable import StockbusTrading

/// A broker's door that keeps what was asked, and answers what the test has set.
struct FakeOrderDesk: OrderDesk {
  let asked = Watched<[String]>([])
  var past: [Fill] = []
  var hasAccounts = true
  var fault: CommandError?
  /// 10 at 88.10: a value of 881, a fee of 1, of 10,000 in cash.
  var answer = OrderPreview(Self.estimate)

  private static var estimate: Broker.Estimate {
    var estimate = Broker.Estimate(price: Price(raw: 88_100_000_000), value: 881, fee: 1)
    estimate.reserved = 882
    estimate.after = .init(position: 10, cash: 9118, buyingPower: 9118)
    return estimate
  }

  private func note(_ words: String, in account: String? = nil) throws(CommandError) {
    asked.update { $0.append(words + (account.map { " in " + $0 } ?? "")) }
    if let fault { throw fault }
  }

  private static func words(_ order: OrderRequest) -> String { "\(order.side.fieldName) \(order.symbol) \(words(order.terms))" }

  private static func words(_ terms: OrderTerms) -> String {
    var words = [terms.quantity.map { "\($0)" } ?? "-"]
    for (name, value) in [("at", terms.limit.raw), ("stop", terms.stop.raw), ("trail", terms.trail.raw), ("%", terms.trailPercent.raw)]
    where value != 0 { words.append("\(name) \(Price(raw: value))") }
    if let force = terms.timeInForce { words.append(force.fieldName) }
    if let key = terms.key { words.append("key \(key)") }
    return words.joined(separator: " ")
  }

  func preview(_ order: OrderRequest, in account: String?) throws(CommandError) -> OrderPreview {
    try note("preview " + Self.words(order), in: account)
    return answer
  }

  func submit(_ order: OrderRequest, in account: String?) throws(CommandError) -> OrderAnswer {
    try note(Self.words(order), in: account)
    return OrderAnswer(.submit, OrderReply(number: 7, isAccepted: true), key: order.terms.key)
  }

  func replace(_ order: String, by change: OrderTerms, in account: String?) throws(CommandError) -> OrderAnswer {
    try note("replace \(order) \(Self.words(change))", in: account)
    return OrderAnswer(.replace(7), OrderReply(number: 8, isAccepted: true))
  }

  func cancel(_ order: String, in account: String?) throws(CommandError) -> OrderAnswer {
    try note("cancel \(order)", in: account)
    return OrderAnswer(.cancel, OrderReply(number: 7, isAccepted: false, reason: .alreadyDone), refusal: "the order is already closed")
  }

  func open(_ account: Symbol) throws(CommandError) -> OpenedAccount {
    try note("open \(account)")
    return OpenedAccount(account, deposit: 10_000, currency: "USD", isNew: true)
  }

  func hasAccount(_ name: String) throws(CommandError) -> Bool {
    try note("has \(name)")
    return hasAccounts
  }

  func fills(of account: String?) throws(CommandError) -> [Fill] {
    try note("fills", in: account)
    return past
  }
}

/// A dispatcher's door that keeps what was asked.
struct FakeRuleDesk: RuleDesk {
  let asked = Watched<[String]>([])

  private func note(_ words: String) { asked.update { $0.append(words) } }

  func rules() -> [WatchedRule] { [] }

  func add(_ rule: RuleRequest) -> RuleChange {
    let options = rule.options.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    note("add \(rule.subject) \(options)" + (rule.owner.map { " of " + $0 } ?? ""))
    return RuleChange("x", is: .on)
  }

  func remove(_ rule: RuleOwner) -> RuleChange {
    note("remove \(rule.rule)")
    return RuleChange(rule.title, is: .gone)
  }

  func mute(_ rule: RuleOwner, _ isMuted: Bool) -> RuleChange {
    note("\(isMuted ? "mute" : "unmute") \(rule.rule)")
    return RuleChange(rule.title, is: isMuted ? .off : .on)
  }
}
