internal import LibC
internal import StockbusNetwork
internal import StockbusPlugin

// Replies, and missing replies.
extension EchoSocket {
  /// A connection is closed when its messages that are no replies outnumber the replies by more than this.
  static var strayLimit: Int { 1000 }

  /// Handles one message: a reply, or a dead letter. Throws if the server has sent too many messages that are no replies.
  func take(_ message: WebSocketMessage, at now: Duration) throws(WebSocketError) {
    if judge(message, at: now) {
      strays = max(0, strays - 1)
      return
    }
    strays += 1
    if strays <= Self.strayLimit { return }
    let error = WebSocketError.unasked(messages: strays)
    connection?.fail(error)
    throw error
  }

  /// True if the message is the first reply to an event that was sent.
  private func judge(_ message: WebSocketMessage, at now: Duration) -> Bool {
    guard message.kind == .text else {
      reject(message.beginning(64), "a binary message of \(message.count) bytes")
      return false
    }
    let (answer, reason) = message.withBytes { settle($0, at: now) }
    switch answer {
    case .expected(let time) where reason == nil: trips.add(time)
    case .expected: break
    case .duplicate: tallies.duplicates.add(1)
    case .unknown: break
    }
    if let reason { reject(message.beginning(), reason) }
    if case .expected = answer { return true }
    return false
  }

  /// Finds the event that was sent with the reply's number and compares the two. The reply is never decoded into an event; the sent event
  /// is published.
  private func settle(_ bytes: UnsafeBufferPointer<UInt8>, at now: Duration) -> (EchoWindow<E>.Answer, reason: String?) {
    // Nearly every reply equals the message that was sent, byte for byte.
    if let number = EchoEnvelope.number(bytes), let sent = window.awaited(number) {
      frame.clear()
      EchoEnvelope.write(number, sent, to: &frame)
      if frame.withBytes({ Self.same($0, bytes) }) {
        return (window.answer(number, at: now), nil)
      }
    }
    switch EchoEnvelope.read(bytes) {
    case .malformed(let reason): return (.unknown, "not a reply: \(reason)")
    case .answer(let number, let event):
      guard let sent = window.awaited(number) else {
        let answer = window.answer(number, at: now)
        return (answer, answer == .unknown ? "no event with the number \(number) was sent" : nil)
      }
      guard let difference = EchoEnvelope.difference(bytes, at: event, from: sent) else { return (window.answer(number, at: now), nil) }
      // The server has replied, so sending the event again would not help.
      return (window.drop(number, at: now), "the reply to \(number) is not the event that was sent: \(difference)")
    }
  }

  private static func same(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else { return false }
    return memcmp(first, second, a.count) == 0
  }

  /// Handles the end of a connection; a message may be the reason for it.
  func note(_ error: WebSocketError) {
    switch error {
    case .protocolViolation: reject("", "\(error)")
    case .tooLarge(_, _, let beginning): reject(beginning, "\(error)")
    case .invalidText(let beginning): reject(beginning, "\(error)")
    default: break
    }
    guard error.blamesMessage, let lost = window.blame(attempts: settings.attempts) else { return }
    context.lose(1, "event \(lost.number) had no valid reply in \(settings.attempts) attempts (\(error)): \(E.schema.json(lost.payload))")
  }

  private func reject(_ payload: String, _ reason: String) {
    context.reject(payload, origin: settings.url.place, reason: reason)
  }

  package func background() async {
    await withTaskGroup { group in
      group.addTask { await self.heedStop() }
      await lookAfterAnswers()
      group.cancelAll()
    }
  }

  /// While the run is being stopped, it does not wait for a server that cannot be reached: upstream could not drain while the window is
  /// full.
  private func heedStop() async {
    await context.run.waitForStop()
    if !Task.isCancelled { link?.finishWhenAway() }
  }

  /// Closes a connection if the oldest reply is late; then all events without a reply are sent again.
  private func lookAfterAnswers() async {
    while true {
      let wake = checkDeadline()
      do { try await context.clock.sleep(until: wake) } catch { return }
    }
  }

  /// When to check again.
  private func checkDeadline() -> Duration {
    let now = context.clock.uptime
    guard let connection, let sentAt = window.oldestSentAt, let readingSince else { return now + settings.deadline }
    let due = max(sentAt, readingSince) + settings.deadline
    if now < due { return due }
    connection.fail(.timedOut(.reply))
    return now + settings.deadline
  }
}

extension EchoTarget {
  /// The origin in dead letters: the address without its query, which may contain a token.
  var place: String {
    switch self {
    case .embedded: "embedded"
    case .server(let url): "\(url)"
    }
  }
}
