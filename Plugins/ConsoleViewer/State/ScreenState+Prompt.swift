internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenState {
  /// Takes a key for the line that is being typed.
  mutating func type(_ press: KeyPress, into prompt: Prompt) -> [ScreenEffect] {
    switch prompt {
    case .order(let draft): return type(press, into: draft)
    case .cancel(let order): return confirmCancel(press, order)
    case .alert(let symbol, let text, _): self.prompt = .alert(symbol, text)
    case .filter: break
    }
    switch press.key {
    case .escape:
      self.prompt = nil
      if case .filter(_, let before) = prompt { setFilter(before) }
      return []
    case .enter:
      if case .alert(let symbol, let text, _) = prompt { return setAlert(symbol, text) }
      // A wrong condition filters nothing; the prompt stays open so that it can be corrected.
      if filter.problem == nil { self.prompt = nil }
      return []
    case .up, .down:
      guard case .alert(let symbol, _, _) = prompt else { break }
      return setAlert(symbol, press.key == .up ? "+1%" : "-1%")
    default: break
    }
    guard let text = Self.edited(prompt.text, by: press) else { return [] }
    switch prompt {
    case .filter(_, let before):
      self.prompt = .filter(text, before: before)
      setFilter(text)
    case .alert(let symbol, _, _): self.prompt = .alert(symbol, text)
    case .order, .cancel: break
    }
    return []
  }

  /// The text of a prompt after a key; nil if the key does not edit.
  static func edited(_ text: String, by press: KeyPress) -> String? {
    var text = text
    switch press.key {
    case .backspace: if !text.isEmpty { text.removeLast() }
    case .character("u") where press.modifiers == .control: text = ""
    case .character("w") where press.modifiers == .control:
      while text.last == " " { text.removeLast() }
      while let last = text.last, last != " " { text.removeLast() }
    case .character(let character) where press.modifiers.isEmpty: if text.utf8.count < 200 { text.append(character) }
    default: return nil
    }
    return text
  }

  mutating func setFilter(_ text: String) {
    filter = RowFilter(text, reading: market.columns)
    arrange(force: true)
    keepSelectionVisible()
  }

  // MARK: Alerts

  mutating func beginAlert() {
    guard let symbol = chosen else { return say("choose a symbol first: arrows, or a click", isError: true) }
    guard market.place(of: symbol) != nil else { return say("\(symbol) has no price yet", isError: true) }
    prompt = .alert(symbol, "")
  }

  /// Sets an alert from `200`, `> 200`, `below 180`, `+1%` or `-5`; an empty text means one per cent above. A wrong text stays in the
  /// prompt, with the reason.
  private mutating func setAlert(_ symbol: Symbol, _ text: String) -> [ScreenEffect] {
    guard let row = market.row(of: symbol) else {
      prompt = nil
      return []
    }
    guard var alert = Self.alert(text, for: row) else {
      return keepAlert("no price: 200, above 200, +1%, -5")
    }
    if alert.isAbove ? row.price >= alert.level : row.price <= alert.level {
      return keepAlert("the price is already \(alert.isAbove ? "above" : "below") \(alert.level)")
    }
    prompt = nil
    // A dispatcher has channels, so it gets the alert too. The screen checks the alert itself as well, because the dispatcher starts with
    // the next price and the screen knows the last one.
    let dispatcher = dispatcher
    alert.isDelegated = dispatcher != nil
    if !alerts.contains(where: { $0.text == alert.text }) { alerts.append(alert) }
    arm(symbol)
    say("alert: \(alert.text)")
    let requests = dispatcher.map { [ScreenEffect.addRule(alert.request, to: $0.id)] } ?? []
    return requests + [.save]
  }

  private mutating func keepAlert(_ fault: String) -> [ScreenEffect] {
    if case .alert(let symbol, let text, _) = prompt { prompt = .alert(symbol, text, fault: fault) }
    return []
  }

  /// Removes the alerts of the chosen symbol, also from a dispatcher that has rules for them.
  mutating func removeAlerts() -> [ScreenEffect] {
    guard let symbol = chosen else { return [] }
    let removed = alerts.filter { $0.symbol == symbol }
    if removed.isEmpty { return [] }
    alerts.removeAll { $0.symbol == symbol }
    arm(symbol)
    say("no more alerts for \(symbol)")
    let dispatcher = dispatcher
    let requests = removed.filter(\.isDelegated).compactMap { alert in
      dispatcher.map { ScreenEffect.removeRule(alert.rule, from: $0.id) }
    }
    return requests + [.save]
  }

  static func alert(_ text: String, for row: Row) -> PriceAlert? {
    var words = text.lowercased().split(separator: " ").map(String.init)
    var side: Bool?
    if let first = words.first {
      if ["above", ">", ">="].contains(first) { side = true }
      if ["below", "<", "<="].contains(first) { side = false }
      if side != nil { words.removeFirst() }
      if side == nil, first.count > 1, first.first == ">" || first.first == "<" {
        side = first.first == ">"
        words[0].removeFirst()
      }
    }
    let number = words.isEmpty && side == nil ? "+1%" : words.joined()
    guard let level = level(number, row) else { return nil }
    return PriceAlert(symbol: row.symbol, isAbove: side ?? (level > row.price), level: level)
  }

  /// A price, or a distance from the current price: with a sign before it, and optionally `%` after it.
  private static func level(_ text: String, _ row: Row) -> Price? {
    let isRelative = text.hasPrefix("+") || text.hasPrefix("-")
    let isShare = text.hasSuffix("%")
    guard let number = try? Price(String((isShare ? text.dropLast() : text[...]).drop { $0 == "+" })) else { return nil }
    guard isRelative || isShare else { return number }
    var distance = number.raw
    if isShare {
      let product = row.price.raw.multipliedFullWidth(by: number.raw)
      let divisor: Int64 = 100_000_000_000
      // Otherwise the quotient does not fit: the high half has the weight 2^64, and the quotient is signed.
      guard product.high.magnitude < divisor.magnitude / 2 else { return nil }
      distance = divisor.dividingFullWidth(product).quotient
    }
    let (sum, overflow) = row.price.raw.addingReportingOverflow(distance)
    return overflow ? nil : rounded(sum, to: Int(row.decimals))
  }

  /// Rounded to the decimals that the price is written with.
  private static func rounded(_ raw: Int64, to decimals: Int) -> Price {
    guard decimals < 9 else { return Price(raw: raw) }
    var unit: Int64 = 1
    for _ in decimals..<9 { unit *= 10 }
    let rest = raw % unit
    let (up, overflow) = raw.addingReportingOverflow(unit)
    return Price(raw: rest * 2 >= unit && !overflow ? up - rest : raw - rest)
  }
}
