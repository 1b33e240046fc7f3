internal import StockbusNetwork
internal import NIOCore
internal import NIOPosix
internal import StockbusPlugin
internal import StockbusTLS
internal import Synchronization

/// The last handler of a channel's pipeline: transfers bytes to and from a `NATSConnection`. Used only on its channel's thread.
final class NATSHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Stage {
    /// The server sends first.
    case waitingForInfo
    case waitingForPong
    case open, over
  }

  private let connection: NATSConnection
  private let address: NATSAddress
  private let tls: TLSContext
  private let greeting: NATSGreeting
  private let acknowledgements: AcknowledgementReader
  private var reader: NATSReader
  private var stage = Stage.waitingForInfo
  private var isSecured = false
  // The results of one read.
  private var arrivals = NATSArrivals()
  private var hasPing = false
  private var failure: NATSError?

  init(_ connection: NATSConnection, _ address: NATSAddress, tls: TLSContext, greeting: NATSGreeting, limits: NATSLimits) {
    self.connection = connection
    self.address = address
    self.tls = tls
    self.greeting = greeting
    acknowledgements = AcknowledgementReader(
      subject: connection.acknowledgements, subscription: NATSConnection.acknowledgementSubscription)
    reader = NATSReader(limits: limits)
  }

  func channelActive(context: ChannelHandlerContext) {
    guard connection.connected(context.channel) else { return context.close(promise: nil) }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if stage == .over { return }
    reader.append(unwrapInboundIn(data))
    do throws(NATSError) {
      while stage != .over {
        // There are no subscriptions before.
        if stage == .open { reader.take(acknowledgements, into: &arrivals.stored) }
        guard let operation = try reader.next() else { break }
        try take(operation, context)
      }
    } catch {
      stage = .over
      failure = failure ?? error
    }
  }

  private func take(_ operation: NATSOperation, _ context: ChannelHandlerContext) throws(NATSError) {
    switch operation {
    case .message(let message):
      // There are no subscriptions before.
      if stage != .open { throw .protocolViolation("a message before the end of the login") }
      arrivals.add(message)
    case .ping: hasPing = true
    case .pong: if stage == .waitingForPong { open(context) } else { connection.ponged() }
    case .ok: break
    case .error(let words):
      guard let error = NATSError.meaning(of: words) else { return connection.complain(words.printable) }
      throw error
    case .info(let info):
      if info.isLameDuck { throw .lameDuck }
      connection.greeted(info)
      if stage == .waitingForInfo { try greet(info, context) }
    }
  }

  /// Replies to the server's first line; with TLS after its handshake, which the TLS handler completes before it passes anything on.
  private func greet(_ info: NATSServerInfo, _ context: ChannelHandlerContext) throws(NATSError) {
    if address.isSecure, !info.requiresTLS, !info.offersTLS { throw .tls("'\(address.host)' offers no TLS") }
    if address.isSecure || info.requiresTLS {
      // Bytes received without encryption must not count as if they had been received through TLS.
      if reader.held > 0 { throw .protocolViolation("it sent data before TLS had begun") }
      do {
        try context.pipeline.syncOperations.addHandler(
          TLSHandler(client: tls, host: address.host), position: .first)
      } catch { throw .tls("TLS failed: \("\(error)".printable)") }
    }
    let text = try greeting.text(for: info)
    stage = .waitingForPong
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
  }

  private func open(_ context: ChannelHandlerContext) {
    stage = .open
    let subscriptions =
      "SUB \(connection.inbox).r.* \(NATSConnection.requestSubscription)\r\n"
      + "SUB \(connection.inbox).p.* \(NATSConnection.acknowledgementSubscription)\r\n"
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: subscriptions)), promise: nil)
    if !connection.opened() { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasPing {
      hasPing = false
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "PONG\r\n")), promise: nil)
    }
    let mayRead = finishRead()
    if let failure {
      self.failure = nil
      connection.fail(failure)
    }
    if mayRead { context.read() }
    context.fireChannelReadComplete()
  }

  @discardableResult
  private func finishRead() -> Bool {
    defer {
      arrivals.messages.removeAll(keepingCapacity: true)
      arrivals.stored.removeAll(keepingCapacity: true)
    }
    return connection.deliver(arrivals)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { connection.room.ring() }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    finishRead()
    connection.gone(stage == .open ? .closed("") : failure ?? .closed("before the end of the login"))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finishRead()
    if let words = tlsFailure(error, host: address.host, plain: "nats://"), stage != .open {
      _ = connection.end(.tls(words))
    } else {
      _ = connection.end(.closed(systemWords(error)))
    }
    stage = .over
    context.close(promise: nil)
  }
}
