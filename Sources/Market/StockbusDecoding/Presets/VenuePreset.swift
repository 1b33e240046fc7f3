internal import StockbusPlugin

/// A venue with a built-in spec.
package enum VenuePreset: String, Choice {
  case binance, binanceFutures, coinbaseExchange, coinbaseAdvanced, kraken, krakenV1, bitfinex, gemini, alpaca, finnhub, massive

  /// The built-in spec. Keys in a configuration take precedence (`DecodingSpec.over`).
  package var spec: DecodingSpec {
    switch self {
    case .binance: Binance.spot
    case .binanceFutures: Binance.futures
    case .coinbaseExchange: Coinbase.exchange
    case .coinbaseAdvanced: Coinbase.advanced
    case .kraken: Kraken.second
    case .krakenV1: Kraken.first
    case .bitfinex: Bitfinex.spec
    case .gemini: Gemini.spec
    case .alpaca: Alpaca.spec
    case .finnhub: Finnhub.spec
    case .massive: Massive.spec
    }
  }

  /// The kinds of events into which its messages can be decoded.
  package var events: [EventKind] {
    let rules = spec.messages?.entries ?? []
    return EventKind.allCases.filter { kind in rules.contains { $0.value.event == kind } }
  }
}

extension DecodingSpec {
  /// The complete spec: the configuration's keys take precedence over the preset.
  package static func whole(_ preset: VenuePreset?, _ own: DecodingSpec) -> DecodingSpec {
    preset.map { own.over($0.spec) } ?? own
  }
}

// Helpers for writing presets.

func makeSpec(_ fill: (inout DecodingSpec) -> Void) -> DecodingSpec {
  var spec = DecodingSpec()
  fill(&spec)
  return spec
}

extension MessageRule {
  /// A rule for a message with events.
  static func event(_ kind: EventKind, when: Mapping<[ValuePattern]>, _ fields: FieldPaths, _ fill: (inout MessageRule) -> Void = { _ in })
    -> MessageRule
  {
    var rule = MessageRule()
    rule.when = when
    rule.event = kind
    rule.fields = fields
    fill(&rule)
    return rule
  }

  /// A rule for a page of missed trades, by default a list of them.
  static func rows(
    when: Mapping<[ValuePattern]> = [".": ["[]"]], each: [ValuePath] = ["."], time: ValuePath, price: ValuePath, size: ValuePath,
    side: ValuePath, number: ValuePath, _ fill: (inout MessageRule) -> Void = { _ in }
  ) -> MessageRule {
    .event(.trade, when: when, FieldPaths(symbol: nil, time: time, price: price, size: size, side: side)) { rule in
      rule.each = each
      rule.sequence = SequenceRule(number)
      fill(&rule)
    }
  }

  /// A rule for a message without events.
  static func talk(_ role: MessageRole, when: Mapping<[ValuePattern]>, text: [ValuePath]? = nil) -> MessageRule {
    var rule = MessageRule()
    rule.when = when
    rule.role = role
    rule.text = text
    return rule
  }
}

extension FieldPaths {
  static func trade(
    _ symbol: ValuePath, time: ValuePath?, price: ValuePath, size: ValuePath, side: ValuePath? = nil, condition: ValuePath? = nil
  ) -> FieldPaths {
    FieldPaths(symbol: symbol, time: time, price: price, size: size, side: side, condition: condition)
  }

  static func quote(
    _ symbol: ValuePath, time: ValuePath?, bid: ValuePath, ask: ValuePath, bidSize: ValuePath? = nil, askSize: ValuePath? = nil
  ) -> FieldPaths {
    FieldPaths(symbol: symbol, time: time, bid: bid, ask: ask, bidSize: bidSize, askSize: askSize)
  }

  static func bar(
    _ symbol: ValuePath, time: ValuePath, open: ValuePath, high: ValuePath, low: ValuePath, close: ValuePath, volume: ValuePath,
    length: ValuePath? = nil
  ) -> FieldPaths {
    FieldPaths(symbol: symbol, time: time, open: open, high: high, low: low, close: close, volume: volume, length: length)
  }
}

extension SideWords {
  init(buy: [String], sell: [String], unknown: [String] = []) {
    self.init()
    self.buy = buy
    self.sell = sell
    self.unknown = unknown
  }
}
