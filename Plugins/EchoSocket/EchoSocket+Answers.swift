internal import StockbusNetwork
internal import StockbusPlugin

// What comes back, and what does not.
extension EchoSocket {
  /// One message: an answer, or a dead letter.
  func take(_ message: WebSocketMessage, at now: Duration) {
    guard message.kind == .text else {
      return reject(message.beginning(64), "a binary message of \(message.count) bytes")
    }
    switch message.withBytes({ EchoEnvelope<E>.read($0) }) {
    case .answer(let number, let event):
      switch window.answer(number, event, at: now) {
      case .expected(let time): trips.add(time)
      case .duplicate: tallies.duplicates.add(1)
      case .unknown: reject(message.beginning(), "nothing with the number \(number) was sent")
      }
    case .altered(let number, let reason):
      // The server has answered, so it would not help to ask it again.
      switch window.drop(number, at: now) {
      case .expected: reject(message.beginning(), "the answer to \(number) is not the event that was sent: \(reason)")
      case .duplicate: tallies.duplicates.add(1)
      case .unknown: reject(message.beginning(), "nothing with the number \(number) was sent; \(reason)")
      }
    case .malformed(let reason): reject(message.beginning(), "no answer: \(reason)")
    }
  }

  /// A connection has ended: what has ended it may be a message.
  func note(_ error: WebSocketError) {
    switch error {
    case .tooLarge, .protocolViolation: reject("", "\(error)")
    case .invalidText(let beginning): reject(beginning, "\(error)")
    default: break
    }
    guard error.blamesMessage, let lost = window.blame(attempts: settings.attempts) else { return }
    context.lose(1, "event \(lost.number) had no usable answer in \(settings.attempts) attempts (\(error)): \(E.schema.json(lost.payload))")
  }

  private func reject(_ payload: String, _ reason: String) {
    context.reject(payload, origin: settings.url.place, reason: reason)
  }

  public func background() async {
    await withTaskGroup { group in
      group.addTask { await self.heedStop() }
      await lookAfterAnswers()
      group.cancelAll()
    }
  }

  /// A run that is to stop does not wait for a server that is away: upstream could not drain while the window is full.
  private func heedStop() async {
    await context.run.waitForStop()
    if !Task.isCancelled { link?.finishWhenAway() }
  }

  /// A connection without the oldest answer in time is given up, and all is sent again.
  private func lookAfterAnswers() async {
    while true {
      let wake = checkDeadline()
      do { try await context.clock.sleep(until: wake) } catch { return }
    }
  }

  /// When to look again.
  private func checkDeadline() -> Duration {
    let now = context.clock.uptime
    guard let connection, let sentAt = window.oldestSentAt, let readingSince else { return now + settings.deadline }
    let due = max(sentAt, readingSince) + settings.deadline
    if now < due { return due }
    connection.fail(.timedOut(.answer))
    return now + settings.deadline
  }
}

extension EchoTarget {
  /// For dead letters; without a query, which may hold a token.
  var place: String {
    switch self {
    case .embedded: "embedded"
    case .server(let url): "\(url)"
    }
  }
}
