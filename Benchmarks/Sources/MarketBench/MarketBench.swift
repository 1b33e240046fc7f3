internal import Measuring
internal import StockbusConfig
internal import StockbusPlugin

/// `MarketBench bars|movers|columns|laps|broker|history|history-reads …`: sends events through one of the plugins that remember, on one thread, and
/// prints a line of JSON with the processor's seconds. Every work compares its result with what it has to be, or prints sums of it for the runner to compare.
@main
struct MarketBench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    var numbers = arguments.dropFirst().compactMap { Int($0) }[...]
    func next() throws -> Int {
      guard let number = numbers.popFirst(), number > 0 else { throw HotPathError(usage) }
      return number
    }
    let words = arguments.dropFirst().filter { Int($0) == nil }
    switch arguments.first {
    case "bars": try await bars(next())
    case "movers": try await movers(next(), symbols: next(), options: words.first ?? "{}", jumps: words.contains("random"))
    case "columns": try await columns(words.first ?? "", next())
    case "laps": try await laps(words.first ?? "", next())
    case "broker": try await broker(quotes: next(), orders: next(), trails: words.contains("trails"), told: words.contains("told"))
    case "history":
      guard let path = words.first else { throw HotPathError(usage) }
      try await history(next(), symbols: next(), path: path)
    case "history-reads":
      guard let path = words.first else { throw HotPathError(usage) }
      try await historyReads(next(), length: next(), symbols: next(), path: path)
    default: throw HotPathError(usage)
    }
  }

  private static let usage = """
    usage: MarketBench bars TRADES
           MarketBench movers UPDATES SYMBOLS OPTIONS [random]
           MarketBench columns as_of|derive|dedupe|rank TRADES
           MarketBench laps pass|pass-plain|derive|sample TRADES
           MarketBench broker QUOTES ORDERS [trails] [told]
           MarketBench history BARS SYMBOLS FILE
           MarketBench history-reads BARS NANOSECONDS SYMBOLS FILE
    """
}

/// The processor's seconds that `work` takes.
func seconds(_ work: () async throws -> Void) async rethrows -> Double {
  let began = processorNanoseconds()
  try await work()
  return Double(processorNanoseconds() - began) / 1e9
}

extension Subject {
  /// - Parameter options: as in a configuration.
  init(_ plugin: Plugin, options: String, reading inputs: [any AnyTopic] = [], outputCapacity: Int = 1 << 13) throws {
    try self.init(plugin, YAMLParser.node(options), reading: inputs, outputCapacity: outputCapacity)
  }

  /// Attaches a reader, before the events come, for `results`.
  func reader<E: Event>(of _: E.Type) throws -> Inlet<E> {
    guard let topic = slot.output as? Topic<E> else { throw HotPathError("it gives no \(E.eventName)") }
    return topic.attach(Parker())
  }
}

extension Inlet {
  /// Gives everything that was published to `body`, once the topic has ended.
  func results(_ body: (E) -> Void) {
    while case let batch = nextBatch(limit: 1024), batch.count > 0 {
      begin(batch.count)
      for event in batch { body(event) }
      finish(batch.count)
    }
  }
}
