import EventBus
import MarketData
import StockbusConfig
import StockbusPlugin

extension Plugin {
  /// Follows a recording that stands in for a source which knows its symbols; a configuration cannot name it.
  static let symbolGate = Plugin(
    "symbol_gate", "Passes the events of the symbols that a source has.", SymbolGatePlugin.self,
    hot: [.processor(SymbolGate<Trade>.self), .processor(SymbolGate<Quote>.self), .processor(SymbolGate<Bar>.self)])
}

enum SymbolGatePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(SymbolGate<E>.self) }
}

struct SymbolGateSettings: Options {
  @Setting("The symbols that pass.") var symbols: [Symbol] = []
}

/// Passes the events of some symbols, and notes how many symbols it has left out.
actor SymbolGate<E: Event>: Processor {
  typealias Input = E
  typealias Output = E

  private let context: Context
  /// By symbol handle: 0 does not pass and has not come, 1 has come and does not, 2 passes.
  private var verdicts: [UInt8] = []
  private var leftOut: [Symbol] = []

  init(_ settings: SymbolGateSettings, _ context: Context) {
    self.context = context
    for symbol in settings.symbols {
      verdicts.grow(toHold: Int(symbol.id), filling: 0)
      verdicts[Int(symbol.id)] = 2
    }
  }

  func process(_ events: Span<E>, into output: inout Outlet<E>) {
    var filtered = 0
    for i in events.indices {
      if passes(E.schema.symbol(of: events[i])) { output.send(events[i]) } else { filtered += 1 }
    }
    output.filter(filtered)
  }

  private func passes(_ symbol: Symbol?) -> Bool {
    guard let symbol else { return true }
    verdicts.grow(toHold: Int(symbol.id), filling: 0)
    if verdicts[Int(symbol.id)] == 0 {
      verdicts[Int(symbol.id)] = 1
      leftOut.append(symbol)
    }
    return verdicts[Int(symbol.id)] == 2
  }

  func drain(into output: inout Outlet<E>) {
    if leftOut.isEmpty { return }
    let names = leftOut.map(\.description).sorted()
    let shown = names.count > 4 ? names.prefix(4) + ["\(names.count - 4) more"] : names[...]
    let count = names.count == 1 ? "1 symbol" : "\(names.count) symbols"
    context.note("left out \(count) of the recording that it does not have: \(listed(shown.map { visible($0) }))")
  }
}

extension PlannedNode {
  /// The end of the name of a recording with a gate behind it. It cannot clash with a name of a configuration, which contains no blank.
  static var recorded: String { " file" }

  /// A recording, and behind it a component of its name that passes these symbols only.
  func passing(_ symbols: [String]) throws -> [PlannedNode] {
    let mark = description?.idMark ?? ConfigNode.Mark(file: "--over", line: 1, column: 1)
    let list = ConfigNode(.list(symbols.map { ConfigNode(.scalar($0), at: mark, isQuoted: true) }), at: mark)
    guard let type = blueprint.output, let gate = Plugin.symbolGate.blueprint(for: [type], options: nil) else { return [self] }
    let recording = PlannedNode(
      id: id + Self.recorded, plugin: plugin, blueprint: blueprint, assembly: assembly, inputs: inputs,
      topic: Blueprint.TopicPlan(name: id + Self.recorded), supervision: supervision)
    return [
      recording,
      PlannedNode(
        id: id, plugin: .symbolGate, blueprint: gate,
        assembly: try gate.assembly(ConfigNode(.map([.init(key: "symbols", mark: mark, value: list)]), at: mark), at: mark),
        inputs: [PlannedEdge(from: recording.id)], topic: topic, supervision: supervision, description: description, place: place),
    ]
  }
}
