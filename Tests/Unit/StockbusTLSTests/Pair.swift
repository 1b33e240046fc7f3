import NIOCore
import NIOEmbedded
import NIOTLS
import TestServers

@testable import StockbusTLS

/// A private authority, and contexts of both sides with certificates that it has issued.
struct Authority {
  let authority = TestAuthority("Private")

  func server(_ names: [String] = ["localhost"], addresses: [[UInt8]] = [], isExpired: Bool = false) throws -> TLSContext {
    let issued = authority.issue(names, addresses: addresses, isExpired: isExpired)
    return try TLSContext(chain: issued.chain, key: issued.key)
  }

  func client(_ protocols: [String] = []) throws -> TLSContext { try TLSContext(trusting: authority.certificate, protocols: protocols) }

  func pair(halfClosure: Bool = false, protocols: [String] = []) throws -> Pair {
    try Pair(client(protocols), server(), halfClosure: halfClosure)
  }
}

/// The two sides of a connection in memory; a test carries the bytes from one to the other.
final class Pair {
  let loop = EmbeddedEventLoop()
  let client: Side
  let server: Side

  init(_ client: TLSContext, _ server: TLSContext, host: String = "localhost", halfClosure: Bool = false) throws {
    self.client = try Side(TLSHandler(client: client, host: host), loop, halfClosure: halfClosure)
    self.server = try Side(TLSHandler(server: server), loop, halfClosure: halfClosure)
  }

  /// Begins the connection on both sides.
  func connect() throws -> Pair {
    for side in [client, server] { try side.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }
    return self
  }

  /// Carries all that both sides have to say, until they say no more.
  /// - Parameter cut: makes pieces, and other bytes, of what one side says at once.
  func carry(_ cut: (_ bytes: [UInt8], _ isClients: Bool) -> [[UInt8]] = { bytes, _ in [bytes] }) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for (from, to) in [(client, server), (server, client)] {
        loop.run()
        let bytes = from.sent()
        if bytes.isEmpty { continue }
        isMoving = true
        for piece in cut(bytes, from === client) { to.receive(piece) }
      }
    }
  }
}

final class Side {
  let channel: EmbeddedChannel
  let ear = Ear()
  let wire = Wire()

  init(_ handler: TLSHandler, _ loop: EmbeddedEventLoop, halfClosure: Bool = false) throws {
    channel = EmbeddedChannel(loop: loop)
    channel.allowRemoteHalfClosure = halfClosure
    try channel.pipeline.syncOperations.addHandlers([wire, handler, ear])
  }

  var isOpen: Bool { channel.isActive }

  /// The bytes for the other side.
  func sent() -> [UInt8] { buffers().flatMap { $0 } }

  /// The same, as they were handed to the socket.
  func buffers() -> [[UInt8]] {
    var all: [[UInt8]] = []
    while let next = try? channel.readOutbound(as: ByteBuffer.self) { all.append(Array(next.readableBytesView)) }
    return all
  }

  func receive(_ bytes: [UInt8]) {
    if isOpen { _ = try? channel.writeInbound(ByteBuffer(bytes: bytes)) }
  }

  /// Writes without a flush.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Outcome {
    let outcome = Outcome()
    let promise = channel.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { outcome.take($0) }
    channel.write(ByteBuffer(bytes: bytes), promise: promise)
    return outcome
  }

  @discardableResult
  func say(_ bytes: [UInt8]) -> Outcome {
    let outcome = write(bytes)
    channel.flush()
    return outcome
  }

  @discardableResult
  func say(_ text: String) -> Outcome { say(Array(text.utf8)) }

  @discardableResult
  func close(_ mode: CloseMode = .all) -> Outcome {
    let outcome = Outcome()
    let promise = channel.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { outcome.take($0) }
    channel.close(mode: mode, promise: promise)
    return outcome
  }

  /// The other side's socket is closed.
  func cutOff() { wire.cut() }

  /// The other side sends no more.
  func end() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
}

/// What a promise was told.
final class Outcome {
  private(set) var words = "-"

  func take(_ result: Result<Void, any Error>) {
    switch result {
    case .success: words = "done"
    case .failure(let error): words = "\(error)"
    }
  }
}

/// The first handler: counts what TLS asks of the socket, and keeps a half-closed channel open, which `EmbeddedChannel` cannot.
final class Wire: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private(set) var reads = 0
  private(set) var isOutputClosed = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func read(context: ChannelHandlerContext) {
    reads += 1
    context.read()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .output {
      isOutputClosed = true
      promise?.succeed()
    } else {
      context.close(mode: mode, promise: promise)
    }
  }

  func cut() { context?.close(promise: nil) }
}

/// The last handler: keeps what comes.
final class Ear: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private(set) var bytes: [UInt8] = []
  private(set) var events: [String] = []
  private(set) var errors: [String] = []
  private(set) var reads = 0
  private(set) var completedReads = 0
  /// Sends back what comes.
  var isEcho = false
  /// Said when the channel becomes active, and when the handshake is done.
  var greetings: [String] = []
  /// Closes the channel with the first data.
  var closesAtData = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func channelActive(context: ChannelHandlerContext) { greet(context) }

  private func greet(_ context: ChannelHandlerContext) {
    if !greetings.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: greetings.removeFirst())), promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let data = unwrapInboundIn(data)
    reads += 1
    bytes += data.readableBytesView
    if isEcho { context.writeAndFlush(wrapOutboundOut(data), promise: nil) }
    if closesAtData { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) { completedReads += 1 }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case TLSUserEvent.handshakeCompleted(let negotiated):
      events.append("handshake \(negotiated ?? "-")")
      greet(context)
    case TLSUserEvent.shutdownCompleted: events.append("shutdown")
    default: events.append("\(event)")
    }
  }

  func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append("\(error)") }
}
