import NIOCore
import NIOPosix
import StockbusPlugin
import StockbusTestKit
import TestServers
import Testing

@testable import StockbusNetwork

/// A client and a server with one manual clock.
struct Pair {
  let clock = ManualTimekeeper()
  let server: WebSocketServer

  init(
    _ behaviour: WebSocketServer.Behaviour = .echo, _ change: (inout WebSocketServer.Settings) -> Void = { _ in }
  ) async throws {
    var settings = WebSocketServer.Settings()
    change(&settings)
    server = try await WebSocketServer.start(settings, clock: clock, behaviour)
  }

  func client(_ change: (inout ConnectionSettings) -> Void = { _ in }) throws -> WebSocketClient {
    var settings = ConnectionSettings()
    change(&settings)
    return try WebSocketClient(server.url, settings, clock: clock)
  }
}

extension WebSocketClient {
  /// Opens a connection and calls `body` with it.
  nonisolated(nonsending) func withConnection<Result>(
    _ body: nonisolated(nonsending) (WebSocketConnection) async throws -> Result
  ) async throws -> Result {
    try await watching(try await open(), body)
  }
}

/// The texts of the next `count` messages.
nonisolated(nonsending) func texts(_ count: Int, from connection: WebSocketConnection) async throws -> [String] {
  var texts: [String] = []
  while texts.count < count { texts += try await connection.receive().map(\.text) }
  return texts
}

/// The error that ends a connection; messages before it are ignored.
nonisolated(nonsending) func ending(of connection: WebSocketConnection) async -> WebSocketError? {
  while true {
    do { _ = try await connection.receive() } catch { return error as? WebSocketError }
  }
}

/// A TCP client that sends a text and stores what it receives.
final class RawClient: Sendable {
  private let channel: any Channel
  private let heard = Watched("")

  /// With `byteByByte` every byte is sent by itself.
  init(port: Int, saying text: String, byteByByte: Bool = false) async throws {
    let heard = heard
    channel = try await ClientBootstrap(group: NetworkThreads.group)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Ear(heard)) }
      }
      .connect(host: "127.0.0.1", port: port).get()
    for part in byteByByte ? text.utf8.map({ [$0] }) : [Array(text.utf8)] {
      try await channel.writeAndFlush(ByteBuffer(bytes: part)).get()
    }
  }

  /// The first line that is received.
  func firstLine() async -> String {
    await heard.wait { $0.contains { $0.isNewline } }
    return String(heard.value.prefix { !$0.isNewline })
  }

  /// Waits until the other side has closed.
  func awaitEnd() async { try? await channel.closeFuture.get() }

  func close() { channel.close(promise: nil) }

  private final class Ear: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let heard: Watched<String>
    init(_ heard: Watched<String>) { self.heard = heard }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      heard.update { $0 += text }
    }
  }
}
