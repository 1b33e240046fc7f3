import ArgumentParser
import Logging
import StockbusConfig
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a configuration until its data ends, or until Ctrl-C.",
    discussion: """
      The first SIGINT or SIGTERM stops gracefully: sources end, everything drains, and the ledger is printed. The second ends \
      at once. With --commands, lines such as 'ticks raise AAPL 10' tell components what to do; 'help' lists what there is.
      """)

  @ArgumentParser.Option(help: "Read commands from this file, pipe, or - for standard input.", completion: .file())
  var commands: String?

  @ArgumentParser.Option(help: "The least important lines to log.")
  var logLevel = LogLevel.notice

  @Flag(help: "Do not print the ledger at the end.")
  var quiet = false

  @OptionGroup var config: ConfigArguments

  func run() async throws {
    // Pipes and sockets that close are errors where they are written to, never a reason to die.
    signal(SIGPIPE, SIG_IGN)
    let topology = try config.topology()
    let level = Logger.Level(rawValue: logLevel.rawValue) ?? .notice
    let logger = Logger(label: "stockbus") { _ in ConsoleLogHandler(logLevel: level) }
    let pipeline = Pipeline(topology, logger: logger)
    let signals = StopSignals(pipeline, deadline: topology.settings.drainDeadline)
    defer { signals.end() }
    let reader = commands.map { CommandReader(path: $0, pipeline: pipeline) }
    reader?.start()
    Terminal.installCrashRestore()
    // Tasks of their own, because the lines of the last component to end must still come through; awaited below.
    let printing = Task { await Console.printItems() }
    let showing = Task { await ProgressLine(pipeline).show() }
    let report = await pipeline.run()
    showing.cancel()
    await showing.value
    await Console.finish(printing)
    if !quiet { StandardError.write(report.text) }
    if report.exitStatus != 0 { throw ExitCode(report.exitStatus) }
  }
}

/// swift-log's levels as an argument.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}

extension RunReport {
  /// What is printed at the end: the ledger, and what went wrong.
  var text: String {
    var lines = [ledger.description]
    for fate in fates {
      switch fate.outcome {
      case .completed: continue
      case .failed(let reason): lines.append("\(fate.id): failed for good after \(fate.lives) lives: \(reason)")
      case .cancelled: lines.append("\(fate.id): cut off")
      }
    }
    if !late.isEmpty { lines.append("late: \(late.joined(separator: ", "))") }
    lines.append(ledger.isBalanced ? "balanced: every event is accounted for" : "NOT BALANCED: events are unaccounted for")
    return lines.joined(separator: "\n")
  }
}
