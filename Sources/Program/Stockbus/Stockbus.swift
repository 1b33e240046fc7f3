internal import FileReplay
internal import Programs
internal import StockbusFiles
public import StockbusPlugin
internal import StockbusProgram

/// Runs the whole program with these plugins, from its arguments to its exit status, and ends the process.
///
/// ```swift
/// import Stockbus
///
/// @main struct Mine { static func main() async { await Stockbus.main(plugins: .builtIn + [.bigTrades]) } }
/// ```
///
/// Two plugins with one name are reported on standard error before anything else, and the status is 70 (EX_SOFTWARE of sysexits.h), as no
/// configuration is to blame. Two event types with one name are reported by `list`, `describe` and `schema` in the same way, and by
/// commands that read a configuration as a problem of a configuration that uses both.
///
/// - Parameters:
///   - plugins: the plugins that a configuration may name, in any order.
///   - name: the program's name in its texts; by default the name of its executable.
///   - version: the program's own version, for `--version`, which also prints the version of stockbus.
public func main(plugins: [Plugin], name: String? = nil, version: String? = nil) async {
  await Program.main(
    plugins, name: name, version: version, parts: [.echo, .history, .accounts, .hosting, .control], isolation: .processes())
}

extension ProgramPart {
  /// An echo server for trying clients.
  static var echo: ProgramPart { ProgramPart(.authors, commands: [Echo.self]) }

  /// The commands for the files of `history` sinks and paper brokers.
  static var history: ProgramPart {
    ProgramPart(.data, commands: [HistoryCommand.self, Paper.self], past: .history, look: FileGuess.look(at:))
  }

  /// The people of a dashboard.
  static var accounts: ProgramPart { ProgramPart(.people, commands: [Account.self]) }

  /// Plugins in processes of their own.
  static var hosting: ProgramPart { ProgramPart(.authors, commands: [HostPlugin.self]) }

  /// A desk for each run, and the commands that ask it.
  static var control: ProgramPart {
    ProgramPart(
      .ask,
      commands: [
        ListRuns.self, Status.self, Top.self, Tell.self, TapCommand.self, Why.self, Plan.self, Apply.self, Reload.self, Stop.self,
      ], companion: ControlOptions.self)
  }
}
