import Foundation
import Generator
import Logging
import MarketData
import NullSink
import SortingFeed
import StockbusConfig
import StockbusPlugin
@testable import StockbusRuntime
import StockbusTestKit
import Testing
import WatchlistFilter

@testable import StockbusControl

let catalogue = Catalogue([.generator, .sortingFeed, .watchlistFilter, .nullSink, .stubborn, .fuse, .papers])

extension Plugin {
  static let stubborn = Plugin("stubborn", "Does not start.", .sink(Stubborn.self))
  static let papers = Plugin("papers", "Writes files.", .sink(Papers.self))
  static let fuse = Plugin("fuse", "Fails at the fourth price.", .sink(Fuse.self))
}

/// A sink with two files, one of which is always found moved.
actor Papers: Sink, FileWritingComponent {
  struct Settings: Options { init() {} }

  init(_: Settings, _: Context) {}
  func receive(_: Span<Trade>) {}
  func renewFiles() -> [String] { ["a.csv"] }
}

/// A sink that cannot be started.
actor Stubborn: Sink {
  struct Settings: Options { init() {} }

  init(_: Settings, _: Context) {}
  func start() throws { throw EnvironmentFailure("the door is locked", isPermanent: true) }
  func receive(_: Span<Trade>) {}
}

/// A sink that fails long after it has started.
actor Fuse: Sink {
  struct Settings: Options { init() {} }

  private var received = 0

  init(_: Settings, _: Context) {}
  func receive(_ trades: Span<Trade>) throws {
    received += trades.count
    if received > 3 { throw EnvironmentFailure("it has blown", isPermanent: true) }
  }
}

func topology(_ text: String) throws(Problems) -> Topology {
  try Topology.check(ConfigLoader(environment: { _ in nil }).load(text: text), catalogue: catalogue)
}

/// A run that can be asked, on a socket in a folder of its own. Its three prices come once, and then none for an hour.
struct Asked {
  let folder = TemporaryFolder()
  let pipeline: Pipeline
  let control: RunControl
  let server: ControlServer
  let client: ControlClient
  private let running: Task<RunReport, Never>

  static let text = """
    sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
    processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
    sinks: { end: { plugin: null_sink, inputs: [ranked] } }
    """

  /// - Parameter isReadable: whether the configuration can be read again.
  init(_ text: String = Self.text, isReadable: Bool = true, port: ControlServer.Port? = nil) async throws {
    let path = folder.file("desk.yaml")
    try Data(text.utf8).write(to: URL(filePath: path))
    let source: ConfigReload.Source = { paths throws(Problems) in
      try Topology.check(ConfigLoader(environment: { _ in nil }).load(paths: paths), catalogue: catalogue)
    }
    // A clock that stands still, so that nothing is ever late.
    let clock = ManualTimekeeper()
    pipeline = Pipeline(try source([path]), clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let reload = ConfigReload(pipeline, paths: isReadable ? [path] : nil, source)
    control = RunControl(
      pipeline, reload, .init(name: "desk", process: 4242, version: "0.1.0", started: pipeline.clock.now))
    let socket = folder.file("run.sock")
    server = try await ControlServer.start(control, socket: socket, port: port, clock: clock)
    client = ControlClient(socket: socket, clock: clock)
    let (pipeline, control) = (pipeline, control)
    running = Task {
      let report = await pipeline.run()
      control.ended(EndReport(status: Int(report.exitStatus), text: report.ledger.description))
      return report
    }
  }

  /// Writes a configuration; returns its path.
  func write(_ text: String, _ name: String = "desk.yaml") throws -> String {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  /// Asks until the run is as it should be.
  func status(until condition: (RunStatus) -> Bool) async throws -> RunStatus {
    while true {
      let status = try await client.status()
      if condition(status) { return status }
      await Task.yield()
    }
  }

  func end() async -> RunReport {
    pipeline.stop()
    let report = await running.value
    await server.stop()
    return report
  }
}
