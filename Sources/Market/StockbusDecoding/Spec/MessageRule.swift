package import StockbusPlugin

/// The role of a kind of message.
package enum MessageRole: String, Choice, BitwiseCopyable {
  /// The message carries events.
  case data
  /// The venue has accepted a request, such as a subscription.
  case acknowledgement
  /// The venue has authenticated the client: subscriptions may follow.
  case authenticated
  /// The venue has refused something, with a reason.
  case error
  /// The message is a sign that the connection is alive.
  case heartbeat
  /// The venue cancels or corrects a trade that it has sent. No event withdraws a trade, so it is counted, and reported at the end.
  case correction
  /// The message is known, but not used.
  case other
}

/// The kind of event into which a message is decoded.
package enum EventKind: String, Choice {
  case trade, quote, bar
}

/// What a source makes of a message or a row.
package enum FeedKind: String, Choice {
  case trade, quote, bar
  /// The unchanged message, for a recorder.
  case raw
}

/// How a venue writes times.
package enum VenueTime: String, Choice {
  case iso8601, s, ms, us, ns

  /// Nanoseconds per unit; nil for ISO-8601.
  var unit: UInt64? {
    switch self {
    case .iso8601: nil
    case .s: 1_000_000_000
    case .ms: 1_000_000
    case .us: 1000
    case .ns: 1
    }
  }
}

/// One kind of message: how it is recognised, and its use. All keys except `when` are optional.
package struct MessageRule: Options {
  @Setting("The condition of this kind: values by path; for every path one of its patterns must match.")
  package var when: Mapping<[ValuePattern]>?
  @Setting("The role of the message; by default data if there is an 'event', otherwise other.")
  package var role: MessageRole?
  @Setting("The type of event that it becomes.")
  package var event: EventKind?
  @Setting(
    "The paths of nested lists or objects, from the outside in; each item or value becomes one event. By default the whole message is one event."
  )
  package var each: [ValuePath]?
  @Setting("The condition for an item: values by path; other items are skipped.")
  package var only: Mapping<[ValuePattern]>?
  @Setting("The paths of the event's values.")
  package var fields: FieldPaths?
  @Setting("How its times are written, if not as in other messages.")
  package var time: VenueTime?
  @Setting("Its prices are divided by this, if not as in other messages.", in: 1...1_000_000_000)
  package var priceScale: Int?
  @Setting("Its sizes are divided by this, if not as in other messages.", in: 1...1_000_000_000)
  package var sizeScale: Int?
  @Setting(
    "Added to the time, such as -1m if the message has the end of a bar and not its beginning.",
    in: .seconds(-31_622_400) ... .seconds(31_622_400))
  package var shift: Duration?
  @Setting("The length of its bars, such as 1m, if the messages do not have it.")
  package var length: BarLength?
  @Setting("The words for the side that took the liquidity.")
  package var sides: SideWords?
  @Setting("How sale conditions are written: words as stockbus writes them, or the codes of cta, utp, lean or massive.")
  package var conditionCodes: ConditionCodes?
  @Setting("The meaning of codes that are not among those, or that mean something else: { X: contingent }.")
  package var conditions: Mapping<TradeCondition>?
  @Setting("The sign of the size is the side: above zero a buyer took the liquidity.")
  package var signed: Bool?
  @Setting("The sequence number, by which lost messages are detected.")
  package var sequence: SequenceRule?
  @Setting(
    "Values to keep for later messages: 'id' is the path of the id in those messages, every other name the path of a value for @name.")
  package var remember: Mapping<ValuePath>?
  @Setting("The paths of the text of an error; the first that exists is used.")
  package var text: [ValuePath]?

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if let role, role != .data, event != nil { problems.add("a message with an 'event' is data, not \(role.optionText)", at: "role") }
    if role == .data, event == nil { problems.add("data needs an 'event'", at: "role") }
    if length != nil, let event, event != .bar { problems.add("'length' is for bars, not for a \(event.rawValue)", at: "length") }
    if let remember, remember["id"] == nil { problems.add("'remember' needs an 'id'", at: "remember") }
    if signed == true, sides != nil { problems.add("either 'sides' or 'signed', not both", at: "signed") }
    for (name, mapping) in [("when", when), ("only", only)] {
      for entry in mapping?.entries ?? [] where ValuePath(entry.name) == nil {
        problems.add("'\(name)': '\(visible(entry.name))' is not a path such as data.p or [1][0]", at: name)
      }
    }
  }

  /// This rule, completed from `base`.
  func over(_ base: MessageRule) -> MessageRule {
    var rule = self
    rule.when = when ?? base.when
    rule.role = role ?? (event == nil ? base.role : nil)
    rule.event = event ?? (role == nil || role == .data ? base.event : nil)
    rule.each = each ?? base.each
    rule.only = only ?? base.only
    rule.fields = fields.map { own in base.fields.map { own.over($0) } ?? own } ?? base.fields
    rule.time = time ?? base.time
    rule.priceScale = priceScale ?? base.priceScale
    rule.sizeScale = sizeScale ?? base.sizeScale
    rule.shift = shift ?? base.shift
    rule.length = length ?? base.length
    rule.sides = sides ?? base.sides
    rule.conditionCodes = conditionCodes ?? base.conditionCodes
    rule.conditions = conditions ?? base.conditions
    rule.signed = signed ?? base.signed
    rule.sequence = sequence ?? base.sequence
    rule.remember = remember ?? base.remember
    rule.text = text ?? base.text
    return rule
  }
}

