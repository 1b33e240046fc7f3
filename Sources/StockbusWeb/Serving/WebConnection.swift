internal import NIOCore
internal import NIOSSL
internal import StockbusNetwork
internal import StockbusPlugin
internal import Synchronization

/// One connection of a client: what its channel's handler and the task that serves it share.
final class WebConnection: Sendable {
  enum Step: Sendable {
    /// The handshake of TLS, or the first byte, is awaited.
    case connecting
    case reading(RequestReader.Phase)
    case request(RequestReader.Whole)
    case fault(RequestFault)
    case answering
    case ended
  }

  private struct State {
    var step = Step.connecting
    /// When the step began.
    var since: Duration
    var channel: (any Channel)?
    var socket: WebSocketConnection?
    var isGone = false
  }

  /// The address of the other end; `unix` for a Unix socket.
  let address: String
  /// Whether it counts among those of its address.
  let isCounted: Bool
  private let limits: WebLimits
  private let clock: any Timekeeper
  private let state: Mutex<State>
  private let news = Bell()

  init(address: String, isCounted: Bool, limits: WebLimits, clock: any Timekeeper) {
    self.address = address
    self.isCounted = isCounted
    self.limits = limits
    self.clock = clock
    state = Mutex(State(since: clock.uptime))
  }

  /// The WebSocket that the connection has become.
  var socket: WebSocketConnection? { state.withLock { $0.socket } }

  /// True if a part of a request has come.
  var isReceiving: Bool {
    state.withLock { state in
      switch state.step {
      case .reading(.head), .reading(.body): true
      default: false
      }
    }
  }

  // MARK: The channel's side

  /// Returns false if the connection is not wanted any more.
  func connected(_ channel: any Channel) -> Bool {
    let isWanted = state.withLock { state in
      if case .ended = state.step { return false }
      state.channel = channel
      return true
    }
    news.ring()
    return isWanted
  }

  func note(_ phase: RequestReader.Phase) {
    let now = clock.uptime
    state.withLock { state in
      switch state.step {
      // The deadline runs from the first byte, however many more come.
      case .reading(phase): return
      case .connecting where phase == .idle: return
      case .ended: return
      case .connecting: state.step = .reading(phase)  // with the deadline that runs already
      default:
        state.step = .reading(phase)
        state.since = now
      }
    }
    news.ring()
  }

  func deliver(_ whole: RequestReader.Whole) { move(to: .request(whole)) }
  func deliver(_ fault: RequestFault) { move(to: .fault(fault)) }

  func failed(_ error: any Error) {
    let isFirst = state.withLock { state in
      if case .connecting = state.step { return state.channel != nil }
      return false
    }
    // A handshake of TLS that fails; other errors are lost connections.
    if isFirst, error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError {
      deliver(.noTLS)
    }
  }

  func gone() {
    let socket = state.withLock { state in
      state.isGone = true
      if case .fault = state.step {} else { state.step = .ended }
      return state.socket
    }
    // The channel has ended before it became a WebSocket.
    socket?.drop()
    news.ring()
  }

  private func move(to step: Step) {
    let now = clock.uptime
    state.withLock { state in
      if case .ended = state.step { return }
      state.step = step
      state.since = now
    }
    news.ring()
  }

  // MARK: The task's side

  private enum Next {
    case request(RequestReader.Whole)
    case fault(RequestFault)
    case end
  }

  /// Serves the connection until it has ended. Returns the responses of `responder`.
  func serve(_ responder: WebResponder, _ roll: WebRoll) async {
    loop: while true {
      switch await next(roll) {
      case .end: break loop
      case .fault(let fault):
        roll.count(fault.reason)
        if fault == .noTLS { break loop }
        let response = responder.refusal(fault)
        if await write(response, isKept: false, isHead: false, roll) { await linger() }
        break loop
      case .request(let whole):
        let request = responder.request(whole, from: address)
        switch await responder.respond(request) {
        case .answer(let response):
          let isKept = whole.head.isKept && !roll.isStopping && response.fields["connection"] != "close"
          guard await write(response, isKept: isKept, isHead: request.method == .head, roll) else { break loop }
          guard isKept else {
            await linger()
            break loop
          }
          state.withLock { state in if case .answering = state.step { state.step = .reading(.idle) } }
          restart()
          send(.proceed)
        case .upgrade(let head, let handler):
          await upgrade(head, request, handler, roll)
          break loop
        }
      }
    }
    end()
  }

