import Foundation
public import StockbusPlugin

extension Plugin {
  public static let extremes = Plugin(
    "extremes", "Keeps the lowest and the highest price of each symbol in a file.", .sink(Extremes.self))
}

public struct ExtremesSettings: Options {
  @Setting("The file, which is replaced each time; its folder must exist.")
  public var path: String
  @Setting("How often the file is written.", in: .milliseconds(100) ... .seconds(86_400))
  public var every = Duration.seconds(10)
  public init() {}

  /// Nothing else in the run may read or write the file.
  public var files: [FileUse] { [.writing(path, at: "path")] }
}

public actor Extremes: Sink, BackgroundComponent {
  private let settings: ExtremesSettings
  private let context: Context
  private var ranges: [Symbol: ClosedRange<Price>]
  private var isWritten = true

  public init(_ settings: ExtremesSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    ranges = context.recall(Self.rangesKey) ?? [:]
  }

  public func receive(_ trades: Span<Trade>) {
    for i in trades.indices where trades[i].condition.countsForLast {
      let trade = trades[i]
      guard let range = ranges[trade.symbol] else {
        ranges[trade.symbol] = trade.price...trade.price
        continue
      }
      ranges[trade.symbol] = min(range.lowerBound, trade.price)...max(range.upperBound, trade.price)
    }
    isWritten = false
    context.remember(ranges, Self.rangesKey)
  }

  private static var rangesKey: MemoryKey<[Symbol: ClosedRange<Price>]> { MemoryKey("ranges", whenOptionsChange: .keep) }

  public func background() async {
    var next = context.clock.uptime + settings.every
    while (try? await context.clock.sleep(until: next)) != nil {
      next += settings.every
      if isWritten { continue }
      // What cannot be written now is in memory, and is tried again.
      do {
        try write()
        context.report(trouble: nil)
      } catch { context.report(trouble: "\(settings.path) cannot be written") }
    }
  }

  public func drain() throws {
    do { try write() } catch { throw EnvironmentFailure("\(settings.path) cannot be written", isPermanent: true) }
  }

  /// The next instance has the ranges, and writes them.
  public func handOver() {}

  private func write() throws {
    let lines = ranges.map { "\($0.key),\($0.value.lowerBound),\($0.value.upperBound)\n" }.sorted()
    try Data(("symbol,low,high\n" + lines.joined()).utf8).write(to: URL(filePath: settings.path), options: .atomic)
    isWritten = true
  }

  /// Files block, so it has a thread of its own.
  private let executor = BlockingExecutor(label: "extremes")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
