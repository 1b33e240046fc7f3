import ArgumentParser
import LibC
import StockbusConfig
import StockbusPlugin
import StockbusRuntime
import StockbusSystem
import StockbusTerminal

/// The options of all commands that run a configuration, with those of the run's companion.
struct RunOptions<Companion: RunCompanion>: ParsableArguments {
  @ArgumentParser.Option(help: "Read commands from this file, pipe, or - for standard input.", completion: .file())
  var commands: String?

  @ArgumentParser.Option(help: "The colours of the terminal, in place of what it reports and of NO_COLOR.")
  var color = ColorChoice.auto

  @ArgumentParser.Option(help: "The lowest level of log lines to print.")
  var logLevel = LogLevel.notice

  @ArgumentParser.Option(help: "Log lines as text for people, or as JSON objects for programs; the ledger remains text (see --quiet).")
  var logFormat = LogFormat.text

  @Flag(help: "Do not print the ledger at the end; problems are printed nevertheless.")
  var quiet = false

  @Flag(
    help: "Exit with status 65 if there are dead letters, such as malformed rows, or gaps in a venue's sequence numbers.")
  var strict = false

  @Flag(help: ArgumentHelp(lenientHelp))
  var lenient = false

  @OptionGroup var companion: Companion

  /// Files that a run with these options reads.
  var files: [RunFiles.Reader] { commands.map { [RunFiles.Reader(path: $0, words: "commands are read from it (--commands)")] } ?? [] }

  func validate() throws {
    if commands == "-", !StandardInput.isOpen { throw ValidationError("--commands -: standard input is closed") }
    if let commands, commands != "-", access(commands, R_OK) != 0 {
      throw ValidationError("--commands \(visible(commands, limit: 4096)): \(String(cString: strerror(errno)))")
    }
  }
}

/// The help of `--lenient` for all commands that run a configuration.
let lenientHelp: String =
  "Exit with status 0 even if a source sent no event: it ended without one, all its input became dead letters, or it was never connected."

/// swift-log's levels as an argument.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}

/// One run of a configuration, from the signals to the ledger.
struct RunSession<Companion: RunCompanion> {
  let options: RunOptions<Companion>
  /// The command that runs it, which is its name if it has no file.
  var command = "run"
  /// The command for the viewer as soon as it has started, such as `open stocks://symbol/AAPL`.
  var request: Command?
  /// The files and folders of the configuration; nil if it cannot be read again.
  var configuration: [String]?
  /// What people should know of this run, logged at its start.
  var notes: [String] = []
  /// Whether the run follows the changes of these files.
  var isWatching = false

  /// Must be called before the terminal is used or a file is opened.
  static func prepare(_ options: RunOptions<Companion>) {
    LongCommand.prepare()
    Console.begin(colors: options.color)
    // One terminal cannot provide both typed commands and keys for a screen.
    if options.commands == "-", isatty(STDIN_FILENO) == 1 { Console.terminal.takeKeyboard() }
  }

  func run(_ topology: Topology) async throws {
    // Text that is typed as input is not for the screen.
    if topology.files.readStandardInput, isatty(STDIN_FILENO) == 1 { Console.terminal.takeKeyboard() }
    let keeper = try topology.memoryKeeper("; nothing was started")
    guard let played = try await Self.play(before: topology, after: keeper?.memory) else {
      StandardError.write("stopped while the past was played: nothing was started")
      throw ExitCode.failure
    }
    let pipeline = try LongCommand.pipeline(
      topology, logLevel: options.logLevel, options.logFormat, watchesStalls: true, memory: keeper, after: played.memory,
      markets: played.markets)
    for note in notes + (keeper?.lines(in: topology) ?? []) + played.notices { pipeline.logger.notice("\(note)") }
    for warning in played.warnings { pipeline.logger.warning("\(warning)") }
    Terminal.installCrashRestore()
    let reader = options.commands.map { CommandReader(path: $0, pipeline: pipeline) }
    var beside: [@Sendable () async -> Void] = [{ reader?.start() }, { await ProgressLine(pipeline).show() }]
    if let request { beside.append { await Self.ask(request, pipeline) } }
    let (program, files) = (Program.current, options.files)
    let notices = ServiceManager().map { ServiceNotices(pipeline, $0.notify) }
    if let notices { beside.append { await notices.run() } }
    let reload = ConfigReload(pipeline, paths: configuration, notices: notices) { paths throws(Problems) in
      try program.topology(ConfigLoader().load(paths: paths), outerFiles: files)
    }
    beside.append { await reload.run() }
    if isWatching { beside.append { await ConfigWatch { reload.paths }.run(SystemTimekeeper()) { reload.ask() } } }
    let attendant = try await options.companion.begin(
      RunInHand(pipeline: pipeline, reload: reload, configuration: configuration?.first ?? command))
    // The action for SIGHUP, if the configuration can be read again.
    var ask: (@Sendable () -> Void)?
    if configuration != nil { ask = { reload.ask() } }
    let cutOff: @Sendable (String) async -> Void = { await attendant?.runHasEnded(status: 1, text: $0) }
    try await LongCommand.run(pipeline, beside: beside, reload: ask, cutOff: cutOff) { (report: RunReport) async throws in
      let isKept = keeper?.keep(what: pipeline) ?? true
      let text = report.text(isQuiet: options.quiet, isLenient: options.lenient)
      let status = report.exitStatus(isStrict: options.strict, isLenient: options.lenient)
      await attendant?.runHasEnded(status: Int(status), text: report.text(isQuiet: false, isLenient: options.lenient))
      if !text.isEmpty { StandardError.write(text) }
      if status == ExitStatus.data {
        StandardError.write("FAILED: \(report.shortcomings ?? "nothing"), which --strict does not allow")
      }
      if status != 0 { throw ExitCode(status) }
      if !isKept { throw ExitCode.failure }
    }
  }

  /// Plays the past of a run's sources. Nil if somebody has stopped it.
  private static func play(before topology: Topology, after memory: RunMemory?) async throws -> PastRun.Played? {
    do {
      let now = SystemTimekeeper().now
      var played: PastRun.Played? = PastRun.Played()
      if let past = try PastRun(before: topology, after: memory, Program.current, now: now) { played = try await past.play() }
      // What was shown is in no memory.
      if memory?.time != nil, played != nil,
        let past = try PastRun(before: topology, after: nil, isShownOnly: true, Program.current, now: now)
      {
        guard let shown = try await past.play() else { return nil }
        played?.markets = shown.markets
      }
      return played
    } catch let mistake as RehearsalMistake {
      StandardError.write("past: \(mistake)\nnothing was started")
    } catch let problems as Problems {
      StandardError.write(ConfigArguments.report(problems, "; nothing was started"))
    }
    throw ExitStatus.config
  }

  /// Sends the command to the first viewer, once it has started.
  private static func ask(_ request: Command, _ pipeline: Pipeline) async {
    guard let viewer = pipeline.components.first(where: { $0.plugin == viewerPlugin }) else { return }
    let clock = SystemTimekeeper()
    while !Task.isCancelled {
      do throws(CommandError) {
        _ = try await pipeline.perform(request, on: viewer.id)
        return
      } catch {
        guard case .notRunning = error, pipeline.runningComponents.contains(viewer.id) else {
          return Console.log("\(request.verb): \(error)")
        }
        try? await clock.sleep(for: .milliseconds(10))
      }
    }
  }
}

/// The plugin whose pages can be opened.
let viewerPlugin = "console_viewer"
