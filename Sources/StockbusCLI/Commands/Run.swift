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

  @Flag(help: "Do not print the ledger at the end; what went wrong is printed all the same.")
  var quiet = false

  @OptionGroup var config: ConfigArguments

  func validate() throws {
    if let commands, commands != "-", access(commands, R_OK) != 0 {
      throw ValidationError("--commands \(visible(commands, limit: 4096)): \(String(cString: strerror(errno)))")
    }
  }

  func run() async throws {
    // Pipes and sockets that close are errors where they are written to, never a reason to die.
    signal(SIGPIPE, SIG_IGN)
    // A standard stream that was closed would become the first file or socket that is opened.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    let topology = try config.topology("; nothing was started")
    let level = Logger.Level(rawValue: logLevel.rawValue) ?? .notice
    let logger = Logger(label: "stockbus") { _ in ConsoleLogHandler(logLevel: level) }
    let pipeline = Pipeline(topology, logger: logger)
    // A task of its own, so that the second signal can cancel what waits in it; awaited below.
    let hardStop = HardStop()
    let running = Task { await pipeline.run { hardStop.arm($0, after: .seconds(5)) } }
    let signals = StopSignals(pipeline, running, hardStop)
    defer { signals.end() }
    let reader = commands.map { CommandReader(path: $0, pipeline: pipeline) }
    reader?.start()
    Terminal.installCrashRestore()
    // Tasks of their own, because the lines of the last component to end must still come through; awaited below.
    let printing = Task { await Console.printItems() }
    let showing = Task { await ProgressLine(pipeline).show() }
    let report = await running.value
    hardStop.disarm()
    showing.cancel()
    await showing.value
    await Console.finish(printing)
    let text = report.text(withLedger: !quiet)
    if !text.isEmpty { StandardError.write(text) }
    if report.exitStatus != 0 { throw ExitCode(report.exitStatus) }
  }
}

/// swift-log's levels as an argument.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}

extension RunReport {
  /// What is printed at the end: the ledger where it is wanted, and what went wrong.
  func text(withLedger: Bool) -> String {
    var lines = withLedger ? [ledger.description] : []
    for fate in fates {
      switch fate.outcome {
      case .completed: continue
      case .failed(let reason):
        lines.append(
          "\(fate.id): failed for good after \(fate.lives) \(fate.lives == 1 ? "life" : "lives"): \(visible(reason, limit: 1000))")
      case .cancelled: lines.append("\(fate.id): cut off")
      }
    }
    if !late.isEmpty { lines.append("not drained in time: \(late.joined(separator: ", "))") }
    if !ledger.isBalanced {
      lines.append("NOT BALANCED: events are unaccounted for")
    } else if withLedger {
      lines.append("balanced: every event is accounted for")
    }
    return lines.joined(separator: "\n")
  }
}