/// The paths of an event's values. A trade needs symbol and price; a quote symbol, bid and ask; a bar symbol and its four prices. An event
/// of a message without a time gets the time at which the message was received.
package struct FieldPaths: Options {
  @Setting("The instrument.") package var symbol: ValuePath?
  @Setting("When it happened, or when the bar begins.") package var time: ValuePath?
  @Setting("A trade's price.") package var price: ValuePath?
  @Setting("A trade's size.") package var size: ValuePath?
  @Setting("The side that took the liquidity.") package var side: ValuePath?
  @Setting("A trade's sale conditions: a text, a number, or a list of them.") package var condition: ValuePath?
  @Setting("A quote's bid.") package var bid: ValuePath?
  @Setting("A quote's ask.") package var ask: ValuePath?
  @Setting("Units wanted at the bid.") package var bidSize: ValuePath?
  @Setting("Units offered at the ask.") package var askSize: ValuePath?
  @Setting("A bar's first price.") package var open: ValuePath?
  @Setting("A bar's highest price.") package var high: ValuePath?
  @Setting("A bar's lowest price.") package var low: ValuePath?
  @Setting("A bar's last price.") package var close: ValuePath?
  @Setting("Units traded in a bar.") package var volume: ValuePath?
  @Setting("A bar's length: a text such as 1m.") package var length: ValuePath?

  package init() {}

  init(
    symbol: ValuePath?, time: ValuePath?, price: ValuePath? = nil, size: ValuePath? = nil, side: ValuePath? = nil,
    condition: ValuePath? = nil, bid: ValuePath? = nil, ask: ValuePath? = nil, bidSize: ValuePath? = nil, askSize: ValuePath? = nil,
    open: ValuePath? = nil, high: ValuePath? = nil, low: ValuePath? = nil, close: ValuePath? = nil, volume: ValuePath? = nil,
    length: ValuePath? = nil
  ) {
    (self.symbol, self.time, self.price, self.size, self.side, self.condition) = (symbol, time, price, size, side, condition)
    (self.bid, self.ask, self.bidSize, self.askSize) = (bid, ask, bidSize, askSize)
    (self.open, self.high, self.low, self.close, self.volume, self.length) = (open, high, low, close, volume, length)
  }

  func over(_ base: FieldPaths) -> FieldPaths {
    FieldPaths(
      symbol: symbol ?? base.symbol, time: time ?? base.time, price: price ?? base.price, size: size ?? base.size,
      side: side ?? base.side, condition: condition ?? base.condition, bid: bid ?? base.bid, ask: ask ?? base.ask,
      bidSize: bidSize ?? base.bidSize, askSize: askSize ?? base.askSize, open: open ?? base.open, high: high ?? base.high,
      low: low ?? base.low, close: close ?? base.close, volume: volume ?? base.volume,
      length: length ?? base.length)
  }
}

/// A venue's words for sides; by default `buy`, `b`, `sell` and `s` in any case.
package struct SideWords: Options {
  @Setting("A buyer took the liquidity. If a venue gives the maker's side, write its word for a seller here.")
  package var buy: [String] = []
  @Setting("A seller took the liquidity.")
  package var sell: [String] = []
  @Setting("The side is unknown.")
  package var unknown: [String] = []

  package init() {}

  package var pairs: [(word: String, side: Side)] {
    buy.map { ($0, .buy) } + sell.map { ($0, .sell) } + unknown.map { ($0, .unknown) }
  }
}

/// A sequence number of a venue.
package struct SequenceRule: Options {
  /// The rule by which a sequence number follows the previous one.
  package enum Step: String, Choice, BitwiseCopyable {
    /// One more each time; any other number is a gap.
    case next
    /// The same as the last number, or one more, as after a new subscription.
    case resume
    /// Any larger number; only a number that is not larger is reported.
    case rising
  }
  /// The scope of a count.
  package enum Scope: String, Choice {
    /// Each symbol; the count continues after a reconnection.
    case symbol
    /// The connection; the count starts again with each connection.
    case connection
  }
  @Setting(
    "The path of the sequence number, a whole number or a text with one. A path from the root ($.) reads one number a message, any other path one an item."
  )
  package var path: ValuePath
  @Setting(
    "How a number follows the one before. next: it is one more; resume: the same or one more; rising: any larger one. Anything else is reported."
  ) package var step = Step.next
  @Setting("What has a sequence of its own: each symbol, or the connection.") package var per = Scope.symbol
  @Setting("Kinds of messages with the same name here share one sequence; by default each kind has its own.") package var series: String?

  package init() {}

  package init(_ path: ValuePath, step: Step = .next, per: Scope = .symbol, series: String? = nil) {
    self.path = path
    self.step = step
    self.per = per
    self.series = series
  }
}
