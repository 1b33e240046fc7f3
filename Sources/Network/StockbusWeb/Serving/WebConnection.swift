internal import NIOCore
internal import StockbusNetwork
internal import StockbusPlugin
internal import Synchronization

/// One connection of a client: the state shared by its channel's handlers and the task that serves it.
final class WebConnection: Sendable {
  /// Input from the channel.
  enum Arrival: Sendable {
    case request(RequestAssembly.Whole)
    case fault(RequestFault)
  }

  private enum Phase {
    /// No request bytes have arrived yet; the TLS handshake is a part of this phase.
    case opening
    /// The first byte of a further request is awaited.
    case idle
    case head, body, answering
  }

  private struct State {
    var phase = Phase.opening
    /// When the phase began.
    var since: Duration
    var arrival: Arrival?
    var socket: WebSocketConnection?
    var isStopping = false
    /// The message that a WebSocket is sent when the server stops.
    var farewell: WebSocketFrames?
    var isGone = false
    var hasFailedTLS = false
    /// True for a WebSocket that needs no task any more.
    var isPassed = false
  }

  /// The address of the other end; `unix` for a Unix socket.
  let address: String
  /// Whether the connection counts towards the limit of its address.
  let isCounted: Bool
  private let channel: any Channel
  private let roll: WebRoll
  private let limits: WebLimits
  private let clock: any Timekeeper
  private let state: Mutex<State>
  private let news = Bell()

  init(_ channel: any Channel, address: String, isCounted: Bool, _ roll: WebRoll, limits: WebLimits, clock: any Timekeeper) {
    self.channel = channel
    self.address = address
    self.isCounted = isCounted
    self.roll = roll
    self.limits = limits
    self.clock = clock
    state = Mutex(State(since: clock.uptime))
    channel.closeFuture.whenComplete { [weak self] _ in self?.gone() }
  }

  /// True once the connection has become a WebSocket.
  var isSocket: Bool { state.withLock { $0.socket != nil } }

  /// True if only a part of a request has arrived.
  var isReceiving: Bool { state.withLock { $0.phase == .head || $0.phase == .body } }

  // MARK: The channel's side

  /// Notes that bytes have arrived: the first one begins a request.
  func noteBytes() { move { $0 == .opening || $0 == .idle ? .head : $0 } }

  /// Notes that the head of a request is complete, but not the body.
  func noteHead() { move { $0 == .answering ? $0 : .body } }

  func deliver(_ arrival: Arrival) {
    state.withLock { $0.arrival = arrival }
    news.ring()
  }

  func failedTLS() {
    state.withLock { state in if state.phase == .opening { state.hasFailedTLS = true } }
  }

  private func gone() {
    let isPassed = state.withLock { state in
      state.isGone = true
      return state.isPassed
    }
    news.ring()
    if isPassed { roll.dismiss(self) }
  }

  private func move(_ next: (Phase) -> Phase) {
    let now = clock.uptime
    let isMoved = state.withLock { state in
      let phase = next(state.phase)
      if phase == state.phase { return false }
      // The TLS handshake and the first head have one deadline; that of each head runs from its first byte, however many more arrive.
      if state.phase != .opening || phase == .body { state.since = now }
      state.phase = phase
      return true
    }
    guard isMoved else { return }
    news.ring()
    roll.ring()
  }

  // MARK: The task's side

  /// Serves the connection with the responses of `responder`, and returns once the channel is closed, or is a WebSocket that needs no task.
  func serve(_ responder: WebResponder, _ watch: ConnectionWatch) async {
    var end = Step.next
    while case .next = end, let arrival = await next() { end = await answer(arrival, responder) }
    if case .upgrade(let head, let request, let handler) = end, await upgrade(head, request, handler, watch) {
      let isGone = state.withLock { state in
        state.isPassed = true
        return state.isGone
      }
      if isGone { roll.dismiss(self) }
      return
    }
    if state.withLock({ $0.hasFailedTLS }) { roll.count(.malformed) }
    await close()
    roll.dismiss(self)
  }

  /// The next request, or the fault of an invalid one; nil if the connection has to end. Waits within the deadlines.
  private func next() async -> Arrival? {
    while !Task.isCancelled {
      let heard = news.rings
      let (arrival, phase, since, isOver) = state.withLock { state in
        defer { state.arrival = nil }
        let isBetween = state.phase == .opening || state.phase == .idle || state.phase == .head
        return (state.arrival, state.phase, state.since, state.isGone || state.isStopping && isBetween)
      }
      if let arrival {
        move { _ in .answering }
        return arrival
      }
      if isOver { return nil }
      let deadline = since + limit(of: phase)
      if clock.uptime >= deadline {
        switch phase {
        case .idle: return nil
        case .opening:
          roll.count(.slow)
          return nil
        case .head, .body, .answering: return .fault(RequestFault(408, .slow, "the request did not come in time"))
        }
      }
      await news.wait(until: deadline, clock) { news.rings == heard }
    }
    return nil
  }

  private func limit(of phase: Phase) -> Duration {
    switch phase {
    case .opening, .head, .answering: limits.headDeadline
    case .idle: limits.idleDeadline
    case .body: limits.bodyDeadline
    }
  }

