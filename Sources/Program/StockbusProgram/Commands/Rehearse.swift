import ArgumentParser
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

struct Rehearse: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rehearse",
      abstract: "Show when the rules of a configuration would have fired.",
      discussion: """
        Runs the configuration over recordings at full speed, and nothing gets out: sinks are left out, alerts are not delivered, and no file \
        is written. Each source is replaced by the recording with its name, or with its type of event; a source that replays a file \
        already needs none. With --against, another configuration runs over the same recordings, and what differs is shown.

          \(Program.name) rehearse desk.yaml --over monday.csv
          \(Program.name) rehearse desk.yaml --over trades=monday.csv --over quotes=quotes.csv
          \(Program.name) rehearse desk.yaml --over monday.csv --against old.yaml
        """)
  }

  @ArgumentParser.Option(
    name: .customLong("over"),
    help: ArgumentHelp(
      "A recording in the place of a source: FILE, or SOURCE=FILE. Several for one source are merged by time.", valueName: "recording"),
    completion: .file())
  var recordings: [String] = []

  @ArgumentParser.Option(
    help: ArgumentHelp("The configuration to compare with.", valueName: "config"), completion: .file(extensions: ["yaml", "yml"]))
  var against: String?

  @ArgumentParser.Option(help: "A summary by rule, or each alert as a JSON line or a CSV row.")
  var format = PrintFormat.table

  @ArgumentParser.Option(help: "The lowest level of log lines to print.")
  var logLevel = LogLevel.warning

  @OptionGroup var config: ConfigArguments

  func run() async throws {
    LongCommand.prepare()
    // With two configurations each mistake says which one it is about.
    let names = [config.configs.joined(separator: ", "), against].compactMap { name in against == nil ? "" : name.map { "\(visible($0)): " }
    }
    let plan = try Self.plan(config.configs, recordings, names[0])
    let old = try against.map { try Self.plan([$0], recordings, names[1]) }
    for assumption in plan.assumptions { StandardError.write(assumption) }
    let rehearsal = try await Rehearsal.run(plan, logLevel: logLevel)
    var before: Rehearsal?
    if let old { before = try await Rehearsal.run(old, logLevel: logLevel) }
    if rehearsal.wasStopped || before?.wasStopped == true {
      StandardError.write("stopped before the recordings ended: nothing is shown")
      throw ExitCode.failure
    }
    let text = RehearsalText(rehearsal, against: before).text(format)
    if !text.isEmpty { try StandardOutput.write(text) }
    for (rehearsal, name) in zip([rehearsal, before].compactMap(\.self), names) {
      for line in rehearsal.leftOut { StandardError.write(name + line) }
      let text = rehearsal.report.text(isQuiet: true, isLenient: false)
      if !text.isEmpty { StandardError.write(name + text) }
      let status = rehearsal.report.exitStatus(isStrict: false, isLenient: false)
      if status != 0 { throw ExitCode(status) }
    }
  }

  private static func plan(_ configs: [String], _ recordings: [String], _ name: String) throws -> RehearsalPlan {
    do {
      let plan = try RehearsalPlan(ConfigLoader().load(paths: configs), over: recordings.map(Recording.init(argument:)), Program.current)
      if plan.dispatchers.isEmpty, plan.brokers.isEmpty {
        throw RehearsalMistake(description: "the configuration has no rules: no component sends alerts or fills orders")
      }
      return plan
    } catch let mistake as RehearsalMistake {
      StandardError.write("Error: \(name)\(mistake)")
      throw ExitCode.validationFailure
    } catch let problems as Problems {
      StandardError.write(ConfigArguments.report(problems, "; nothing was started"))
      throw ExitStatus.config
    }
  }
}
