import EventBus
import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

/// What became of one account of a paper broker.
struct RehearsedAccount: Sendable {
  let component: String
  let account: Symbol
  /// All orders, and those among them that the broker has rejected.
  var orders = 0
  var rejected = 0
  var fills = 0
  /// The times of the first and the last order.
  var first: Timestamp?
  var last: Timestamp?
  /// At the end; nil of an account that the broker does not have.
  var state: AccountState?

  /// The figures by their names, in their order.
  fileprivate var figures: [(name: String, value: JSONValue)] {
    func text(_ time: Timestamp?) -> JSONValue { .string(time.map { "\($0)" } ?? "") }
    func number(_ amount: Amount?) -> JSONValue { .number("\(amount ?? .zero)") }
    return [
      ("orders", .number("\(orders)")), ("rejected", .number("\(rejected)")), ("fills", .number("\(fills)")), ("first", text(first)),
      ("last", text(last)), ("realised", number(state?.realised)), ("unrealised", number(state?.unrealised)),
      ("equity", number(state?.equity)),
    ]
  }
  fileprivate static var names: [String] { RehearsedAccount(component: "", account: Symbol(id: 0)).figures.map(\.name) }
  fileprivate var texts: [String] {
    figures.map { figure in
      switch figure.value {
      case .string(let text), .number(let text): text
      default: ""
      }
    }
  }
}

/// The accounts of one paper broker, from the changes that it publishes.
struct AccountBook: Sendable {
  let component: String
  /// In the order in which they were opened.
  private(set) var accounts: [RehearsedAccount] = []
  private var places: [Symbol: Int] = [:]
  private var lastOrder: Int64 = 0

  init(_ component: String) { self.component = component }

  private mutating func change(_ account: Symbol, _ body: (inout RehearsedAccount) -> Void) {
    let place = places[account] ?? accounts.count
    if place == accounts.count {
      accounts.append(RehearsedAccount(component: component, account: account))
      places[account] = place
    }
    body(&accounts[place])
  }

  /// Each change of an order comes; orders are numbered in their order.
  mutating func take(_ order: Order) {
    if order.number <= lastOrder { return }
    lastOrder = order.number
    change(order.account) { account in
      account.orders += 1
      if order.state == .rejected { account.rejected += 1 }
      account.first = account.first ?? order.time
      account.last = order.time
    }
  }

  mutating func take(_ fill: Fill) { change(fill.account) { $0.fills += 1 } }

  mutating func take(_ state: AccountState) { change(state.account) { $0.state = state } }

  /// Reads one part of the broker's output, from now on; nil if it says nothing about accounts.
  func reading(_ topic: any AnyTopic) -> Task<AccountBook, Never>? {
    if let orders = topic as? Topic<Order> { return orders.folded(into: self) { $0.take($1) } }
    if let fills = topic as? Topic<Fill> { return fills.folded(into: self) { $0.take($1) } }
    return (topic as? Topic<AccountState>)?.folded(into: self) { $0.take($1) }
  }

  /// Adds what another part of the same broker's output has said; each figure is in one of them.
  mutating func add(_ other: AccountBook) {
    for part in other.accounts {
      change(part.account) { account in
        account.orders += part.orders
        account.rejected += part.rejected
        account.fills += part.fills
        (account.first, account.last) = (account.first ?? part.first, account.last ?? part.last)
        account.state = account.state ?? part.state
      }
    }
  }
}

extension Topic {
  /// Takes all events from now on.
  func folded<Value: Sendable>(into start: Value, _ take: @escaping @Sendable (inout Value, E) -> Void) -> Task<Value, Never> {
    // Attached before the run begins, so that it gets every event.
    let sequence = events()
    let beginning = sequence.begin()
    return Task {
      var value = start
      let events = sequence.makeAsyncIterator(at: beginning)
      while let event = await events.next() { take(&value, event) }
      return value
    }
  }
}

extension PlannedNode {
  /// Of a paper broker, the parts of its output that say what it does: components that each pass one on.
  func accountParts() throws -> [PlannedNode] {
    guard let whole = blueprint.output else { return [] }
    let mark = description?.idMark ?? ConfigNode.Mark(file: "--over", line: 1, column: 1)
    return try plugin.parts.compactMap { part in
      guard let blueprint = part.blueprint(for: [whole], options: nil), let type = blueprint.output,
        type == Order.self || type == Fill.self || type == AccountState.self
      else { return nil }
      let name = id + part.name.dropFirst(plugin.name.count)
      return PlannedNode(
        id: name, plugin: part, blueprint: blueprint, assembly: try blueprint.assembly(nil, at: mark), inputs: [PlannedEdge(from: id)],
        topic: Blueprint.TopicPlan(name: name), supervision: supervision)
    }
  }
}

/// The accounts of a rehearsal as text; with those of another configuration, how they differ.
struct AccountText {
  /// The present account, and what it was.
  private let pairs: [(now: RehearsedAccount, was: RehearsedAccount?)]
  private let compares: Bool

  init(_ accounts: [RehearsedAccount], against before: [RehearsedAccount]?) {
    func same(_ a: RehearsedAccount, _ b: RehearsedAccount) -> Bool { (a.component, a.account) == (b.component, b.account) }
    compares = before != nil
    let gone = (before ?? []).filter { old in !accounts.contains { same($0, old) } }
    pairs =
      accounts.map { now in
        (now, before.map { $0.first { same($0, now) } ?? RehearsedAccount(component: now.component, account: now.account) })
      } + gone.map { (RehearsedAccount(component: $0.component, account: $0.account), $0) }
  }

  private var different: [(now: RehearsedAccount, was: RehearsedAccount?)] {
    compares ? pairs.filter { $0.now.texts != $0.was?.texts } : pairs
  }

  var isEmpty: Bool { pairs.isEmpty }

  /// All accounts; under one that differs, what it was.
  var rows: [[String]] {
    let hasSeveral = Set(pairs.map(\.now.component)).count > 1
    var rows = [["ACCOUNT"] + RehearsedAccount.names.map { $0.uppercased() }]
    for (now, was) in pairs {
      let name = visible(now.account.description)
      rows.append([hasSeveral ? "\(now.component): \(name)" : name] + now.texts)
      if let was, was.texts != now.texts { rows.append(["  before"] + was.texts) }
    }
    return rows
  }

  var json: [String] {
    different.map { now, was in
      func object(_ account: RehearsedAccount) -> [JSONValue.Member] { account.figures.map { .init($0.name, $0.value) } }
      var members: [JSONValue.Member] = [.init("component", .string(now.component)), .init("account", .string(now.account.description))]
      members += object(now)
      if let was { members.append(.init("was", .object(object(was)))) }
      return JSONValue.object(members).description
    }
  }

  /// With another configuration two rows for each account that differs, the second of which is what it was.
  var csv: [String] {
    let header = ["component", "account"] + (compares ? ["change"] : []) + RehearsedAccount.names
    let rows = different.flatMap { now, was in
      [(now, "now"), (was, "was")].compactMap { account, change in
        account.map { [$0.component, Self.field($0.account.description)] + (compares ? [change] : []) + $0.texts }
      }
    }
    return ([header] + rows).map { $0.joined(separator: ",") }
  }

  private static func field(_ text: String) -> String {
    text.contains { $0 == "," || $0 == "\"" || $0.isNewline } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }
}
