internal import NIOCore
internal import NIOHTTP1
internal import StockbusNetwork
internal import StockbusTLS

/// The last handler of a channel's pipeline: passes requests to the connection's task, one at a time, and writes its responses. Used only on
/// its channel's thread. It reads no further while a request is being answered.
final class WebHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = WebReply
  typealias OutboundOut = HTTPServerResponsePart

  private enum Mode {
    case reading
    /// A request is being answered.
    case waiting
    /// A request is being answered in pieces.
    case streaming
    /// Data that are not a request have arrived: no more is read.
    case over
  }

  private let connection: WebConnection
  private let intake: WebIntake
  private let limits: WebLimits
  private var assembly: RequestAssembly
  private var mode = Mode.reading
  private var isInputClosed = false
  /// The most bytes of requests that wait for the previous one.
  private static let waitingLimit = 1 << 20

  init(_ connection: WebConnection, _ intake: WebIntake, _ limits: WebLimits, _ assembly: RequestAssembly) {
    self.connection = connection
    self.intake = intake
    self.limits = limits
    self.assembly = assembly
  }

  // MARK: Reading

  func channelActive(context: ChannelHandlerContext) { context.read() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    intake.noteProgress()
    if case .over = mode { return }
    assembly.append(Self.unwrapInboundIn(data))
    // When the client has closed its side, NIO reads the remaining data of the socket, even if they were not requested.
    if mode == .waiting || mode == .streaming, assembly.held > Self.waitingLimit { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) { if case .reading = mode { advance(context) } }

  /// Takes the data that have arrived; continues to read if they are not a whole request.
  private func advance(_ context: ChannelHandlerContext) {
    do throws(RequestFault) {
      if let whole = try assembly.next() {
        mode = .waiting
        return connection.deliver(.request(whole))
      }
      if isInputClosed { return context.close(promise: nil) }
      if assembly.isInside { connection.noteHead() }
      if assembly.takeContinue() {
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
      }
      context.read()
    } catch {
      mode = .over
      connection.deliver(.fault(error))
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as HTTPParserError:
      guard let fault = RequestFault(error, limits) else { return }
      // After the requests before the fault.
      assembly.append(fault)
      if case .reading = mode { advance(context) }
    case is ByteToMessageDecoderError: break
    case is TLSFailure:
      connection.failedTLS()
      context.close(promise: nil)
    default: context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .some(.inputClosed) = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
    // The client sends no more, but may still read the responses to its requests.
    isInputClosed = true
    if case .reading = mode { advance(context) }
    if case .streaming = mode { context.close(promise: nil) }
  }

  // MARK: Writing

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let reply = Self.unwrapOutboundIn(data)
    // Only the last part of this reply has the promise.
    let hasBody = !reply.body.isEmpty
    if let head = reply.head { context.write(Self.wrapOutboundOut(.head(head)), promise: hasBody || reply.isLast ? nil : promise) }
    if hasBody {
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: reply.isLast ? nil : promise)
    }
    if reply.isLast { context.write(Self.wrapOutboundOut(.end(nil)), promise: promise) }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    switch event as? WebCommand {
    case .proceed:
      promise?.succeed()
      mode = .reading
      advance(context)
    case .stream:
      promise?.succeed()
      mode = .streaming
      if isInputClosed { context.close(promise: nil) }
    case .upgrade(let socket, let limit):
      context.triggerUserOutboundEvent(event, promise: nil)
      do { try WebUpgrade.begin(socket, limit: limit, in: context, replacing: self, isInputClosed: isInputClosed, promise) } catch {
        promise?.fail(error)
        context.close(promise: nil)
      }
    case .discard, .cut, nil: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }
}
