internal import StockbusNetwork
internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

/// One connection to a NATS server, from its first packet to its last.
///
/// The owner pulls: `receive` returns the waiting messages. After the end of the connection it throws the first `NATSError`, but only when
/// all earlier messages have been received. Any task may use the connection, which itself replies to the server's pings.
package final class NATSConnection: Sendable {
  /// The subscriptions of every connection: replies to requests, and acknowledgements of published messages.
  static var requestSubscription: Int { 1 }
  package static var acknowledgementSubscription: Int { 2 }
  static var firstSubscription: Int { 3 }

  let clock: any Timekeeper
  let state = Mutex(NATSState())
  /// Rings when there are messages or replies, or when the phase has changed.
  let news = Bell()
  /// Rings when the socket can take more bytes.
  let room = Bell()
  /// Rings `news` at deadlines.
  private let alarm: Alarm
  /// The prefix of the subjects on which this connection gets replies. Other clients cannot guess it.
  let inbox: String

  init(clock: any Timekeeper, random: UInt64) {
    self.clock = clock
    alarm = Alarm(news, clock)
    // Two halves, because other clients of the server must not have the same subject by chance.
    inbox = "_INBOX.\(String(random, radix: 36))\(String(UInt64.random(in: .min ... .max), radix: 36))"
  }

  /// The server's information about itself.
  package var info: NATSServerInfo { state.withLock { $0.info } }
  /// Notes that a requested message has arrived, such as an event or a confirmation (`RetryPauses`).
  package func noteData() { state.withLock { $0.hasDelivered = true } }
  /// The prefix of the subjects of acknowledgements; a number follows.
  package var acknowledgements: String { inbox + ".p." }
  /// How many different numbers suffice if an acknowledgement's own number identifies its message.
  ///
  /// With few numbers a server is a quarter faster: it caches the receivers of 1,024 subjects, for all connections of an account together
  /// (nats-server, `slCacheMax`), and has to look up those of any other subject.
  package static var fewReplies: Int { 128 }

  // MARK: Receiving

  /// Waits until messages arrive, and returns all that have arrived since the last call; empty if none arrive before `deadline`.
  ///
  /// Without calls some mebibytes are buffered, and then reading pauses. Throws a `NATSError` once the connection has ended and all
  /// messages have been taken, and `CancellationError`.
  package nonisolated(nonsending) func receive(until deadline: Duration? = nil) async throws -> NATSArrivals {
    while true {
      let heard = news.rings
      let arrived = try takeWhatWaits()
      if !arrived.isEmpty { return arrived }
      if let deadline {
        if clock.uptime >= deadline { return arrived }
        alarm.set(deadline)
      }
      if Task.isCancelled { throw CancellationError() }
      await news.wait(after: heard)
    }
  }

  private func takeWhatWaits() throws -> NATSArrivals {
    let (arrived, resumed, ending) = state.withLock { state in
      let arrived = state.take()
      let resumed = state.isPaused ? state.channel : nil
      state.isPaused = false
      return (arrived, resumed, state.ending)
    }
    resumed?.read()
    if arrived.isEmpty, let ending { throw ending }
    return arrived
  }

  private nonisolated(nonsending) func waitForNews(until deadline: Duration, while condition: () -> Bool) async throws {
    await news.wait(until: deadline, clock, while: condition)
    if Task.isCancelled { throw CancellationError() }
  }

  // MARK: Sending

  /// Sends the contents of a batch in one write and clears the batch, without waiting for the socket.
  package func send(_ batch: inout NATSBatch) {
    if batch.count == 0 { return }
    let channel = state.withLock { state -> (any Channel)? in if case .open = state.phase { state.channel } else { nil } }
    if let channel {
      let bytes = batch.bytes.withBytes { ByteBuffer(bytes: UnsafeRawBufferPointer($0)) }
      channel.writeAndFlush(bytes, promise: nil)
    }
    batch.clear()
  }

  /// Waits while the socket cannot take more bytes. Throws like `receive`.
  package nonisolated(nonsending) func waitForRoom() async throws {
    while true {
      let heard = room.rings
      let (isReady, ending) = state.withLock { ($0.channel?.isWritable ?? false, $0.ending) }
      if let ending { throw ending }
      if isReady { return }
      if Task.isCancelled { throw CancellationError() }
      await room.wait(after: heard)
    }
  }

  /// Publishes one message without waiting.
  package func publish(_ subject: String, reply: String = "", headers: String = "", _ payload: String = "") {
    var batch = NATSBatch()
    batch.publish(subject, reply: reply, headers: headers, payload)
    send(&batch)
  }

  /// Subscribes to a subject and returns the number that its messages will have. Members of a queue share the messages.
  package func subscribe(_ subject: String, queue: String? = nil) -> Int {
    let number = state.withLock { state in
      defer { state.nextSubscription += 1 }
      return state.nextSubscription
    }
    var batch = NATSBatch()
    batch.subscribe(subject, queue: queue, number)
    send(&batch)
    return number
  }

  /// A subject on which only this connection receives, for `subscribe`.
  package func newInbox() -> String {
    state.withLock { state in
      defer { state.nextRequest += 1 }
      return "\(inbox).s.\(state.nextRequest)"
    }
  }

  /// Ends a subscription; messages on their way may still arrive.
  package func unsubscribe(_ number: Int) {
    var batch = NATSBatch()
    batch.unsubscribe(number)
    send(&batch)
  }

  /// Publishes a message and waits for the reply. Throws a `NATSError`; `timedOut(.reply)` and `noResponders` leave the connection open.
  package nonisolated(nonsending) func request(_ subject: String, _ payload: String = "", within limit: Duration) async throws
    -> NATSMessage
  {
    let token = state.withLock { state in
      let token = String(state.nextRequest)
      state.nextRequest += 1
      state.requests[token] = .some(nil)
      return token
    }
    defer { state.withLock { _ = $0.requests.removeValue(forKey: token) } }
    publish(subject, reply: "\(inbox).r.\(token)", payload)
    let deadline = clock.uptime + limit
    try await waitForNews(until: deadline) { state.withLock { $0.ending == nil && ($0.requests[token] ?? nil) == nil } }
    let (answer, ending) = state.withLock { ($0.requests[token] ?? nil, $0.ending) }
    guard let answer else { throw ending ?? .timedOut(.reply) }
    if answer.headers?.status == 503, answer.payload.readableBytes == 0 { throw NATSError.noResponders(subject: subject) }
    return answer
  }

  /// Sends a ping; returns its number.
  @discardableResult
  func ping() -> Int {
    state.withLock { state in
      guard case .open = state.phase else { return state.pings }
      state.pings += 1
      // Written under the lock, so that pings are numbered in the order of their sending.
      state.channel?.writeAndFlush(ByteBuffer(string: "PING\r\n"), promise: nil)
      return state.pings
    }
  }

  /// Waits until the server has read all data sent before. Throws a `NATSError`.
  package nonisolated(nonsending) func roundTrip(within limit: Duration) async throws {
    let number = ping()
    try await waitForNews(until: clock.uptime + limit) { state.withLock { $0.ending == nil && $0.pongs < number } }
    let (isDone, ending) = state.withLock { ($0.pongs >= number, $0.ending) }
    if !isDone { throw ending ?? .timedOut(.reply) }
  }

  /// The server's complaints since the last call that have not ended the connection.
  package func takeComplaints() -> [String] {
    state.withLock { state in
      defer { state.complaints = [] }
      return state.complaints
    }
  }

  // MARK: Ending

  /// Ends the connection because of `error`; only the first call has an effect.
  package func fail(_ error: NATSError) {
    if end(error) { dropChannel() }
  }

  /// Ends the connection without closing its socket; returns false if it had already ended.
  func end(_ error: NATSError) -> Bool {
    let isFirst = state.withLock { $0.end(error) }
    if isFirst {
      news.ring()
      room.ring()
    }
    return isFirst
  }

  func dropChannel() { state.withLock { $0.channel }?.close(promise: nil) }

  /// Ends the connection, and waits until the socket is closed.
  nonisolated(nonsending) func close() async {
    fail(.finished)
    await alarm.cancel()
    // In a task of its own, because a cancelled task cannot wait; it is awaited at once.
    await Task { [self] in
      while true {
        let heard = news.rings
        if state.withLock({ $0.isGone || $0.channel == nil }) { return }
        await news.wait(after: heard)
      }
    }.value
  }

  /// Waits until `isReached` returns true. Throws the error that has ended the connection before that, or `CancellationError`.
  nonisolated(nonsending) func wait(until isReached: (borrowing NATSState) -> Bool) async throws {
    while true {
      let heard = news.rings
      let (reached, ending) = state.withLock { (isReached($0), $0.ending) }
      if reached { return }
      if let ending { throw ending }
      if Task.isCancelled { throw CancellationError() }
      await news.wait(after: heard)
    }
  }
}

