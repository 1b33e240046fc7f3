import EchoSocket
import NIOPosix
import StockbusConfig
import StockbusNetwork
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

/// Sends trades of sizes 1, 2, 3 and so on.
actor Counted: Source {
  private let count: Int
  init(_ settings: CountedSettings, _: Context) { count = settings.count }
  func run(into output: inout Outlet<Trade>) async throws {
    for trade in trades(count) { try await output.publish(trade) }
  }
}

struct CountedSettings: Options {
  @Setting("How many.") var count = 10
}

/// Stores the events and the connection states that came.
final class Shelf: Sendable {
  let trades = Watched<[Trade]>([])
  let states = Watched<[ConnectionStatus]>([])
  @TaskLocal static var current = Shelf()
}

actor Kept: MultiSink {
  typealias Settings = NoOptions
  static let handlers: [Handler<Kept>] = [
    Handler(Trade.self) { kept, run in
      let run = run.indices.map { run[$0] }
      kept.shelf.trades.update { $0 += run }
    },
    Handler(ConnectionStatus.self) { kept, run in
      let run = run.indices.map { run[$0] }
      kept.shelf.states.update { $0 += run }
    },
  ]
  nonisolated let shelf = Shelf.current
  init(_: NoOptions, _: Context) {}
}

extension Plugin {
  static let counted = Plugin("counted", "Sends trades of sizes 1, 2, 3 and so on.", .source(Counted.self))
  static let kept = Plugin("kept", "Keeps what comes.", .sink(Kept.self))
}

@Suite(.timeLimit(.minutes(15))) struct ChaosTests {
  @Test(arguments: [(100_000, 200, 7), (5000, 40, 8)])
  func `through cuts, stalls and broken frames everything comes once and in order`(count: Int, cuts: Int, seed: UInt64) async throws {
    let clock = SystemTimekeeper()
    // Only the proxy may end a connection, however late this machine is: the server's clock stands still, and the client is patient.
    let server = try await WebSocketServer.start(clock: ManualTimekeeper(), .echo)
    // About twice 300 bytes for each event, so that all cuts happen, and some parts are long.
    let proxy = try await ChaosProxy.start(
      upstream: server.port, seed: seed, cuts: cuts, within: count * 450 / cuts, on: MultiThreadedEventLoopGroup.singleton)
    let text = """
      sources:
        ticks: { plugin: counted, count: \(count) }
        echo:
          plugin: echo_socket
          inputs: [ticks]
          url: ws://127.0.0.1:\(proxy.port)
          in_flight: 256
          deadline: 10m
          patience: 10m
          connection: { connect_deadline: 10m, handshake_deadline: 10m, ping: 1h, pong_deadline: 1h, backoff: 1ms, max_backoff: 3ms }
      sinks: { end: { plugin: kept, inputs: [echo, connections] } }
      """
    let topology = try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue([.counted, .echoSocket, .kept]))
    let log = CapturedLog()
    let shelf = Shelf()
    let report = await Shelf.$current.withValue(shelf) {
      await Pipeline(topology, clock: clock, logger: log.logger()).run()
    }
    #expect(report.exitStatus == 0)
    let sent = trades(count)
    let back = shelf.trades.value
    #expect(back.count == count)
    #expect(back == sent)

    // The component's counters against the proxy's records.
    func counter(_ name: String) -> Int { report.ledger.counters.first { $0.component == "echo" && $0.name == name }?.total ?? 0 }
    let entries = proxy.log
    let states = shelf.states.value.map(\.state)
    #expect(entries.count(where: \.isCut) == cuts)
    #expect(entries.count == cuts + 1)
    #expect(states.count(where: { $0 == .connecting }) == entries.count)
    #expect(states.count(where: { $0 == .disconnected }) == entries.count)
    #expect(states.count(where: { $0 == .connected }) == counter("connections"))
    // A reset may overtake the server's reply, so that the client never gets it.
    let shaken = entries.count(where: \.sawHandshake)
    let resetEarly = entries.count { $0.sawHandshake && ($0.cut == .reset || $0.cut == .stallThenReset) && $0.budget < 2000 }
    #expect((shaken - resetEarly...shaken).contains(counter("connections")))
    #expect(counter("echoed") == count)
    #expect(counter("sent") - counter("sent again") == count)
    #expect(counter("dead letters") == 0)
    // The states of each connection are in a valid order.
    for (before, after) in zip(states, states.dropFirst()) {
      switch before {
      case .connecting: #expect(after == .connected || after == .disconnected)
      case .connected: #expect(after == .disconnected)
      default: #expect(after == .connecting)
      }
    }
    await proxy.stop()
    await server.stop()
  }
}
