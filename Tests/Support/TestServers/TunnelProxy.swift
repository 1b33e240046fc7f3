internal import NIOCore
internal import NIOPosix
public import StockbusTestKit

/// A proxy on loopback that makes tunnels (CONNECT) to servers on loopback, whatever their names.
///
/// Call `close()` at the end; otherwise the port stays open until the process ends.
public final class TunnelProxy: Sendable {
  /// The heads of the requests, as they came.
  public let asked = Watched<[String]>([])
  public let port: Int
  private let channel: any Channel

  /// - Parameter target: the port that all tunnels lead to.
  public init(to target: Int) async throws {
    let asked = asked
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(TunnelHandler(asked, target)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  public func close() async { try? await channel.close() }
}

/// The client's side of a tunnel: first its request, then what goes through.
private final class TunnelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let asked: Watched<[String]>
  private let target: Int
  private var head = ""
  private var server: (any Channel)?

  init(_ asked: Watched<[String]>, _ target: Int) {
    self.asked = asked
    self.target = target
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if let server { return server.writeAndFlush(bytes, promise: nil) }
    head += String(buffer: bytes)
    guard head.hasSuffix("\r\n\r\n") else { return }
    asked.update { $0.append(head) }
    let (client, handler) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { $0.pipeline.addHandler(BackHandler(client)) }
      .connect(host: "127.0.0.1", port: target)
      .whenSuccess { server in
        handler.value.server = server
        client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"), promise: nil)
      }
  }

  func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
}

/// The server's side.
private final class BackHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let client: any Channel

  init(_ client: any Channel) { self.client = client }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { client.writeAndFlush(unwrapInboundIn(data), promise: nil) }

  func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
