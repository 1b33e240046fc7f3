import NIOCore
import NIOPosix
import StockbusNetwork
import StockbusPlugin
import StockbusTLS
import StockbusTestKit

@testable import StockbusWeb

/// A server on loopback with a manual clock.
struct Site {
  let clock = ManualTimekeeper()
  let server: WebServer
  /// What the server has said that it refused.
  let refused = Watched<[WebRefusal]>([])

  init(_ routes: WebRoutes, _ change: (inout WebServer.Settings) -> Void = { _ in }) async throws {
    var settings = WebServer.Settings(.port("127.0.0.1", 0))
    change(&settings)
    server = try await WebServer.start(settings, routes, clock: clock) { [refused] reason in refused.update { $0.append(reason) } }
  }

  var origin: String { "http://127.0.0.1:\(server.port)" }

  func talk() async throws -> Talk { try await Talk(port: server.port) }

  /// The whole response to one request on a connection of its own.
  func ask(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil, host: String? = nil) async throws -> Heard {
    let talk = try await talk()
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(server.port)")", "Connection: close"] + fields
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    try await talk.say(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    return await talk.hearAll()
  }

  /// A client for WebSockets that says it is a page of `origin`.
  func socket(_ path: String, origin: String? = nil, subprotocol: String? = nil, limit: Int? = nil) throws -> WebSocketClient {
    var settings = ConnectionSettings()
    settings.headers = ["Origin": Secret(origin ?? self.origin)]
    settings.subprotocol = subprotocol
    return try WebSocketClient(WebSocketURL(option: "ws://127.0.0.1:\(server.port)\(path)"), settings, clock: clock)
  }

  /// Waits until the counts meet the condition.
  func wait(until condition: (WebCounts) -> Bool) async { await server.wait(until: condition) }

  /// Sends bytes on a connection of their own; returns everything until the server closes its side.
  func send(_ text: String) async throws -> Heard {
    let talk = try await talk()
    try await talk.say(text)
    return await talk.hearAll()
  }
}

/// A response as it came.
struct Heard: Sendable {
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var status: Int { Int(text.dropFirst(9).prefix(3)) ?? 0 }
  var body: String { text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }

  subscript(name: String) -> String? {
    let head = text.firstRange(of: "\r\n\r\n").map { text[..<$0.lowerBound] } ?? text[...]
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ":") {
      return String(line.dropFirst(name.utf8.count + 1).drop { $0 == " " })
    }
    return nil
  }
}

/// A TCP client that sends text and keeps what it receives.
final class Talk: Sendable {
  private struct State: Sendable {
    var bytes: [UInt8] = []
    var isOver = false
  }

  private let channel: any Channel
  private let state = Watched(State())

  convenience init(port: Int) async throws { try await self.init { try await $0.connect(host: "127.0.0.1", port: port).get() } }

  /// - Parameter tls: with it the client uses TLS, for `localhost`.
  init(tls: TLSContext? = nil, _ connect: (ClientBootstrap) async throws -> any Channel) async throws {
    let state = state
    channel = try await connect(
      ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let tls {
              try channel.pipeline.syncOperations.addHandler(TLSHandler(client: tls, host: "localhost"))
            }
            try channel.pipeline.syncOperations.addHandler(Ear(state))
          }
        })
  }

  func say(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }
  func say(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

  /// Sends no more, but goes on reading.
  func hangUp() async throws { try await channel.close(mode: .output).get() }

  /// Everything until the server has closed its side.
  func hearAll() async -> Heard {
    await state.wait { $0.isOver }
    close()
    return Heard(bytes: state.value.bytes)
  }

  /// What has come, once it has `text`.
  func hear(_ text: String) async -> Heard {
    await state.wait { $0.isOver || String(decoding: $0.bytes, as: UTF8.self).contains(text) }
    return Heard(bytes: state.value.bytes)
  }

  func close() { channel.close(promise: nil) }

  /// Reads nothing more.
  func stall() async throws { try await channel.setOption(.autoRead, value: false).get() }

  private final class Ear: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let state: Watched<State>
    init(_ state: Watched<State>) { self.state = state }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = Array(unwrapInboundIn(data).readableBytesView)
      state.update { $0.bytes += bytes }
    }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .some(.inputClosed) = event as? ChannelEvent { state.update { $0.isOver = true } }
    }
    func channelInactive(context: ChannelHandlerContext) { state.update { $0.isOver = true } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

extension WebRoutes {
  /// `GET /hello`, `POST /echo`, `GET /items/:name`.
  static var simple: WebRoutes {
    var routes = WebRoutes()
    routes.add(.get, "/hello") { _ in .text("hello") }
    routes.add(.post, "/echo") { request in .json(text: String(decoding: request.body, as: UTF8.self)) }
    routes.add(.get, "/items/:name") { request in .text(request.parameters["name"] ?? "") }
    return routes
  }
}
