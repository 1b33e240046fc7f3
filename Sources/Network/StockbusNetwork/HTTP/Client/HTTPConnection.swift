internal import EventBus
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import StockbusTLS
internal import StockbusText

/// A connection of an HTTP client, for one exchange after another (RFC 9112).
struct HTTPConnection: Sendable {
  enum OpeningError: Error {
    /// The handshake, or the proxy, takes too long.
    case late
    /// The proxy does not lead to the server.
    case proxy
  }

  private let channel: any Channel
  private let parts: NIOLoopBound<HTTPParts>

  /// False once the connection has ended.
  var isActive: Bool { channel.isActive }

  func close() { channel.close(promise: nil) }

  // MARK: Opening

  /// Connects, through the route's proxy if it has one, and sets up TLS, all within `limit`.
  static func open(_ route: HTTPRoute, _ tls: TLSContext?, within limit: TimeAmount) async throws -> HTTPConnection {
    let deadline = NIODeadline.now() + limit
    let channel = try await connect(route, limit)
    // Without TLS and proxy the connection is open.
    let isUnfinished = tls != nil || route.proxy != nil
    let alarm = isUnfinished ? channel.eventLoop.scheduleTask(deadline: deadline) { Self.endOpening(of: channel) } : nil
    defer { alarm?.cancel() }
    return try await closing(channel) {
      do {
        if let proxy = route.proxy { try await tunnel(through: proxy, to: route, channel) }
        let connection = try await HTTPConnection(channel, tls.map { ($0, route.host) })
        if tls != nil { try await connection.onLoop { $0.secured() } }
        return connection
      } catch is HTTPParts.Closed where NIODeadline.now() >= deadline {
        // The deadline has passed while no handler could report it.
        throw OpeningError.late
      }
    }
  }

  private static func endOpening(of channel: any Channel) {
    channel.pipeline.fireErrorCaught(OpeningError.late)
    channel.close(promise: nil)
  }

  /// Closes the channel if `body` throws, or the task is cancelled.
  private static func closing<Result: Sendable>(_ channel: any Channel, _ body: () async throws -> Result) async throws -> Result {
    try await withTaskCancellationHandler {
      do { return try await body() } catch {
        channel.close(promise: nil)
        throw error
      }
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  private static func connect(_ route: HTTPRoute, _ limit: TimeAmount) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: NetworkThreads.group).connectTimeout(limit).channelOption(.autoRead, value: false)
    let attempt =
      if let socket = route.socket {
        bootstrap.connect(unixDomainSocketPath: socket)
      } else {
        bootstrap.connect(host: route.proxy?.host ?? route.host, port: route.proxy?.port ?? route.port)
      }
    // A cancelled task does not wait for the system.
    let outcome = WaitableValue<Result<any Channel, any Error>?>(nil)
    attempt.whenComplete { result in
      let isAbandoned = outcome.update { outcome in
        defer { outcome = outcome ?? result }
        return outcome != nil
      }
      if isAbandoned, case .success(let channel) = result { channel.close(promise: nil) }
    }
    await outcome.wait { $0 != nil }
    let result = outcome.update { outcome in
      outcome = outcome ?? .failure(CancellationError())
      return outcome
    }
    return try (result ?? .failure(CancellationError())).get()
  }

  /// Asks the proxy for a tunnel to the server (RFC 9110, section 9.3.6).
  private static func tunnel(through proxy: EnvironmentProxy, to route: HTTPRoute, _ channel: any Channel) async throws {
    let connection = try await HTTPConnection(channel, nil)
    let server = "\(HostAndPort.written(route.host)):\(route.port)"
    var head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: server)
    head.headers.add(name: "Host", value: server)
    if let credentials = proxy.credentials {
      head.headers.add(name: "Proxy-Authorization", value: "Basic \(Base64.encode(credentials.utf8))")
    }
    guard case .head(let answer) = try await connection.exchange(head, nil), (200...299).contains(answer.status.code),
      case .end = try await connection.next()
    else { throw OpeningError.proxy }
    try await connection.removeHandlers()
  }

  /// Adds the handlers of TLS and HTTP to a connected channel.
  private init(_ channel: any Channel, _ tls: (context: TLSContext, host: String)?) async throws {
    self.channel = channel
    parts = try await channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      if let tls { try pipeline.addHandler(TLSHandler(client: tls.context, host: tls.host)) }
      try pipeline.addHTTPClientHandlers()
      let parts = HTTPParts(on: channel.eventLoop)
      try pipeline.addHandler(parts)
      return NIOLoopBound(parts, eventLoop: channel.eventLoop)
    }.get()
  }

  private func removeHandlers() async throws {
    try await channel.eventLoop.flatSubmit { [channel, parts] in
      let pipeline = channel.pipeline.syncOperations
      do {
        let others = try [
          pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self),
          pipeline.context(handlerType: HTTPRequestEncoder.self),
          pipeline.context(handlerType: NIOHTTPRequestHeadersValidator.self),
        ]
        let removed = [pipeline.removeHandler(parts.value)] + others.map { pipeline.removeHandler(context: $0) }
        return EventLoopFuture.andAllSucceed(removed, on: channel.eventLoop)
      } catch { return channel.eventLoop.makeFailedFuture(error) }
    }.get()
  }

  // MARK: An exchange

  /// Sends a request, and returns the first part of the response.
  func exchange(_ head: HTTPRequestHead, _ body: ByteBuffer?) async throws -> HTTPClientResponsePart {
    try await onLoop {
      $0.send(head, body)
      return $0.next()
    }
  }

  /// The next part of the response. A cancelled task has to close the connection.
  func next() async throws -> HTTPClientResponsePart { try await onLoop { $0.next() } }

  /// Ends the exchange: the connection waits for the next one, and closes after `time`.
  func rest(for time: TimeAmount) { channel.eventLoop.execute { [parts] in parts.value.beginRest(time) } }

  /// Begins the next exchange; returns false if the connection can no longer be used.
  func wake() async -> Bool { (try? await channel.eventLoop.submit { [parts] in parts.value.endRest() }.get()) ?? false }

  private func onLoop<Result: Sendable>(_ body: @escaping @Sendable (HTTPParts) -> EventLoopFuture<Result>) async throws -> Result {
    try await channel.eventLoop.flatSubmit { [parts] in body(parts.value) }.get()
  }
}
