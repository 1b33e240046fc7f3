import LibC
import StockbusConfig
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

/// Answers other programs while a run is running.
struct RunDesk: RunAttendant {
  private let control: RunControl
  private let server: ControlServer?

  /// A socket that cannot be created is only reported: the run does not need it. A port was requested, so its failure is an error.
  static func open(_ control: RunControl, port: ControlServer.Port?) async throws -> RunDesk {
    let clock = SystemTimekeeper()
    var socket: String?
    do { socket = try RunFolder.own().socket(of: control.identity.process) } catch { Console.log("no control socket: \(error)") }
    do {
      let server = try await ControlServer.start(control, socket: socket, port: port, clock: clock)
      if let port, let number = server.port { Console.log("the control API is at http://\(port.host):\(number)/") }
      return RunDesk(control: control, server: server)
    } catch {
      if port != nil { throw error }
      Console.log("no control socket: \(error)")
      return RunDesk(control: control, server: nil)
    }
  }

  /// Reports the end of the run to the clients that wait for it, and closes.
  func runHasEnded(status: Int, text: String) async {
    control.ended(EndReport(status: status, text: text))
    await server?.stop()
  }
}

extension RunControl.Identity {
  /// The identity of this process.
  static func own(name: String) -> RunControl.Identity {
    RunControl.Identity(name: name, process: Int(getpid()), version: Version.number, started: SystemTimekeeper().now)
  }
}
