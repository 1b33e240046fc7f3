internal import NIOCore
internal import NIOHTTP1
internal import StockbusNetwork

/// A placeholder for the WebSocket while NIO's handlers for HTTP leave the pipeline; keeps the bytes that arrived with the request. Used
/// only on its channel's thread.
///
/// NIO's `NIOTypedHTTPServerUpgradeHandler` upgrades only the first request of a connection; a proxy may send such a request later on a
/// connection that it keeps.
final class WebUpgrade: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private var rest = ByteBuffer()

  /// Replaces the handlers for HTTP, of which `handler` is the last one, by those of the WebSocket; `promise` reports the result.
  static func begin(
    _ socket: WebSocketConnection, limit: Int, in context: ChannelHandlerContext, replacing handler: WebHandler, isInputClosed: Bool,
    _ promise: EventLoopPromise<Void>?
  ) throws {
    let (channel, pipeline) = (context.channel, context.pipeline.syncOperations)
    let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
    let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
    // From now on the end of the client's data is the end of the connection.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
    let upgrade = WebUpgrade()
    try pipeline.addHandler(upgrade, position: .after(handler))
    pipeline.removeHandler(context: encoder, promise: nil)
    pipeline.removeHandler(context: context, promise: nil)
    let removed = context.eventLoop.makePromise(of: Void.self)
    pipeline.removeHandler(context: decoder, promise: removed)
    removed.futureResult.assumeIsolated().whenComplete { result in
      do {
        try result.get()
        let context = try pipeline.context(handler: upgrade)
        try WebSocketUpgrade.install(socket, after: upgrade, in: context, rest: upgrade.rest, limit: limit)
        pipeline.removeHandler(context: context, promise: nil)
        if isInputClosed { channel.close(promise: nil) }
        promise?.succeed()
      } catch {
        promise?.fail(error)
        channel.close(promise: nil)
      }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = Self.unwrapInboundIn(data)
    rest.writeBuffer(&bytes)
  }
}
