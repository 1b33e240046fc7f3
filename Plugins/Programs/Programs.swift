public import StockbusPlugin

extension Plugin {
  /// A program that makes events.
  public static let programSource = Plugin(
    "program_source", "Runs your own program, in any language, and publishes the events that it creates.", ProgramSourcePlugin.self,
    emitting: "emits", hot: [.source(ProgramSource<Trade>.self), .source(ProgramSource<Quote>.self), .source(ProgramSource<Bar>.self)]
  ).example("run: [python3, mine.py]")

  /// A program that turns events into events.
  public static let programProcessor = Plugin(
    "program_processor", "Runs your own program, in any language, as a processor of events; each is processed exactly once.",
    ProgramProcessorPlugin.self, hot: [], emits: "the type that it takes, or that of 'emits'"
  ).choosing(by: "emits") { types, options in
    guard let input = types.input else { return nil }
    let output = types.named ?? input
    return processor(input, output, options?.word("protocol") == ProgramProtocol.lines.rawValue)
  }.example("run: [python3, mine.py]")

  /// A program that consumes events.
  public static let programSink = Plugin(
    "program_sink", "Passes events to your own program, in any language.", ProgramSinkPlugin.self,
    hot: [.sink(ProgramSink<Trade>.self), .sink(ProgramSink<Quote>.self)]
  ).example("run: [python3, mine.py]")

  /// In a program of plain lines nothing shows which lines belong to which event: it is a relay, whose output is like a source's.
  private static func processor<Input: Event, Output: Event>(_: Input.Type, _: Output.Type, _ isPlain: Bool) -> Blueprint {
    isPlain ? .relay(PlainProcessor<Input, Output>.self) : .asyncProcessor(ProgramProcessor<Input, Output>.self)
  }
}

enum ProgramSourcePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .source(ProgramSource<E>.self) }
}

enum ProgramProcessorPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .asyncProcessor(ProgramProcessor<E, E>.self) }
}

enum ProgramSinkPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(ProgramSink<E>.self) }
}