  /// The next step after the response to a request.
  private enum Step {
    /// Another request may follow.
    case next
    case end
    case upgrade(WebResponse, WebRequest, WebRoutes.SocketHandler)
  }

  private func answer(_ arrival: Arrival, _ responder: WebResponder) async -> Step {
    switch arrival {
    case .fault(let fault):
      roll.count(fault.reason)
      if await write(WebReply(responder.refusal(fault), isKept: false, isHead: false)) { await linger() }
      return .end
    case .request(let whole):
      let request = responder.request(whole, from: address)
      switch await responder.respond(request) {
      case .answer(let response):
        if let produce = response.stream, request.method != .head {
          await stream(response, produce)
          return .end
        }
        let isKept = whole.head.isKept && !roll.isStopping && response.fields["connection"] != "close"
        guard await write(WebReply(response, isKept: isKept, isHead: request.method == .head)) else { return .end }
        if isKept {
          move { _ in .idle }
          channel.triggerUserOutboundEvent(WebCommand.proceed, promise: nil)
        } else {
          await linger()
        }
        return isKept ? .next : .end
      case .upgrade(let head, let handler):
        return .upgrade(head, request, handler)
      }
    }
  }

  /// Sends a response whose body arrives in pieces, until it ends, the client closes, or the server stops.
  private func stream(_ response: WebResponse, _ produce: @escaping @Sendable (WebStream) async -> Void) async {
    channel.triggerUserOutboundEvent(WebCommand.stream, promise: nil)
    guard await write(WebReply(response, isKept: false, isHead: false)) else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await produce(WebStream { bytes in await self.write(WebReply(more: bytes, isLast: false)) }) }
      group.addTask {
        while !Task.isCancelled {
          let heard = self.news.rings
          if self.state.withLock({ $0.isGone || $0.isStopping }) { return }
          await self.news.wait(after: heard)
        }
      }
      await group.next()
      group.cancelAll()
    }
    if await write(WebReply(more: [], isLast: true)) { await linger() }
  }

  /// Returns true once the response is in the socket; false if writing has failed, or the client did not read it in time.
  private func write(_ reply: WebReply) async -> Bool {
    let isWritten = await withDeadline(
      limits.responseDeadline, clock,
      late: { [self] in
        roll.count(.unread)
        cut()
      }
    ) {
      do {
        try await channel.writeAndFlush(reply).get()
        return true
      } catch { return false }
    }
    roll.count(requests: reply.head == nil ? 0 : 1, sent: isWritten ? reply.body.count : 0)
    return isWritten
  }

  /// Waits for a limited time until the client has read the response and closed its side.
  private func linger() async {
    channel.triggerUserOutboundEvent(WebCommand.discard, promise: nil)
    await news.wait(until: clock.uptime + limits.closeDeadline, clock) { !state.withLock { $0.isGone } }
  }

  /// Returns true if the socket stays open without a task.
  private func upgrade(
    _ head: WebResponse, _ request: WebRequest, _ handler: WebRoutes.SocketHandler, _ watch: ConnectionWatch
  ) async -> Bool {
    let socket = WebSocketUpgrade.connection(clock: clock, messages: 4 * limits.messagesPerSecond, bytes: 4 * limits.message)
    guard await write(WebReply(head, isKept: true, isHead: false)) else { return false }
    do { try await channel.triggerUserOutboundEvent(WebCommand.upgrade(socket, limit: limits.message)).get() } catch { return false }
    let isStopping = state.withLock { state in
      state.socket = socket
      return state.isStopping
    }
    roll.ring()
    // The stop was requested before there was a socket.
    if isStopping {
      await end(socket)
      return false
    }
    watch.add(socket) { [weak self] in self?.cut() }
    let given = WebSocket(socket, messagesPerSecond: limits.messagesPerSecond, roll, clock)
    await handler(request, given)
    if given.outlivesHandler { return true }
    await socket.closeOnce(.goingAway, within: limits.closeDeadline)
    return false
  }

  /// Closes the channel, and returns once it is closed.
  private func close() async {
    // No data were exchanged in an unfinished TLS handshake, so the client waits for no close_notify.
    if state.withLock({ $0.phase == .opening }) { cut() } else { channel.close(promise: nil) }
    // In a task of its own, because a cancelled task cannot wait; it is awaited at once.
    await Task { [self] in
      await withDeadline(limits.closeDeadline, clock, late: { [self] in cut() }) {
        do { try await channel.closeFuture.get() } catch { return }
      }
    }.value
  }

  // MARK: The end

  /// Lets a request that is being answered finish, sends `farewell` to a WebSocket, and ends any other connection.
  func stop(_ farewell: WebSocketFrames?) async {
    let socket = state.withLock { state in
      state.isStopping = true
      state.farewell = farewell
      return state.socket
    }
    news.ring()
    if let socket { await end(socket) }
  }

  private func end(_ socket: WebSocketConnection) async {
    if let farewell = state.withLock({ $0.farewell }) { socket.queue(farewell) }
    await socket.closeOnce(.goingAway, within: limits.closeDeadline)
  }

  /// Closes the socket at once.
  func cut() { channel.triggerUserOutboundEvent(WebCommand.cut, promise: nil) }
}
