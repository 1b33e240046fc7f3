public import StockbusPlugin

/// The role of a kind of message.
public enum MessageRole: String, Choice, BitwiseCopyable {
  /// Carries events.
  case data
  /// The venue has accepted a request, such as a subscription.
  case acknowledgement
  /// The venue has authenticated the client: subscriptions may follow.
  case authenticated
  /// The venue has refused something, with a reason.
  case error
  /// A sign that the connection is alive.
  case heartbeat
  /// Known, but not used.
  case other
}

/// The kind of event that a message becomes.
public enum EventKind: String, Choice {
  case trade, quote, bar
}

/// How a venue writes times.
public enum VenueTime: String, Choice {
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

/// One kind of message: how it is recognised, and what it becomes. Everything except `when` is optional.
public struct MessageRule: Options {
  @Setting("What its values have to be, by path; every path must fit, by one of its patterns.")
  public var when: Mapping<[ValuePattern]>?
  @Setting("What it is good for; without it data where there is an 'event', else other.")
  public var role: MessageRole?
  @Setting("What it becomes.")
  public var event: EventKind?
  @Setting(
    "The lists in it, from the outside in, whose items are one event each, or objects, whose values are; without it the message is one.")
  public var each: [ValuePath]?
  @Setting("What an item's values have to be; others are left out.")
  public var only: Mapping<[ValuePattern]>?
  @Setting("Where the event's values are.")
  public var fields: FieldPaths?
  @Setting("How its times are written, where they differ from the others'.")
  public var time: VenueTime?
  @Setting("What its prices are divided by, where that differs from the others'.", in: 1...1_000_000_000)
  public var priceScale: Int?
  @Setting("What its sizes are divided by, where that differs from the others'.", in: 1...1_000_000_000)
  public var sizeScale: Int?
  @Setting(
    "Added to the time, such as -1m where a bar's end is told and not its begin.", in: .seconds(-31_622_400) ... .seconds(31_622_400))
  public var shift: Duration?
  @Setting("The words for the side that took the liquidity.")
  public var sides: SideWords?
  @Setting("The size's sign is the side: above zero a buyer took the liquidity.")
  public var signed: Bool?
  @Setting("The number that tells whether one was lost.")
  public var sequence: SequenceRule?
  @Setting("What to keep for later messages: 'id' is the path of the number they carry, every other name the path of a value for @name.")
  public var remember: Mapping<ValuePath>?
  @Setting("Where the words of an error are, the first that is there.")
  public var text: [ValuePath]?

  public init() {}

  public func validate(_ problems: inout OptionProblems) {
    if let role, role != .data, event != nil { problems.add("a message with an 'event' is data, not \(role.optionText)", at: "role") }
    if role == .data, event == nil { problems.add("data needs an 'event'", at: "role") }
    if let remember, remember["id"] == nil { problems.add("'remember' needs an 'id'", at: "remember") }
    if signed == true, sides != nil { problems.add("either 'sides' or 'signed', not both", at: "signed") }
    for (name, mapping) in [("when", when), ("only", only)] {
      for entry in mapping?.entries ?? [] where ValuePath(entry.name) == nil {
        problems.add("'\(name)': '\(visible(entry.name))' is no path such as data.p or [1][0]", at: name)
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
    rule.sides = sides ?? base.sides
    rule.signed = signed ?? base.signed
    rule.sequence = sequence ?? base.sequence
    rule.remember = remember ?? base.remember
    rule.text = text ?? base.text
    return rule
  }
}

/// The paths of an event's values. A trade needs symbol and price; a quote symbol, bid and ask; a bar symbol and its four prices. A message
/// without a time counts at the time it was received.
public struct FieldPaths: Options {
  @Setting("The instrument.") public var symbol: ValuePath?
  @Setting("When it happened, or when the bar begins.") public var time: ValuePath?
  @Setting("A trade's price.") public var price: ValuePath?
  @Setting("A trade's size.") public var size: ValuePath?
  @Setting("The side that took the liquidity.") public var side: ValuePath?
  @Setting("A quote's bid.") public var bid: ValuePath?
  @Setting("A quote's ask.") public var ask: ValuePath?
  @Setting("Units wanted at the bid.") public var bidSize: ValuePath?
  @Setting("Units offered at the ask.") public var askSize: ValuePath?
  @Setting("A bar's first price.") public var open: ValuePath?
  @Setting("A bar's highest price.") public var high: ValuePath?
  @Setting("A bar's lowest price.") public var low: ValuePath?
  @Setting("A bar's last price.") public var close: ValuePath?
  @Setting("Units traded in a bar.") public var volume: ValuePath?

  public init() {}

  func over(_ base: FieldPaths) -> FieldPaths {
    var fields = self
    fields.symbol = symbol ?? base.symbol
    fields.time = time ?? base.time
    fields.price = price ?? base.price
    fields.size = size ?? base.size
    fields.side = side ?? base.side
    fields.bid = bid ?? base.bid
    fields.ask = ask ?? base.ask
    fields.bidSize = bidSize ?? base.bidSize
    fields.askSize = askSize ?? base.askSize
    fields.open = open ?? base.open
    fields.high = high ?? base.high
    fields.low = low ?? base.low
    fields.close = close ?? base.close
    fields.volume = volume ?? base.volume
    return fields
  }
}

/// A venue's words for sides; by default `buy`, `b`, `sell` and `s` in any case.
public struct SideWords: Options {
  @Setting("A buyer took the liquidity. Where a venue tells the maker's side, its word for a seller stands here.")
  public var buy: [String] = []
  @Setting("A seller took the liquidity.")
  public var sell: [String] = []
  @Setting("Nobody can tell.")
  public var unknown: [String] = []

  public init() {}
}

/// A sequence number of a venue.
public struct SequenceRule: Options {
  /// How the numbers continue.
  public enum Step: String, Choice, BitwiseCopyable {
    /// By one each time; anything else is a gap.
    case next
    /// The same as the last one, or one more, as after a new subscription.
    case resume
    /// By any amount upwards; only a number that is not larger is reported.
    case rising
  }
  /// The scope of a count.
  public enum Scope: String, Choice {
    /// Each symbol; it continues after a reconnection.
    case symbol
    /// The connection; it starts again with each connection.
    case connection
  }
  @Setting(
    "Where the number is; a whole number, or a text that writes one. From the message's root ($.) it counts once a message, however many items that has."
  )
  public var path: ValuePath
  @Setting("next: one more each time; resume: the last one again or one more; rising: more each time.") public var step = Step.next
  @Setting("Counted for each symbol, or for the connection.") public var per = Scope.symbol
  @Setting("Messages with the same name here are counted together; without it each kind by itself.") public var series: String?

  public init() {}

  public init(_ path: ValuePath, step: Step = .next, per: Scope = .symbol, series: String? = nil) {
    self.path = path
    self.step = step
    self.per = per
    self.series = series
  }
}
