internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import StockbusTLS
public import StockbusTestKit

/// An HTTP server on loopback that follows a test's script: it responds, hangs, cuts the connection, or sends too much.
///
/// Call `close()` at the end; otherwise the port stays open until the process ends.
public final class ScriptedServer: Sendable {
  public struct Request: Sendable, Hashable {
    public let method: String
    /// With the query.
    public let path: String
    /// The first value of each name, in lower case.
    public let headers: [String: String]
    public let body: String
  }

  public enum Reaction: Sendable {
    case answer(Int, [String: String] = [:], String = "")
    /// Never responds.
    case hang
    /// Begins a response and closes the connection in the middle.
    case cut
    /// Closes the connection without a word.
    case hangUp
    /// Sends these bytes unchanged and closes.
    case raw(String)
    /// Sends a body in pieces of 64 KiB without a length, until it is no longer read.
    case flood
  }

  /// All complete requests, in order.
  public let received = Watched<[Request]>([])
  /// The client's port of each request: the same on the same connection.
  public let clients = Watched<[Int]>([])
  public let port: Int
  private let isSecure: Bool
  private let channel: any Channel

  /// - Parameters:
  ///   - tls: certificate chain and key, both PEM; without them the server uses plain HTTP.
  ///   - script: what to do with a request; the number counts from 0.
  public init(
    tls: (chain: String, key: String)? = nil, _ script: @escaping @Sendable (_ request: Request, _ number: Int) -> Reaction
  ) async throws {
    let context = try tls.map { try TLSContext(chain: $0.chain, key: $0.key) }
    let (received, clients) = (received, clients)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context { try channel.pipeline.syncOperations.addHandler(TLSHandler(server: context)) }
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
          try channel.pipeline.syncOperations.addHandler(ScriptHandler(received: received, clients: clients, script: script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
    isSecure = tls != nil
  }

  /// `http://127.0.0.1:4711`; with TLS the host is `localhost`, as in certificates.
  public var origin: String { isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

  /// Returns when this many requests have come.
  public func waitForRequests(_ count: Int) async { await received.wait { $0.count >= count } }

  public func close() async { try? await channel.close() }
}

/// One connection.
private final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let received: Watched<[ScriptedServer.Request]>
  private let clients: Watched<[Int]>
  private let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reaction
  private var head: HTTPRequestHead?
  private var body = ByteBuffer()

  init(
    received: Watched<[ScriptedServer.Request]>, clients: Watched<[Int]>,
    script: @escaping @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reaction
  ) {
    self.received = received
    self.clients = clients
    self.script = script
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body.clear()
    case .body(let part): body.writeImmutableBuffer(part)
    case .end:
      guard let head else { return }
      let port = context.remoteAddress?.port ?? 0
      let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
      let request = ScriptedServer.Request(
        method: head.method.rawValue, path: head.uri, headers: headers, body: String(buffer: body))
      clients.update { $0.append(port) }
      let number = received.update { list in
        list.append(request)
        return list.count - 1
      }
      react(script(request, number), context)
    }
  }

  private func react(_ reaction: ScriptedServer.Reaction, _ context: ChannelHandlerContext) {
    switch reaction {
    case .hang: return
    case .answer(let status, let headers, let text):
      var fields = HTTPHeaders(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      if status != 304, status != 204 { fields.add(name: "Content-Length", value: String(text.utf8.count)) }
      let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      if status != 304, status != 204 { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil) }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    case .cut:
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "1000"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "half")))), promise: nil)
      context.close(promise: nil)
    case .hangUp: context.close(promise: nil)
    case .raw(let text):
      writeRaw(text, context)
    case .flood:
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Transfer-Encoding": "chunked"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      flood(NIOLoopBound(self, eventLoop: context.eventLoop), NIOLoopBound(context, eventLoop: context.eventLoop))
    }
  }

  /// Bypasses the encoder of responses.
  private func writeRaw(_ text: String, _ context: ChannelHandlerContext) {
    let channel = context.channel
    let removed =
      (try? context.pipeline.syncOperations.handler(type: HTTPResponseEncoder.self))
      .map { context.pipeline.syncOperations.removeHandler($0) } ?? context.eventLoop.makeSucceededVoidFuture()
    removed.whenComplete { _ in
      channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
    }
  }

  private func flood(_ handler: NIOLoopBound<ScriptHandler>, _ context: NIOLoopBound<ChannelHandlerContext>) {
    let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(repeating: 120, count: 1 << 16)))
    let sent = context.value.writeAndFlush(wrapOutboundOut(part))
    sent.whenSuccess { handler.value.flood(handler, context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
