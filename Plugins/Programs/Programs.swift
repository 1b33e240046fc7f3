public import StockbusPlugin

extension Plugin {
  /// A program that makes events.
  public static let programSource = Plugin(
    "program_source", "Runs your own program, in any language, and publishes the events that it creates.", option: "emits",
    variants: [
      "trade": .source(ProgramSource<Trade>.self), "quote": .source(ProgramSource<Quote>.self), "bar": .source(ProgramSource<Bar>.self),
      "ranked": .source(ProgramSource<Ranked>.self), "mover": .source(ProgramSource<Mover>.self),
      "alert": .source(ProgramSource<Alert>.self), "order": .source(ProgramSource<Order>.self),
      "fill": .source(ProgramSource<Fill>.self), "position": .source(ProgramSource<Position>.self),
      "account": .source(ProgramSource<AccountState>.self),
    ])

  /// A program that turns events into events.
  public static let programProcessor = Plugin(
    "program_processor", "Runs your own program, in any language, as a processor of events; each is processed exactly once.",
    emits: "the type that it takes, or that of 'emits'", example: .asyncProcessor(ProgramProcessor<Trade, Trade>.self),
    bind: { type, options in bind(type, options) })

  /// A program that consumes events.
  public static let programSink = Plugin(
    "program_sink", "Passes events to your own program, in any language.", ProgramSinkPlugin.self,
    hot: [.sink(ProgramSink<Trade>.self), .sink(ProgramSink<Quote>.self)])

  private static func bind<E: Event>(_: E.Type, _ options: ConfigNode?) -> Blueprint {
    var emits: ProgramEvent?
    if case .scalar(let word) = options?["emits"]?.value { emits = ProgramEvent(rawValue: word) }
    var isPlain = false
    if case .scalar(let word) = options?["protocol"]?.value { isPlain = word == ProgramProtocol.lines.rawValue }
    return switch emits {
    case nil: processor(E.self, E.self, isPlain)
    case .trade: processor(E.self, Trade.self, isPlain)
    case .quote: processor(E.self, Quote.self, isPlain)
    case .bar: processor(E.self, Bar.self, isPlain)
    case .ranked: processor(E.self, Ranked.self, isPlain)
    case .mover: processor(E.self, Mover.self, isPlain)
    case .alert: processor(E.self, Alert.self, isPlain)
    case .order: processor(E.self, Order.self, isPlain)
    case .fill: processor(E.self, Fill.self, isPlain)
    case .position: processor(E.self, Position.self, isPlain)
    case .account: processor(E.self, AccountState.self, isPlain)
    }
  }

  /// In a program of plain lines nothing shows which lines belong to which event: it is a relay, whose output is like a source's.
  private static func processor<Input: Event, Output: Event>(_: Input.Type, _: Output.Type, _ isPlain: Bool) -> Blueprint {
    isPlain ? .relay(PlainProcessor<Input, Output>.self) : .asyncProcessor(ProgramProcessor<Input, Output>.self)
  }
}

enum ProgramSinkPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(ProgramSink<E>.self) }
}
