internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusViewing

/// The text message of a frame: `Documentation/maintain/formats.md`, "The text message".
struct StateText {
  private var members: [JSONValue.Member] = []

  var isEmpty: Bool { members.isEmpty }

  mutating func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }

  var value: JSONValue { .object(members) }

  func text(_ frame: UInt32) -> String { JSONValue.object([.init("op", "state"), .init("frame", .number(frame))] + members).description }

  mutating func addAlerts(_ news: News, for viewer: Viewer, after cursor: UInt32) {
    if news.alertsFrame <= cursor { return }
    let kept = news.alerts.filter { viewer.sees(rulesOf: $0.owner.name) }
    let sent = kept.filter { $0.frame > cursor }
    if sent.isEmpty { return }
    add("alerts", .array(sent.map { Self.alert($0, for: viewer) }))
    // All that are kept are sent, so there may have been more before them.
    let missed = news.forgotten(for: viewer)
    if sent.count == kept.count, missed > 0 { add("alertsMissed", .number(missed)) }
  }

  mutating func addConnections(_ news: News, after cursor: UInt32) {
    if news.connectionsFrame <= cursor { return }
    add(
      "connections",
      .array(
        news.connections.values.sorted { $0.component < $1.component }.map {
          [
            "component": .string($0.component), "state": .string($0.state.fieldName), "reason": .string($0.reason),
            "time": Self.time($0.time),
          ]
        }))
  }

  mutating func addMovers(_ news: News, _ market: Market, after cursor: UInt32) {
    if news.moversFrame <= cursor { return }
    add(
      "movers",
      .object(
        market.movers.periods.map { period in
          .init(
            period.fieldName,
            .object(
              market.movers.lists(period).map { list in
                .init(list.fieldName, .array(market.movers.list(list, period).map(Self.mover)))
              }))
        }))
  }

  /// Accounts and positions at the prices of this frame, and the open orders.
  mutating func addPortfolio(_ news: TradingData, _ market: Market) {
    add("accounts", .array(news.portfolio.accounts(in: market).map(Self.record)))
    add(
      "positions",
      .array(
        news.portfolio.positions.map { position in
          let holding = Portfolio.holding(position, in: market)
          var current = position
          (current.mark, current.value, current.unrealised) = (holding.price, holding.value, holding.unrealised)
          return Self.record(current)
        }))
    let orders = news.portfolio.orders.values.sorted { $0.number != $1.number ? $0.number < $1.number : $0.account < $1.account }
    add("orders", .array(orders.map(Self.record)))
  }

  mutating func addFills(_ news: TradingData, after cursor: UInt32) {
    if news.fillsFrame <= cursor, cursor > 0 { return }
    add("fills", .array(news.fills.filter { $0.frame > cursor }.map { Self.record($0.fill) }))
  }

  mutating func addRules(_ news: News, for viewer: Viewer, after cursor: UInt32) {
    if news.rulesFrame > cursor { add("rules", .array(Self.rules(news.rules, for: viewer))) }
  }

  /// What another viewer of the same person has changed.
  mutating func addBelongings(_ news: News, of person: Int64, after cursor: UInt32) {
    for belonging in news.belongings[person] ?? [] where belonging.frame > cursor { add(belonging.name, belonging.record) }
  }

  /// - Parameter sent: how many trades of the symbol the client knows.
  mutating func addTrades(_ market: Market, row: Int32, sent: Int) {
    let count = market.tape.count(of: Int(row))
    if count <= sent { return }
    let prints = market.tape.last(count - sent, of: Int(row)).reversed()
    add(
      "trades",
      [
        "from": .number(count - prints.count + 1),
        "prints": .array(
          prints.map {
            [
              Self.time($0.time), .string($0.price.formatted(decimals: Int($0.decimals))),
              .string($0.size.formatted(decimals: Int($0.sizeDecimals))), .string($0.side.fieldName),
            ]
          }),
      ])
  }

  /// The bars of `length` that have changed; returns the newest.
  mutating func addBars(_ market: Market, row: Int32, _ length: BarLength, sent: Bar?) -> Bar? {
    let bars = market.bars.last(length, of: Int(row))
    guard let newest = bars.last, newest != sent else { return sent }
    let changed = sent.map { sent in bars.filter { $0.time >= sent.time } } ?? Array(bars.suffix(2))
    add("bars", .array(changed.map(Self.bar)))
    return newest
  }

  // MARK: Values

  static func bar(_ bar: Bar) -> JSONValue {
    let decimals = Int(bar.priceDecimals)
    return [
      time(bar.time), .string(bar.open.formatted(decimals: decimals)), .string(bar.high.formatted(decimals: decimals)),
      .string(bar.low.formatted(decimals: decimals)), .string(bar.close.formatted(decimals: decimals)),
      .string(bar.volume.formatted(decimals: Int(bar.sizeDecimals))),
    ]
  }

  /// The run's rules as the page shows them. Who may control can remove them.
  static func rules(_ rules: [WatchedRule], for viewer: Viewer) -> [JSONValue] {
    rules.compactMap { rule in
      if viewer.account != nil, RuleOwner(ofRule: rule.name).name != nil { return nil }
      let words = rule.condition.split(separator: " ")
      return [
        "id": .string(rule.name), "name": .string(rule.name), "symbol": .string(visible(rule.symbols, limit: 200)),
        "condition": .string(rule.condition),
        "threshold": words.count > 1 && words[0] != "when" && words[0] != "silent_for" ? .string(String(words[1])) : .null,
        "muted": .bool(rule.state == .off),
        "state": .string(rule.state.rawValue), "own": .bool(viewer.scopes.contains(.control)),
      ]
    }
  }

  static func time(_ time: Timestamp) -> JSONValue { .number(time.ns / 1_000_000) }

  private static func alert(_ entry: News.NumberedAlert, for viewer: Viewer) -> JSONValue {
    let alert = entry.alert
    return [
      "number": .number(entry.number), "rule": .string(viewer.account == nil ? alert.rule : entry.owner.title),
      "symbol": .string(alert.symbol.description),
      "message": .string(alert.message), "price": .string(alert.price.formatted(decimals: Int(alert.priceDecimals))),
      "time": time(alert.time),
    ]
  }

  static func mover(_ mover: Mover) -> JSONValue {
    [
      .string(mover.symbol.description), .string(mover.percent.description),
      .string(mover.price.formatted(decimals: Int(mover.priceDecimals))),
      .string(mover.volume.formatted(decimals: Int(mover.sizeDecimals))), .string(mover.mark.fieldName),
    ]
  }

  /// An event with all its fields, times in milliseconds. Decimals are texts, because JavaScript's numbers are not exact.
  static func record<E: Event>(_ event: E) -> JSONValue {
    var out = ByteWriter(capacity: 512)
    EventEncoder<E>(times: .epoch(.milliseconds)).encodeJSON(event, to: &out)
    var text = out.withBytes { String(decoding: $0, as: UTF8.self) }
    for field in E.schema.fields where field.kind == .decimal {
      // Inside of a text a quotation mark is escaped, so this is the field.
      guard let name = text.firstRange(of: "\"\(field.name)\":") else { continue }
      let number = text[name.upperBound...].prefix { $0 != "," && $0 != "}" }
      text.replaceSubrange(number.startIndex..<number.endIndex, with: "\"\(number)\"")
    }
    return .number(text)
  }
}
