package import StockbusPlugin

/// How to communicate with a venue, and how to decode its messages into events. A component has the spec as its option `decoding`, beside
/// `preset`, which supplies the keys that are not written.
package struct DecodingSpec: Options {
  @Setting("The address; {credentials.NAME} is replaced.", length: 1...)
  package var url: String?
  @Setting("Keys and tokens by name, for {credentials.NAME} in the messages and the url.")
  package var credentials: Mapping<Secret>?
  @Setting("How the venue writes symbols.")
  package var symbol: SymbolForm?
  @Setting("Login messages, sent in order before any subscription.")
  package var authenticate: [Secret]?
  @Setting("Subscription messages, sent in order.")
  package var subscribe: [SubscriptionRule]?
  @Setting("The channels of each type of event; they replace {channel} and {channels}.")
  package var channels: EventChannels?
  @Setting("The shortest time between two messages to the venue.", in: .zero ... .seconds(60))
  package var pace: Duration?
  @Setting("A keep-alive message to send at an interval, if the venue expects one.")
  package var keepalive: Keepalive?
  @Setting("The longest time without any message on the connection.", in: .milliseconds(100) ... .seconds(86_400))
  package var silence: Duration?
  @Setting("Reads messages inside this path, if they have it.")
  package var unwrap: ValuePath?
  @Setting("Reads a message that is a list as several messages.")
  package var split: Bool?
  @Setting("The path of the id in later messages under which an earlier message was remembered, such as [0].")
  package var recall: ValuePath?
  @Setting("The sequence number of all messages of the connection; gaps in it are reported.")
  package var sequence: SequenceRule?
  @Setting(
    "Messages with exactly these texts are skipped and counted as heartbeats: ignore: [pong], if a venue sends texts that are not JSON.",
    count: 0...64)
  package var ignore: [String]?
  @Setting("How times are written.")
  package var time: VenueTime?
  @Setting("Prices are divided by it, exactly: with 10000 the message's 138300 is 13.83.", in: 1...1_000_000_000)
  package var priceScale: Int?
  @Setting(
    "Sizes are divided by it, exactly; without it sizes beyond 9,223,372,036 become 0 and are counted as unfit.", in: 1...1_000_000_000)
  package var sizeScale: Int?
  @Setting(
    "Prices with more than nine decimals: reject (the message is malformed) or round (to nine, unless that gives 0). Sizes are cut after the ninth decimal, and counted."
  )
  package var finerPrices: FinerPrices?
  @Setting(
    "The kinds of messages by name, tried in order; those of the preset follow the ones given here, and one with the same name changes that of the preset."
  )
  package var messages: Mapping<MessageRule>?
  @Setting(
    "How missed trades are fetched from the venue's REST, by the name of their kind, or of the 'series' of its numbers; for 'gaps: fill'."
  )
  package var fill: Mapping<FillSpec>?

  package init() {}

  /// This spec, completed from `base`.
  package func over(_ base: DecodingSpec) -> DecodingSpec {
    var spec = self
    spec.url = url ?? base.url
    spec.credentials = credentials ?? base.credentials
    spec.symbol = symbol.map { own in base.symbol.map { own.over($0) } ?? own } ?? base.symbol
    spec.authenticate = authenticate ?? base.authenticate
    spec.subscribe = subscribe ?? base.subscribe
    spec.channels = channels.map { own in base.channels.map { own.over($0) } ?? own } ?? base.channels
    spec.pace = pace ?? base.pace
    spec.keepalive = keepalive ?? base.keepalive
    spec.silence = silence ?? base.silence
    spec.unwrap = unwrap ?? base.unwrap
    spec.split = split ?? base.split
    spec.recall = recall ?? base.recall
    spec.sequence = sequence ?? base.sequence
    spec.ignore = ignore ?? base.ignore
    spec.time = time ?? base.time
    spec.priceScale = priceScale ?? base.priceScale
    spec.sizeScale = sizeScale ?? base.sizeScale
    spec.finerPrices = finerPrices ?? base.finerPrices
    spec.messages = Self.entries(messages, over: base.messages) { $0.over($1) }
    spec.fill = Self.entries(fill, over: base.fill) { $0.over($1) }
    return spec
  }

  /// The entries of `own`, and after them those of `base`, of which each is completed where `own` has its name.
  static func entries<Value>(
    _ own: Mapping<Value>?, over base: Mapping<Value>?, _ complete: (Value, Value) -> Value
  ) -> Mapping<Value>? {
    guard let own, let base else { return own ?? base }
    let fresh = own.entries.filter { base[$0.name] == nil }
    return Mapping(
      unique: fresh + base.entries.map { entry in (entry.name, own[entry.name].map { complete($0, entry.value) } ?? entry.value) })
  }
}

