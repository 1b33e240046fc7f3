public import StockbusPlugin

extension Plugin {
  /// A program that makes events.
  public static let programSource = Plugin(
    "program_source", "Runs a program of yours, in any language, and publishes the events that it makes.", option: "emits",
    variants: [
      "trade": .source(ProgramSource<Trade>.self), "quote": .source(ProgramSource<Quote>.self), "bar": .source(ProgramSource<Bar>.self),
      "ranked": .source(ProgramSource<Ranked>.self), "mover": .source(ProgramSource<Mover>.self),
      "alert": .source(ProgramSource<Alert>.self), "order": .source(ProgramSource<Order>.self),
      "fill": .source(ProgramSource<Fill>.self), "position": .source(ProgramSource<Position>.self),
      "account": .source(ProgramSource<AccountState>.self),
    ])

  /// A program that turns events into events.
  public static let programProcessor = Plugin(
    "program_processor", "Runs a program of yours, in any language, that turns events into events; each exactly once.",
    emits: "what it takes, or what 'emits' says", example: .asyncProcessor(ProgramProcessor<Trade, Trade>.self),
    bind: { type, options in bind(type, options) })

  /// A program that consumes events.
  public static let programSink = Plugin(
    "program_sink", "Gives events to a program of yours, in any language.", ProgramSinkPlugin.self,
    hot: [.sink(ProgramSink<Trade>.self), .sink(ProgramSink<Quote>.self)])

  private static func bind<E: Event>(_: E.Type, _ options: ConfigNode?) -> Blueprint {
    var emits: ProgramEvent?
    if case .scalar(let word) = options?["emits"]?.value { emits = ProgramEvent(rawValue: word) }
    return switch emits {
    case nil: .asyncProcessor(ProgramProcessor<E, E>.self)
    case .trade: .asyncProcessor(ProgramProcessor<E, Trade>.self)
    case .quote: .asyncProcessor(ProgramProcessor<E, Quote>.self)
    case .bar: .asyncProcessor(ProgramProcessor<E, Bar>.self)
    case .ranked: .asyncProcessor(ProgramProcessor<E, Ranked>.self)
    case .mover: .asyncProcessor(ProgramProcessor<E, Mover>.self)
    case .alert: .asyncProcessor(ProgramProcessor<E, Alert>.self)
    case .order: .asyncProcessor(ProgramProcessor<E, Order>.self)
    case .fill: .asyncProcessor(ProgramProcessor<E, Fill>.self)
    case .position: .asyncProcessor(ProgramProcessor<E, Position>.self)
    case .account: .asyncProcessor(ProgramProcessor<E, AccountState>.self)
    }
  }
}

enum ProgramSinkPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(ProgramSink<E>.self) }
}
