import EventBus
import MarketData
import StockbusConfig
import StockbusPlugin

extension Plugin {
  /// Follows a recording that stands in for a source; a configuration cannot name it.
  static let recordingGate = Plugin(
    "recording_gate", "Passes the events of a recording that its source would have had.", RecordingGatePlugin.self,
    hot: [.processor(RecordingGate<Trade>.self), .processor(RecordingGate<Quote>.self), .processor(RecordingGate<Bar>.self)])
}

enum RecordingGatePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(RecordingGate<E>.self) }
}

struct RecordingGateSettings: Options {
  @Setting("The symbols that pass; all if there are none.") var symbols: [Symbol] = []
  @Setting("Whether the end of the recording is remembered, for a source that goes on behind it.") var keepsEnd = false
}

/// Passes the events of some symbols or of all, notes how many symbols it has left out, and remembers where the recording has ended.
actor RecordingGate<E: Event>: Processor {
  typealias Input = E
  typealias Output = E

  private let context: Context
  private let passesAll: Bool
  private let keepsEnd: Bool
  /// By symbol handle: 0 does not pass and has not come, 1 has come and does not, 2 passes.
  private var verdicts: [UInt8] = []
  private var leftOut: [Symbol] = []
  /// By symbol handle: the newest time, and how many events had it.
  private var ends: [(time: Timestamp, count: Int)] = []

  init(_ settings: RecordingGateSettings, _ context: Context) {
    self.context = context
    passesAll = settings.symbols.isEmpty
    keepsEnd = settings.keepsEnd
    for symbol in settings.symbols {
      verdicts.grow(toHold: Int(symbol.id), filling: 0)
      verdicts[Int(symbol.id)] = 2
    }
  }

  func process(_ events: Span<E>, into output: inout Outlet<E>) {
    if passesAll {
      output.send(contentsOf: events)
      if keepsEnd { for i in events.indices { note(events[i]) } }
      return
    }
    var filtered = 0
    for i in events.indices {
      if passes(E.schema.symbol(of: events[i])) {
        output.send(events[i])
        if keepsEnd { note(events[i]) }
      } else {
        filtered += 1
      }
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

  func note(_ event: E) {
    // Another one of its time follows a part of a bar.
    if let bar = event as? Bar, bar.status == .partial { return }
    guard let symbol = E.schema.symbol(of: event) else { return }
    let (id, time) = (Int(symbol.id), E.schema.time(of: event))
    ends.grow(toHold: id, filling: (Timestamp(ns: .min), 0))
    if time > ends[id].time { ends[id] = (time, 1) } else if time == ends[id].time { ends[id].count += 1 }
  }

  func drain(into output: inout Outlet<E>) { noteLeftOut() }

  func handOver(into output: inout Outlet<E>) { noteLeftOut() }

  func stop() {
    if !keepsEnd { return }
    context.remember(
      PastEnd(
        symbols: ends.enumerated().filter { $1.count > 0 }.map { .init(symbol: Symbol(id: UInt32($0)), time: $1.time, count: $1.count) }),
      PastEnd.memory)
  }

  private func noteLeftOut() {
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

  /// A recording, and behind it a component of its name that passes these symbols only, or all if there are none.
  func passing(_ symbols: [String], keepsEnd: Bool) throws -> [PlannedNode] {
    let mark = description?.idMark ?? ConfigNode.Mark(file: "--over", line: 1, column: 1)
    func word(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: mark, isQuoted: true) }
    var options = [ConfigNode.Entry(key: "symbols", mark: mark, value: ConfigNode(.list(symbols.map(word)), at: mark))]
    if keepsEnd { options.append(.init(key: "keeps_end", mark: mark, value: ConfigNode(.scalar("true"), at: mark))) }
    guard let type = blueprint.output, let gate = Plugin.recordingGate.blueprint(for: [type], options: nil) else { return [self] }
    let recording = PlannedNode(
      id: id + Self.recorded, plugin: plugin, blueprint: blueprint, assembly: assembly, inputs: inputs,
      topic: Blueprint.TopicPlan(name: id + Self.recorded), supervision: supervision)
    return [
      recording,
      PlannedNode(
        id: id, plugin: .recordingGate, blueprint: gate, assembly: try gate.assembly(ConfigNode(.map(options), at: mark), at: mark),
        inputs: [PlannedEdge(from: recording.id)], topic: topic, supervision: supervision, description: description, place: place),
    ]
  }
}
