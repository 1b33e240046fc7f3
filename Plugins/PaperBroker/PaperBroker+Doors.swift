internal import StockbusHistory
package import StockbusPlugin
package import StockbusTrading

extension PaperBroker: OfferingComponent, OrderDesk {
  package static var doors: [ComponentDoor<PaperBroker>] { [ComponentDoor((any OrderDesk).self) { $0 }] }

  package func preview(_ order: OrderRequest, in account: String?) throws(CommandError) -> OrderPreview {
    try kept { desk, now throws(CommandError) in try desk.preview(order, in: account, now: now) }
  }

  package func submit(_ order: OrderRequest, in account: String?) throws(CommandError) -> OrderAnswer {
    try kept { desk, now throws(CommandError) in try desk.submit(order, in: account, now: now) }
  }

  package func replace(_ order: String, by change: OrderTerms, in account: String?) throws(CommandError) -> OrderAnswer {
    try kept { desk, now throws(CommandError) in try desk.replace(order, by: change, in: account, now: now) }
  }

  package func cancel(_ order: String, in account: String?) throws(CommandError) -> OrderAnswer {
    try kept { desk, now throws(CommandError) in try desk.cancel(order, in: account, now: now) }
  }

  package func open(_ account: Symbol) throws(CommandError) -> OpenedAccount {
    try kept { desk, now throws(CommandError) in try desk.open(account, now: now) }
  }

  package func hasAccount(_ name: String) throws(CommandError) -> Bool {
    try checkRunning()
    return desk.accountNames.contains { $0.description == name }
  }

  private static var shownFills: Int { 200 }

  /// Readers that begin after a restart know the fills before it only from here: they are not sent again, because files of fills would have
  /// them twice.
  package func fills(of account: String?) throws(CommandError) -> [Fill] {
    try checkRunning()
    do { return try book?.lastFills(of: account, limit: Self.shownFills) ?? [] } catch { throw CommandError("not read: \(error)") }
  }

  // MARK: In words

  package static var commands: [CommandInfo] { OrderCommand.infos }

  package func perform(_ command: Command) throws(CommandError) -> String {
    let order = try OrderCommand(command)
    let account = order.account
    switch order.action {
    case .submit(let order): return try submit(order, in: account).words()
    case .preview(let order):
      let preview = try preview(order, in: account)
      if preview.refusal != nil { throw CommandError(preview.text) }
      return preview.text
    case .replace(let name, let change): return try replace(name, by: change, in: account).words()
    case .cancel(let name): return try cancel(name, in: account).words()
    case .open(let name): return try open(name).text
    case .fills: return try fills(of: account).map { Fill.schema.json($0) }.joined(separator: "\n")
    case .halt(let symbol):
      try kept { desk, now in desk.halt(symbol, true, now: now) }
      return "\(symbol) is halted"
    case .resume(let symbol):
      try kept { desk, now in desk.halt(symbol, false, now: now) }
      return "\(symbol) is traded again from the next price on"
    case .show: return try kept { desk, _ throws(CommandError) in desk.summary(of: try desk.account(account)) }
    }
  }
}
