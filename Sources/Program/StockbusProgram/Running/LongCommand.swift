import CStopSignals
import LibC
import StockbusConfig
import StockbusPlugin
import StockbusRuntime
import StockbusViewing

/// The steps from the signals to the last line, for every command that runs until it is stopped. Their order ensures that no signal and no
/// line is lost.
package enum LongCommand {
  /// Must be called before anything is opened or written.
  package static func prepare() {
    // Writing to a closed pipe or socket must be an error and not end the process.
    signal(SIGPIPE, SIG_IGN)
    stockbus_fill_standard_streams()
  }

  /// A pipeline that logs to the console and whose components use the console's terminal. Exits with status 78 if the history that the
  /// configuration names cannot be read.
  static func pipeline(
    _ topology: Topology, logLevel: LogLevel, _ format: LogFormat = .text, watchesStalls: Bool = false, memory: MemoryKeeper? = nil,
    after earlier: RunMemory? = nil, completeSince: Timestamp? = nil, markets: PastMarkets = .fallback
  ) throws -> Pipeline {
    let past = try Program.current.knownPast(of: topology)
    let zone = topology.settings.displayZone
    return Pipeline(
      topology,
      logger: Logger(label: "stockbus") { _ in ConsoleLogHandler(logLevel: logLevel.level, format: format, zone: zone) },
      services: Services(Console.terminal, topology.instruments, past, markets, Program.current.archive), watchesStalls: watchesStalls,
      memory: memory, after: earlier, completeSince: completeSince)
  }

  /// Runs the pipeline until it has ended or was stopped. Calls `ended` with its report once everything else is written and the terminal is
  /// restored. While `ended` writes, a signal still ends a process whose output is not read.
  ///
  /// - Parameters:
  ///   - beside: work to be done during the run; it is cancelled and awaited when the run has ended.
  ///   - reload: the action for SIGHUP in a process without a terminal; if nil, SIGHUP stops the run.
  ///   - interrupted: called when a signal asks for a stop.
  ///   - cutOff: called with the ledger, instead of `ended`, if the process is ended because the run does not end.
  static func run(
    _ pipeline: Pipeline, beside: [@Sendable () async -> Void] = [], reload: (@Sendable () -> Void)? = nil,
    interrupted: @escaping @Sendable () -> Void = {},
    cutOff: @escaping @Sendable (String) async -> Void = { _ in }, ended: (RunReport) async throws -> Void
  ) async rethrows {
    // A separate task, so that the second signal can cancel it; it is awaited below.
    let hardStop = HardStop(tell: cutOff)
    let running = Task { await pipeline.run { hardStop.arm($0, after: .seconds(5)) } }
    let signals = StopSignals(pipeline, running, hardStop, reload: reload, interrupted: interrupted)
    defer { signals.end() }
    // Separate tasks, because the last component's lines must still be written; they are awaited below.
    let printing = Task { await Console.printItems() }
    let besides = beside.map { work in Task { await work() } }
    let report = await running.value
    hardStop.disarm()
    signals.runHasEnded()
    for task in besides { task.cancel() }
    for task in besides { await task.value }
    await Console.finish(printing)
    try await ended(report)
  }

  /// Returns at the first stop signal; the next one ends the process.
  package static func awaitStopSignal() async {
    let (stream, arrivals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let signals = SignalArrivals()
    signals.start { _ in arrivals.yield() }
    for await _ in stream { break }
    signals.end()
  }
}

extension LogLevel {
  /// The level of swift-log with the same name.
  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