/// How prices finer than a billionth are treated.
package enum FinerPrices: String, Choice {
  /// The row or message is malformed.
  case reject
  /// The price is rounded to the nearest billionth, unless that is 0.
  case round
}

/// How a venue writes symbols: `BTC-USD` in a configuration may be `tBTCUSD` there.
package struct SymbolForm: Options {
  /// The case of letters.
  package enum Letters: String, Choice {
    /// Unchanged.
    case kept
    case upper, lower
  }
  @Setting("The venue's name, with {symbol}, or with {base} and {quote}: the parts of a symbol before and after -, /, _ or :.")
  package var template: String?
  @Setting("Whether it has upper-case or lower-case letters.")
  package var letters: Letters?
  @Setting("Currencies that the venue names differently: BTC: XBT.")
  package var rename: Mapping<String>?

  package init() {}

  package init(template: String, letters: Letters? = nil, rename: Mapping<String>? = nil) {
    self.template = template
    self.letters = letters
    self.rename = rename
  }

  package func validate(_ problems: inout OptionProblems) {
    if let template, let fault = SymbolTemplate.fault(template) { problems.add("'template': \(fault)", at: "template") }
  }

  func over(_ base: SymbolForm) -> SymbolForm {
    var form = self
    form.template = template ?? base.template
    form.letters = letters ?? base.letters
    form.rename = rename ?? base.rename
    return form
  }
}

/// The names of channels by the kind of event that they carry.
package struct EventChannels: Options {
  @Setting("Channels of trades.") package var trade: [String]?
  @Setting("Channels of quotes.") package var quote: [String]?
  @Setting("Channels of bars.") package var bar: [String]?

  package init() {}

  package init(trade: [String]? = nil, quote: [String]? = nil, bar: [String]? = nil) {
    self.trade = trade
    self.quote = quote
    self.bar = bar
  }

  package subscript(kind: EventKind) -> [String]? {
    switch kind {
    case .trade: trade
    case .quote: quote
    case .bar: bar
    }
  }

  func over(_ base: EventChannels) -> EventChannels {
    EventChannels(trade: trade ?? base.trade, quote: quote ?? base.quote, bar: bar ?? base.bar)
  }
}

/// A message that subscribes. With {symbol} it is sent for each symbol, with {symbols} or {items} for groups of `chunk` symbols, with
/// {channel} for each channel, and otherwise once.
package struct SubscriptionRule: Options {
  @Setting(
    "The text, with {symbol}, {channel}, {symbols} and {channels} (lists), {items} (a list with an 'item' for each of them), {id} (1, 2, 3…) or {credentials.NAME}; ':lower' and ':upper' change letters, as in {symbol:lower}, and ':comma' makes a list one text: {items:comma}.",
    length: 1...)
  package var message: String
  @Setting("The items of {items}, such as {symbol:lower}@{channel}.")
  package var item: String?
  @Setting("The most symbols in one message.", in: 1...10_000)
  package var chunk = 100

  package init() {}

  package init(_ message: String, item: String? = nil, chunk: Int = 100) {
    self.message = message
    self.item = item
    self.chunk = chunk
  }

  package func validate(_ problems: inout OptionProblems) {
    for fault in MessageTemplate.faults(message, item: item) { problems.add("'message': \(fault)", at: "message") }
    if let item {
      for fault in MessageTemplate.faults(item: item) { problems.add("'item': \(fault)", at: "item") }
    }
  }
}

/// A message that keeps a connection open.
package struct Keepalive: Options {
  @Setting("The text; {id} is 1, 2, 3 and so on.", length: 1...) package var message: String
  @Setting("The interval.", in: .seconds(1) ... .seconds(86_400)) public var every = Duration.seconds(30)

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    for fault in MessageTemplate.faults(keepalive: message) { problems.add("'message': \(fault)", at: "message") }
  }

  package init(_ message: String, every: Duration) {
    self.message = message
    self.every = every
  }
}
