package import StockbusPlugin
internal import StockbusViewing

extension NotificationDispatcher: CommandableComponent {
  package static var commands: [CommandInfo] {
    [
      CommandInfo("list", "Lists the rules and channels, one on each line, with their state."),
      CommandInfo("rules", "Lists the rules for programs, one on each line: name, symbols, condition and state, separated by tabs."),
      CommandInfo("enable [NAME]", "Enables all alerts, or the rule or channel of this name."),
      CommandInfo("disable [NAME]", "Disables all alerts, or the rule or channel of this name."),
      CommandInfo("mute DURATION [NAME]", "Mutes all alerts, or the channel of this name, for this time."),
      CommandInfo("test CHANNEL", "Sends a test alert through a channel, even if it is disabled or muted."),
      CommandInfo(
        "add SYMBOLS CONDITION LEVEL …",
        "Adds a rule: AAPL above 200 rearm 0.5% cooldown 1m once, or AAPL cooldown 1m when price > sma(price, 20)."),
      CommandInfo("remove RULE", "Removes a rule."),
    ]
  }

  package func perform(_ command: Command) throws(CommandError) -> String {
    let name = command.arguments.joined(separator: " ")
    switch command.verb {
    case "list": return list()
    case "rules":
      let lines = rules().map { [$0.name, $0.symbols, $0.condition, $0.state.rawValue].map { visible($0, limit: 200) } }
      return lines.map { $0.joined(separator: "\t") }.joined(separator: "\n")
    case "enable": return try turn(name, on: true)
    case "disable": return try turn(name, on: false)
    case "mute": return try mute(command.arguments)
    case "test": return try test(name)
    case "add": return try add(RuleWords.request(command.arguments)).text
    case "remove": return try remove(RuleOwner(name: nil, title: name)).text
    default: throw CommandError("unknown command \(shown(command.verb))")
    }
  }

  private func list() -> String {
    let uptime = context.clock.uptime
    let rules = book.present.map { rule in
      let count = book.number(of: rule.name).map { book.symbols(of: $0) } ?? (watched: 0, spent: 0)
      var state = rule.isEnabled ? "on" : "off"
      if self.state(of: rule) == .expired { state = "expired" }
      let symbols = "\(count.watched) \(count.watched == 1 ? "symbol" : "symbols")"
      return "rule \(rule.name): \(state), \(symbols)" + (count.spent > 0 ? ", \(count.spent) spent" : "")
    }
    let channels = deliveries.queues.map { queue in
      var state = queue.isSilent(at: uptime) ? "off" : "on"
      if let fault = queue.fault { state = "off, \(fault)" }
      var account = queue.fault == nil ? ", \(queue.total(.delivered)) delivered, \(queue.waiting.count) waiting" : ""
      if let reason = queue.trouble.present { account += ", cannot deliver: \(reason)" }
      return "channel \(queue.name) (\(queue.kind)): \(state)" + account
    }
    let all = switches.isSilent(at: context.clock) ? "all alerts are off" : "alerts are on"
    return ([all] + rules + channels).joined(separator: "\n")
  }

  private func turn(_ name: String, on: Bool) throws(CommandError) -> String {
    let word = on ? "on" : "off"
    if name.isEmpty {
      switches = Switches(isEnabled: on)
      return "alerts are \(word)"
    }
    switch try find(name) {
    case .rule(let number):
      book.setEnabled(number, on)
      return RuleChange(name, is: on ? .on : .off).text
    case .channel(let number):
      deliveries.setEnabled(number, on)
      return "channel \(shown(name)) is \(word)"
    }
  }

  private func mute(_ arguments: [String]) throws(CommandError) -> String {
    guard let text = arguments.first, let pause = try? Duration(option: text), pause > .zero, pause <= .seconds(31_622_400) else {
      throw CommandError("write how long, such as mute 10m")
    }
    let name = arguments.dropFirst().joined(separator: " ")
    let until = context.clock.uptime + pause
    if name.isEmpty {
      switches.mutedUntil = until
      return "alerts are off for \(pause.optionText)"
    }
    guard case .channel(let number) = try find(name) else {
      throw CommandError("only all alerts or a channel can be muted for a time, not a rule")
    }
    deliveries.mute(number, until: until)
    return "channel \(shown(name)) is off for \(pause.optionText)"
  }

  private func test(_ name: String) throws(CommandError) -> String {
    guard let number = deliveries.number(of: name) else { throw unknown("channel", name, among: deliveries.queues.map(\.name)) }
    if let fault = deliveries.queues[number].fault { throw CommandError("channel \(shown(name)) is off: \(fault)") }
    let alert = Alert(
      symbol: "TEST", rule: "test", message: "This is a test of channel \(visible(name)).", price: 0, time: context.clock.now)
    let notification = notification(of: alert, isUrgent: true)
    deliveries.enqueue(notification, number)
    return "a test alert was sent to channel \(shown(name)): \(notification.id)"
  }

  private enum Target { case rule(Int), channel(Int) }

  /// `rule NAME` and `channel NAME` select one if a rule and a channel have the same name.
  private func find(_ name: String) throws(CommandError) -> Target {
    if let number = book.number(of: name), deliveries.number(of: name) == nil { return .rule(number) }
    if let number = deliveries.number(of: name), book.number(of: name) == nil { return .channel(number) }
    if name.hasPrefix("rule "), let number = book.number(of: String(name.dropFirst(5))) { return .rule(number) }
    if name.hasPrefix("channel "), let number = deliveries.number(of: String(name.dropFirst(8))) { return .channel(number) }
    if book.number(of: name) != nil { throw CommandError("write 'rule \(visible(name))' or 'channel \(visible(name))'") }
    throw unknown("rule or channel", name, among: book.present.map(\.name) + deliveries.queues.map(\.name))
  }

  func unknown(_ what: String, _ name: String, among names: [String]) -> CommandError {
    CommandError("there is no \(what) \(shown(name))\(didYouMean(name, among: names))")
  }
}
