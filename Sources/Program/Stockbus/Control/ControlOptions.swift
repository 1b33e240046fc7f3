import ArgumentParser
import StockbusConfig
import StockbusControl
import StockbusPlugin
import StockbusProgram

/// How a run can be asked from outside.
struct ControlOptions: RunCompanion {
  @ArgumentParser.Option(help: "The name of this run for other commands; by default that of its configuration.")
  var name: String?

  @ArgumentParser.Option(
    help: ArgumentHelp(
      "Serve the control API also on this port of this machine; clients need the token in the variable STOCKBUS_TOKEN.",
      valueName: "host:port"))
  var control: String?

  /// The variable with the token of the port.
  static let variable = "STOCKBUS_TOKEN"
  /// The shortest length of a token, so that nobody can guess it.
  private static let shortestToken = 16

  func validate() throws {
    if let name, name.isEmpty || name.utf8.count > 64 || name.contains(where: { $0.isWhitespace || $0 == "/" }) || Int(name) != nil {
      throw ValidationError("--name \(shown(name)): a name has 1 to 64 characters without spaces and '/', and is not a number")
    }
    _ = try port()
  }

  /// The port, with its token from the environment.
  func port(_ environment: (String) -> String? = ConfigLoader.processEnvironment) throws -> ControlServer.Port? {
    guard let control else { return nil }
    let parts = control.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, ["127.0.0.1", "localhost"].contains(parts[0]), let number = Int(parts[1]), (0...65_535).contains(number) else {
      throw ValidationError("--control \(shown(control)): write 127.0.0.1:PORT, because only programs of this machine may use it")
    }
    guard let token = environment(Self.variable), token.utf8.count >= Self.shortestToken else {
      throw ValidationError("--control needs a token of at least \(Self.shortestToken) characters in the variable \(Self.variable)")
    }
    return ControlServer.Port(host: String(parts[0]), number: number, token: token)
  }

  static var help: String {
    "'\(Program.name) status', 'top', 'tell', 'plan', 'apply', 'reload' and 'stop' control the run from outside. "
  }

  /// Opens the run's desk. A socket that cannot be created does not keep the run from starting; a port that cannot be opened does.
  func begin(_ run: RunInHand) async throws -> (any RunAttendant)? {
    let control = RunControl(run.pipeline, run.reload, .own(name: name(of: run.configuration)))
    do { return try await RunDesk.open(control, port: port()) } catch {
      StandardError.write("\(error); nothing was started")
      throw ExitCode.failure
    }
  }

  /// The run's name: `desk` for `desk.yaml` and for the folder `desk`.
  func name(of configuration: String) -> String {
    if let name { return name }
    let last = configuration.split(separator: "/").last.map(String.init) ?? ""
    let stem = last.hasSuffix(".yaml") ? String(last.dropLast(5)) : last.hasSuffix(".yml") ? String(last.dropLast(4)) : last
    let plain = stem.filter { !$0.isWhitespace }
    return plain.isEmpty || plain == "." || plain == "-" || Int(plain) != nil ? "run" : String(plain.prefix(64))
  }
}