  /// The next request within its deadlines.
  private func next(_ roll: WebRoll) async -> Next {
    while true {
      let (step, since, isConnected) = state.withLock { ($0.step, $0.since, $0.channel != nil) }
      let limit: Duration
      switch step {
      case .request(let whole):
        move(to: .answering)
        return .request(whole)
      case .fault(let fault):
        move(to: .answering)
        return .fault(fault)
      case .ended: return .end
      case .connecting, .reading(.head), .answering: limit = limits.headDeadline
      case .reading(.idle): limit = limits.idleDeadline
      case .reading(.body): limit = limits.bodyDeadline
      }
      if roll.isStopping, case .reading(.idle) = step { return .end }
      if clock.uptime >= since + limit {
        switch step {
        case .reading(.idle): return .end
        case .connecting:
          roll.count(.slow)
          return .end
        default: return .fault(RequestFault(408, .slow, "the request did not come in time"))
        }
      }
      await news.wait(until: since + limit, clock) {
        state.withLock { state in
          if roll.isStopping, case .reading(.idle) = state.step { return false }
          return state.since == since && Self.same(state.step, step) && (state.channel != nil) == isConnected
        }
      }
      if Task.isCancelled { return .end }
    }
  }

  private static func same(_ a: Step, _ b: Step) -> Bool {
    switch (a, b) {
    case (.connecting, .connecting), (.answering, .answering), (.ended, .ended): true
    case (.reading(let a), .reading(let b)): a == b
    default: false
    }
  }

  private func restart() {
    let now = clock.uptime
    state.withLock { $0.since = now }
  }

  /// Returns true once the response is in the socket; false if that has failed, or the client did not read it in time.
  private func write(_ response: WebResponse, isKept: Bool, isHead: Bool, _ roll: WebRoll) async -> Bool {
    guard let channel = state.withLock({ $0.channel }) else { return false }
    let bytes = response.bytes(isKept: isKept, isHead: isHead)
    let count = bytes.readableBytes
    let isWritten = await withDeadline(
      limits.responseDeadline, clock,
      late: {
        roll.count(.unread)
        channel.close(promise: nil)
      }
    ) {
      do {
        try await channel.writeAndFlush(bytes).get()
        return true
      } catch { return false }
    }
    roll.count(requests: 1, sent: isWritten ? count : 0)
    return isWritten
  }

  private func send(_ command: WebCommand) {
    state.withLock { $0.channel }?.triggerUserOutboundEvent(command, promise: nil)
  }

  /// Closes after the client has read the response and closed its side, or after a while.
  private func linger() async {
    send(.discard)
    let deadline = clock.uptime + limits.closeDeadline
    await news.wait(until: deadline, clock) { !state.withLock { $0.isGone } }
  }

  private func upgrade(
    _ head: WebResponse, _ request: WebRequest, _ handler: WebRoutes.SocketHandler, _ roll: WebRoll
  ) async {
    let socket = WebSocketUpgrade.connection(clock: clock, messages: 4 * limits.messagesPerSecond, bytes: 4 * limits.message)
    let isWanted = state.withLock { state in
      if case .ended = state.step { return false }
      state.socket = socket
      return true
    }
    guard isWanted, !roll.isStopping, await write(head, isKept: true, isHead: false, roll) else { return }
    send(.upgrade(socket, limit: limits.message))
    let given = WebSocket(socket, messagesPerSecond: limits.messagesPerSecond, roll, clock)
    await socket.serve(
      ping: limits.ping, pongDeadline: limits.pongDeadline, idleDeadline: nil, closeDeadline: limits.closeDeadline
    ) { await handler(request, given) }
  }

  /// Closes the connection at once.
  func end() {
    let channel = state.withLock { state in
      state.step = .ended
      return state.channel
    }
    channel?.close(promise: nil)
    news.ring()
  }

  /// Lets the task look whether the server stops.
  func wake() { news.ring() }
}

extension WebResponse {
  /// The response as it is sent.
  func bytes(isKept: Bool, isHead: Bool) -> ByteBuffer {
    var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
    for (name, value) in fields.entries where name != "connection" && name != "content-length" { text += "\(name): \(value)\r\n" }
    if status == 101 {
      text += "connection: upgrade\r\n"
    } else {
      if status != 204, status != 304 { text += "content-length: \(body.count)\r\n" }
      text += isKept ? "" : "connection: close\r\n"
    }
    text += "\r\n"
    var bytes = ByteBuffer()
    bytes.reserveCapacity(text.utf8.count + body.count)
    bytes.writeString(text)
    if !isHead, status != 204, status != 304 { bytes.writeBytes(body) }
    return bytes
  }
}
