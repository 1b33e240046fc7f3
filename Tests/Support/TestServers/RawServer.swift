public import NIOCore
internal import NIOPosix

/// A TCP server that answers what comes on a connection with bytes, or only listens.
public final class RawServer: Sendable {
  public let channel: any Channel
  public var port: Int { channel.localAddress?.port ?? 0 }

  public convenience init(answering answer: String?) async throws {
    try await self.init { _ in answer.map { Array($0.utf8) } }
  }

  public init(_ answer: @escaping @Sendable (String) -> [UInt8]?) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answer(answer)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  public func stop() async { try? await channel.close().get() }

  private final class Answer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let answer: @Sendable (String) -> [UInt8]?
    init(_ answer: @escaping @Sendable (String) -> [UInt8]?) { self.answer = answer }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if let answer = answer(String(buffer: unwrapInboundIn(data))) {
        context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil)
      }
    }
  }
}
