import ArgumentParser
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

struct Print: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "print",
      abstract: "Print one component's events to standard output, for scripts.",
      discussion: """
        Runs the component and everything that it reads, without the sinks, until the data ends, --limit lines are printed, or standard \
        output is closed.

        With --once it prints the present state instead: the last event of each symbol, ordered by symbol, or by rank if events have \
        ranks. This is the state at the end of the data, or --after a time; without --after, and if a source has no known end, it is the \
        state when no new symbol has come for --settle. A stop (Ctrl-C) prints the state at that moment. --where and --limit apply to \
        the lines of the state: a symbol whose last event does not meet the condition is omitted. Ranks are the current ones, even if \
        other symbols moved a symbol; previous_rank is then the rank in the symbol's own last event. A component that passes only a part \
        of a ranking does not have all ranks; then a warning is printed.

          \(Program.name) print --once
          \(Program.name) print --once --after 10s --from ranked --limit 5
          \(Program.name) print --format json --where 'price > 100 and symbol in [AAPL, NVDA]' | jq .price
          \(Program.name) print replay.yaml --from prices --fields time,symbol,price --format csv > prices.csv
          \(Program.name) print replay.yaml --from bars --format parquet > bars.parquet
        """)
  }

  @Flag(help: "The last event of each symbol, then the end.")
  var once = false

  @ArgumentParser.Option(
    help: "An aligned table, JSON lines, CSV with a header, or for data frames an Arrow stream or a Parquet file, with exact numbers.")
  var format = EventFormat.table

  @ArgumentParser.Option(
    help: ArgumentHelp("The component whose events are printed; by default the input of the first sink.", valueName: "component"))
  var from: String?

  @ArgumentParser.Option(name: .customLong("where"), help: ArgumentHelp("Only events that meet this condition.", valueName: "expression"))
  var condition: String?

  @ArgumentParser.Option(help: ArgumentHelp("The fields to print, in this order, separated by commas.", valueName: "field,…"))
  var fields: String?

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("Ends after this many lines.", valueName: "lines"),
    transform: NumberArgument.of(1...Int.max))
  var limit: Int?

  @ArgumentParser.Option(
    parsing: .unconditional,
    help: ArgumentHelp("With --once: print the state this long after the start, such as 10s.", valueName: "duration"))
  var after: String?

  @ArgumentParser.Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --once and without --after, if a source has no known end: print the state when no new symbol came for this time.",
      valueName: "duration"))
  var settle = "500ms"

  @ArgumentParser.Option(
    help: "In CSV, texts that a spreadsheet would take for formulas: keep, or defuse (puts an apostrophe before them).")
  var formulas = FormulaCells.keep

  @Flag(help: ArgumentHelp(lenientHelp))
  var lenient = false

  @ArgumentParser.Option(help: "The lowest level of log lines to print.")
  var logLevel = LogLevel.warning

  @OptionGroup var config: ConfigArguments

  func validate() throws {
    _ = try Self.duration(settle, "--settle", "500ms")
    if let after {
      _ = try Self.duration(after, "--after", "10s")
      if !once { throw ValidationError("--after needs --once") }
    }
    if format.form != nil, StandardOutput.isTerminal {
      throw ValidationError(StandardOutput.notForTerminal(format.rawValue, "events.\(format == .arrow ? "arrows" : "parquet")"))
    }
  }

  private static func duration(_ text: String, _ option: String, _ example: String) throws -> Duration {
    guard let duration = try? Duration(option: text), duration > .zero, duration <= .seconds(86_400) else {
      throw ValidationError("\(option) must be a duration of at most a day such as \(example), got \(shown(text))")
    }
    return duration
  }

  var request: PrintJob.Request {
    var request = PrintJob.Request()
    request.format = format
    request.formulas = formulas
    request.fields = fields.map { text in
      text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }
    request.condition = condition
    request.once = once
    request.settle = (try? Duration(option: settle)) ?? request.settle
    request.after = after.flatMap { try? Duration(option: $0) }
    request.limit = limit
    return request
  }

  func run() async throws {
    let topology = try config.topology("; nothing was started")
    try await Printing.run(request, from: from, in: topology, logLevel: logLevel, isLenient: lenient)
  }
}

extension PrintFormat: ExpressibleByArgument {}
extension EventFormat: ExpressibleByArgument {}
extension FormulaCells: ExpressibleByArgument {}

/// The part of `print` after its arguments are parsed.
enum Printing {
  static func run(_ request: PrintJob.Request, from: String?, in topology: Topology, logLevel: LogLevel, isLenient: Bool) async throws {
    LongCommand.prepare()
    let job = PrintJob(request, write: StandardOutput.tryWrite)
    let plan: PrintPlan
    do throws(PrintMistake) { plan = try PrintPlan(job, from: from, in: topology) } catch {
      StandardError.write("Error: \(error)")
      throw ExitCode.validationFailure
    }
    for remark in plan.remarks { StandardError.write(remark) }
    let pipeline = try LongCommand.pipeline(plan.topology, logLevel: logLevel)
    job.whether { pipeline.isEndless }
    job.whenDone { pipeline.stop() }
    try await LongCommand.run(pipeline) { report in
      PrintJob.forget(plan.number)
      if job.end == .closed { return }
      if case .failed(let reason) = job.end { throw StandardOutput.failure(reason) }
      // After a limited number of lines, a missing symbol may still arrive later, so there is no note about it.
      if request.once || job.end == nil { for note in notes(report.ledger) { StandardError.write(note) } }
      // If all requested lines have been printed, a source that gave nothing is no error.
      let isLenient = isLenient || job.end != nil && !request.once
      let text = report.text(isQuiet: true, isLenient: isLenient)
      if !text.isEmpty { StandardError.write(text) }
      let status = report.exitStatus(isStrict: false, isLenient: isLenient)
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// The notes of the components, such as `print: 'aapl' never came; did you mean 'AAPL'?`.
  static func notes(_ ledger: Ledger) -> [String] {
    ledger.notes.map { note in
      let origin = note.component == PrintPlan.printerID ? "print" : note.component
      return "\(origin): \(visible(note.text, limit: 1000))"
    }
  }
}
