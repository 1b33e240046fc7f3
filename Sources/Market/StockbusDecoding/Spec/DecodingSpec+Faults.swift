package import StockbusPlugin

/// All reasons why a decoding spec cannot be used, in words, each with its option.
package struct DecodingSpecError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One reason.
  package struct Fault: Hashable, Sendable {
    /// The option of `DecodingSpec` that the reason concerns, or a part of it, such as `messages.print.fields`.
    package let option: String
    package let message: String
  }
  package let faults: [Fault]

  init(_ faults: [Fault]) { self.faults = faults }

  package var description: String { faults.map(\.message).joined(separator: "; ") }
}

extension DecodingSpec {
  var secrets: [String: Secret] {
    Dictionary((credentials?.entries ?? []).map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The channels of one kind of event, or of all kinds.
  func channels(for event: EventKind?) -> [String] {
    if let event { return channels?[event] ?? [] }
    var seen: Set<String> = []
    return EventKind.allCases.flatMap { channels?[$0] ?? [] }.filter { seen.insert($0).inserted }
  }

  /// An example of the minimum for 'messages', for a configuration without it.
  private static let example =
    "as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }"

  /// Why messages cannot be decoded into events of this kind; empty if they can. The spec must be complete.
  package func decodingFaults(event: EventKind?) -> [DecodingSpecError.Fault] { decodingFaults(event: event, needsSymbol: true) }

  /// - Parameter needsSymbol: false for rows that are all of one symbol.
  func decodingFaults(event: EventKind?, needsSymbol: Bool) -> [DecodingSpecError.Fault] {
    var faults: [DecodingSpecError.Fault] = []
    let rules = messages?.entries ?? []
    if rules.isEmpty { return [.init(option: "messages", message: "'messages' is needed: the kinds of messages, \(Self.example)")] }
    let remembered = Set(rules.flatMap { $0.value.remember?.entries.map(\.name) ?? [] }).subtracting(["id"])
    for (name, rule) in rules {
      func add(_ text: String, at part: String = "") {
        let path = "messages.\(name)\(part)"
        faults.append(.init(option: path, message: "'decoding.\(visible(path, limit: 200))' \(text)"))
      }
      if rule.when?.entries.isEmpty ?? true { add("needs a 'when'") }
      for path in rule.paths {
        if case .remembered(let word) = path.root, !remembered.contains(word) {
          add("uses '@\(word)', which no message remembers\(didYouMean(word, among: remembered))")
        }
      }
      let event = rule.event?.rawValue ?? ""
      for missing in rule.missingFields where needsSymbol || missing != "symbol" {
        add("has no '\(missing)', which a \(event) needs", at: ".fields")
      }
      for stray in rule.strayFields { add("is no field of a \(event)", at: ".fields.\(stray)") }
      for path in rule.each ?? [] where path.root != .item { add("has '\(path)': the path must begin at the item", at: ".each") }
      if rule.remember != nil, recall == nil { add("needs 'recall' beside 'messages'", at: ".remember") }
    }
    if let event, !rules.contains(where: { $0.value.event == event }) {
      let kinds = Set(rules.compactMap { $0.value.event?.rawValue }).sorted()
      let others = kinds.isEmpty ? "" : "; they become \(kinds.joined(separator: ", "))"
      faults.append(.init(option: "messages", message: "none of the messages becomes a \(event.rawValue)\(others)"))
    }
    if let sequence, sequence.per != .connection {
      faults.append(.init(option: "sequence.per", message: "'decoding.sequence' is of all messages and needs 'per: connection'"))
    }
    return faults
  }

  /// Why no conversation about these symbols is possible; empty if one is. The spec must be complete.
  package func conversationFaults(symbols: [Symbol], event: EventKind?) -> [DecodingSpecError.Fault] {
    var faults: [DecodingSpecError.Fault] = []
    let known = secrets
    var templates = (subscribe ?? []).map { ("subscribe", MessageTemplate($0.message)) }
    templates += (authenticate ?? []).map { ("authenticate", MessageTemplate($0.revealed)) }
    if let url { templates.append(("url", MessageTemplate(url))) }
    for name in Set(templates.flatMap(\.1.credentials)).subtracting(known.keys).sorted() {
      faults.append(.init(option: "credentials", message: "'credentials' needs '\(visible(name))'"))
    }
    let names = templates.reduce(into: Set<MessageTemplate.Name>()) { $0.formUnion($1.1.names) }
    let wantsSymbols = !names.isDisjoint(with: [.symbol, .symbols, .items])
    if wantsSymbols, symbols.isEmpty { faults.append(.init(option: "symbols", message: "symbols are needed to subscribe")) }
    if !names.isDisjoint(with: [.channel, .channels, .items]), channels(for: event).isEmpty {
      faults.append(.init(option: "channels", message: "'channels' has none for \(event?.rawValue ?? "any event")"))
    }
    let form = SymbolTemplate(symbol)
    for symbol in symbols where form.venueName(symbol.description) == nil {
      faults.append(
        .init(
          option: "symbols",
          message: "'\(symbol)' needs a -, /, _ or : between its two parts, because the venue's names consist of base and quote"))
    }
    return faults
  }
}

extension MessageRule {
  /// Every path in the rule.
  var paths: [ValuePath] {
    var paths = (each ?? []) + (text ?? []) + (remember?.entries.map(\.value) ?? [])
    paths += ((when?.entries ?? []) + (only?.entries ?? [])).compactMap { ValuePath($0.name) }
    if let sequence { paths.append(sequence.path) }
    if let fields {
      paths += [
        fields.symbol, fields.time, fields.price, fields.size, fields.side, fields.condition, fields.bid, fields.ask, fields.bidSize,
        fields.askSize, fields.open, fields.high, fields.low, fields.close, fields.volume,
      ].compactMap { $0 }
    }
    return paths
  }

  /// The fields with a path that its event does not have.
  var strayFields: [String] {
    guard let event, let fields else { return [] }
    let placed: [(String, ValuePath?)] = [
      ("price", fields.price), ("size", fields.size), ("side", fields.side), ("condition", fields.condition), ("bid", fields.bid),
      ("ask", fields.ask),
      ("bid_size", fields.bidSize), ("ask_size", fields.askSize), ("open", fields.open), ("high", fields.high), ("low", fields.low),
      ("close", fields.close), ("volume", fields.volume),
    ]
    let own = EventFields.prices(event) + EventFields.sizes(event) + (event == .trade ? ["side", "condition"] : [])
    return placed.filter { $0.1 != nil && !own.contains($0.0) }.map(\.0)
  }

  /// The fields without a path that its event needs.
  var missingFields: [String] {
    guard let event else { return [] }
    let fields = fields ?? FieldPaths()
    var needed: [(String, ValuePath?)] = [("symbol", fields.symbol)]
    switch event {
    case .trade: needed += [("price", fields.price)]
    case .quote: needed += [("bid", fields.bid), ("ask", fields.ask)]
    case .bar: needed += [("open", fields.open), ("high", fields.high), ("low", fields.low), ("close", fields.close)]
    }
    return needed.filter { $0.1 == nil }.map(\.0)
  }
}
