import ArgumentParser
import StockbusNetwork
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct Echo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo",
    abstract: "Run a WebSocket echo server until Ctrl-C.",
    discussion: """
      Sends every message back, to try echo_socket and other clients by hand. With --tls-cert and --tls-key it serves wss. --delay and \
      --cut-after simulate a slow and a broken network.
      """)

  @ArgumentParser.Option(
    parsing: .unconditional, help: "The port to listen on; 0 is any free one.", transform: Echo.port)
  var port: UInt16

  @ArgumentParser.Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @ArgumentParser.Option(help: "A PEM file with the server's certificate chain.", completion: .file())
  var tlsCert: String?

  @ArgumentParser.Option(help: "A PEM file with the private key of the certificate.", completion: .file())
  var tlsKey: String?

  @ArgumentParser.Option(
    parsing: .unconditional, help: "The delay of every reply, such as 20ms.", transform: Echo.duration)
  var delay: Duration?

  @ArgumentParser.Option(
    parsing: .unconditional, help: "Cut every connection after this many messages, without a close frame.",
    transform: NumberArgument.of(1...Int.max))
  var cutAfter: Int?

  @ArgumentParser.Option(
    parsing: .unconditional, help: "The most connections at once.", transform: NumberArgument.of(1...Int.max))
  var connections = 64

  @ArgumentParser.Option(
    parsing: .unconditional, help: "How long a connection may send no message before it is closed, such as 10m.", transform: Echo.duration)
  var idle = Duration.seconds(600)

  @ArgumentParser.Option(help: "The largest message, such as 64KiB.", transform: Echo.size)
  var frameLimit = ByteSize.mebibytes(1)

  func validate() throws {
    if (tlsCert == nil) != (tlsKey == nil) { throw ValidationError("--tls-cert and --tls-key go together") }
    if idle < .seconds(1) { throw ValidationError("--idle must be at least 1s") }
  }

  func run() async throws {
    LongCommand.prepare()
    var settings = WebSocketServer.Settings()
    settings.host = host
    settings.port = Int(port)
    settings.connections = connections
    settings.frameLimit = frameLimit
    settings.idleDeadline = idle
    settings.watchesScripts = true
    if let tlsCert, let tlsKey { settings.identity = TLSIdentity(certificateFile: tlsCert, keyFile: tlsKey) }
    let isPlain = delay == nil && cutAfter == nil
    let script = EchoScript(clock: SystemTimekeeper(), delay: delay ?? .zero, cutAfter: cutAfter)
    let server: WebSocketServer
    do {
      server = try await WebSocketServer.start(settings, clock: SystemTimekeeper(), isPlain ? .echo : .script { await script.serve($0) })
    } catch {
      StandardError.write("error: \(error)")
      throw ExitCode(1)
    }
    StandardError.write("echoing on \(server.url); Ctrl-C stops")
    await LongCommand.awaitStopSignal()
    await server.stop()
    let echoed = isPlain ? server.echoed : script.echoed
    var summary = "\(server.accepted) \(server.accepted == 1 ? "connection" : "connections"), \(Ledger.grouped(echoed)) messages echoed"
    if server.refused > 0 { summary += ", \(server.refused) connections refused, because there were too many" }
    StandardError.write(summary)
  }

  private static func port(_ text: String) throws -> UInt16 { UInt16(try NumberArgument.of(0...65_535)(text)) }

  private static func duration(_ text: String) throws -> Duration {
    guard let duration = try? Duration(option: text), duration >= .zero else {
      throw ValidationError("\(shown(text)) is not a duration such as 20ms")
    }
    return duration
  }

  private static func size(_ text: String) throws -> ByteSize {
    do throws(OptionTextError) { return try ByteSize(option: text) } catch {
      throw ValidationError("'\(text)' is not a size such as 64KiB")
    }
  }
}
