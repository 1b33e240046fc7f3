import EchoSocket
import StockbusConfig
import StockbusNetwork
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import TestServers
import Testing

/// Distinguishable trades: sizes 1, 2, 3 and so on, over some symbols.
func trades(_ count: Int, symbols: Int = 25) -> [Trade] {
  let names = (0..<symbols).map { n -> Symbol in (try? Symbol("SYM\(n)")) ?? "ANY" }
  return (0..<count).map { i in
    var trade = Trade.schema.example
    trade.symbol = names[i % symbols]
    trade.size = Quantity(raw: Int64(i + 1) * 1_000_000_000)
    return trade
  }
}

/// A harness whose plugin is connected to a scripted server.
struct Stage {
  /// The run around the plugin, which a test can stop.
  let run = FakeRun()
  let harness: PluginHarness
  let server: WebSocketServer
  private let refusing: RefusingPort?

  init(_ play: @escaping @Sendable (WebSocketConnection) async throws -> Void) async throws {
    harness = PluginHarness(id: "echo", run: run)
    server = try await WebSocketServer.start(clock: harness.clock, .script { connection in try? await play(connection) })
    refusing = nil
  }

  /// A stage without a server: `server` has been stopped, and the port in `url` refuses connections.
  init() async throws {
    harness = PluginHarness(id: "echo", run: run)
    server = try await WebSocketServer.start(clock: harness.clock, .echo)
    await server.stop()
    refusing = RefusingPort()
  }

  var url: String { refusing.map { "ws://127.0.0.1:\($0.number)" } ?? "\(server.url)" }

  /// Lets the pause after the end of a connection pass, up to the next attempt. It only advances to sleepers that are due soon, so that no
  /// reply is late because of it.
  func letPausePass() async {
    let known = harness.notices.connections.value.count
    while harness.notices.connections.value.count == known {
      if let next = harness.clock.deadlines.first, next <= harness.clock.uptime + .seconds(5) { harness.clock.advanceToNextDeadline() }
      await Task.yield()
    }
  }

  func start(_ options: String = "") throws -> RunningPlugin<Trade> {
    try harness.start(Plugin.echoSocket, options: "url: '\(url)'\n" + options, taking: Trade.self, emitting: Trade.self)
  }

  var states: [String] { harness.notices.connections.value.map { $0.state.fieldName } }
}

/// The next messages, at least this many.
nonisolated(nonsending) func messages(_ count: Int, from connection: WebSocketConnection) async throws -> [WebSocketMessage] {
  var messages: [WebSocketMessage] = []
  while messages.count < count { messages += try await connection.receive() }
  return messages
}

/// Sends everything back until the connection ends.
nonisolated(nonsending) func echo(_ connection: WebSocketConnection) async throws {
  while true {
    for message in try await connection.receive() { connection.queue(message) }
    try await connection.flush()
  }
}