// The calls of the channel's handler.
extension NATSConnection {
  func connected(_ channel: any Channel) -> Bool {
    // From here on the server's greeting is awaited.
    defer { news.ring() }
    return state.withLock { state in
      state.channel = channel
      return state.ending == nil
    }
  }

  func greeted(_ info: NATSServerInfo) { state.withLock { $0.info = info } }

  /// Notes that the server has admitted the client; returns false if the connection is no longer wanted.
  func opened() -> Bool {
    let isWanted = state.withLock { state in
      if state.ending != nil { return false }
      state.phase = .open
      state.wasOpened = true
      return true
    }
    news.ring()
    return isWanted
  }

  func ponged() {
    state.withLock { $0.pongs += 1 }
    news.ring()
  }

  func complain(_ words: String) {
    state.withLock { state in
      if state.complaints.count < 16 { state.complaints.append(words) }
    }
    news.ring()
  }

  /// Takes the messages of one read. Returns false if reading must pause because enough messages wait.
  func deliver(_ arrivals: NATSArrivals) -> Bool {
    let mayRead = state.withLock { state in
      state.reads &+= 1
      if state.ending != nil { return true }
      state.arrived.stored += arrivals.stored
      state.arrivedBytes += arrivals.stored.count * 64
      for message in arrivals.messages {
        if message.subscription == Self.requestSubscription {
          let token = message.withSubject { subject in
            String(decoding: subject.suffix(from: (subject.lastIndex(of: 46) ?? -1) + 1), as: UTF8.self)
          }
          // A reply that no request waits for any more is dropped.
          if let waiting = state.requests[token], waiting == nil { state.requests[token] = message }
          continue
        }
        state.arrived.messages.append(message)
        // The costs of a message besides its bytes count too.
        state.arrivedBytes += message.count + 64
      }
      state.isPaused = state.isFull
      return !state.isPaused
    }
    if !arrivals.isEmpty { news.ring() }
    return mayRead
  }

  /// Notes that the socket is closed.
  func gone(_ error: NATSError) {
    state.withLock { state in
      _ = state.end(error)
      state.isGone = true
    }
    news.ring()
    room.ring()
  }
}
