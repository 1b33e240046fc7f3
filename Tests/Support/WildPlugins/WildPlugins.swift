import Foundation
import Stockbus
import StockbusPlugin

/// A program with plugins that do what no plugin should, for tests that run them in processes of their own.
@main struct WildPlugins {
  static func main() async {
    await Stockbus.main(plugins: .builtIn + [.wild, .wildSource, .passThrough], name: "wild")
  }
}

extension Plugin {
  static let wild = Plugin("wild", "Passes trades on, until it does something that it should not.", .processor(Wild.self))
  static let wildSource = Plugin("wild_source", "Counts, until it does something that it should not.", .source(WildSource.self))
}

enum Deed: String, Choice {
  case none, trap, hang, exit, `throw`, flood, print, fork, memory, lose, note
}

struct WildSettings: Options {
  @Setting("What it does.") var deed = Deed.none
  @Setting("At the event of this size.") var at = 0
  @Setting("Does it at the start, at the end, or at an event.") var when = When.event
  @Setting("Remembers how far it is.") var remembers = false
  init() {}
}

enum When: String, Choice {
  case start, event, drain, stop
}

actor Wild: Processor, CommandableComponent {
  static let commands = [CommandInfo("count", "Says how many it has passed on."), CommandInfo("refuse WHY", "Refuses.")]
  private let settings: WildSettings
  private let context: Context
  private var count = 0

  init(_ settings: WildSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  static func columns(_: WildSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  func start() async throws { if settings.when == .start { try settings.deed.act(context) } }

  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) throws {
    for i in events.indices {
      if settings.when == .event, events[i].size == Quantity(raw: Int64(settings.at) * 1_000_000_000) { try settings.deed.act(context) }
      output.pass(events, i)
      count += 1
      if settings.remembers { context.remember(count, MemoryKey("count", whenOptionsChange: .keep)) }
    }
  }

  func drain(into output: inout Outlet<Trade>) throws { if settings.when == .drain { try settings.deed.act(context) } }

  func stop() async { if settings.when == .stop { try? settings.deed.act(context) } }

  func perform(_ command: Command) throws(CommandError) -> String {
    if command.verb == "refuse" { throw CommandError("no: \(command.arguments.joined(separator: "+"))") }
    return "\(count) passed on"
  }
}

struct WildSourceSettings: Options {
  @SettingGroup var wild = WildSettings()
  @Setting("How many.") var count = 1000
  @Setting("Numbers them in a column.") var numbers = false
  init() {}
}

actor WildSource: Source {
  private let settings: WildSourceSettings
  private let context: Context
  init(_ settings: WildSourceSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  static func columns(_ settings: WildSourceSettings, reading _: ColumnLayout) -> ColumnLayout {
    ColumnLayout(settings.numbers ? [ColumnInfo("number", .number)] : [])
  }

  func run(into output: inout Outlet<Trade>) async throws {
    let number = output.column("number")
    for i in 1...max(1, settings.count) {
      if settings.wild.when == .event, i == settings.wild.at {
        try await output.flush()
        try settings.wild.deed.act(context)
      }
      if settings.wild.remembers { context.remember(i, MemoryKey("place", whenOptionsChange: .keep)) }
      let time = Timestamp(ns: Int64(i))
      let trade = Trade(
        symbol: "A", price: Price(raw: 1_000_000_000), size: Quantity(raw: Int64(i) * 1_000_000_000), time: time, received: time,
        side: .buy, priceDecimals: 0, sizeDecimals: 0)
      guard let number else {
        try await output.publish(trade)
        continue
      }
      output.send(trade)
      output.set(number, i % 3 == 0 ? nil : Int64(i) * 1_000_000_000)
      try await output.flush()
    }
  }
}

private struct Thrown: Error, CustomStringConvertible { var description: String { "it was thrown" } }

extension Deed {
  func act(_ context: Context) throws {
    switch self {
    case .none: break
    case .trap: fatalError("it traps")
    case .hang: while true { usleep(1_000_000) }
    case .exit: Foundation.exit(3)
    case .throw: throw Thrown()
    case .flood: for i in 0..<5000 { FileHandle.standardError.write(Data("flood \(i)\n".utf8)) }
    case .print: Swift.print("what it prints is no message")
    case .fork:
      let child = Process()
      child.executableURL = URL(filePath: "/bin/sleep")
      child.arguments = ["1000"]
      try child.run()
      FileHandle.standardError.write(Data("forked \(child.processIdentifier)\n".utf8))
    case .memory:
      var kept: [[UInt8]] = []
      while true { kept.append([UInt8](repeating: 1, count: 64 << 20)) }
    case .lose: context.lose(3, "the disk is full")
    case .note: context.note("it was here")
    }
  }
}
