internal import StockbusPlugin

/// The one command of components that are programs. The commands of the program itself are known only while it runs.
enum ProgramCommand {
  static var infos: [CommandInfo] { [CommandInfo("send COMMAND…", "Passes a command on to the program, and shows its reply.")] }

  static var bond: String { "runs in its own process already" }

  static func perform(_ command: Command, in session: ProgramSession) throws(CommandError) -> String {
    if session.hostsPlugin { return try session.command(([command.verb] + command.arguments).joined(separator: " ")) }
    if command.arguments.isEmpty { throw CommandError("send needs a command for the program") }
    return try session.command(command.arguments.joined(separator: " "))
  }
}

extension CommandError {
  static var ofPlainLines: CommandError { CommandError("a program of plain lines takes no commands") }
}
