internal import EventBus
internal import MarketData
internal import StockbusNetwork
public import StockbusPlugin

extension Plugin {
  /// Sends events to NATS.
  public static let natsOut = Plugin(
    "nats_out", "Puts events into a NATS JetStream stream, each exactly once and in order, for stockbus or others on other machines.",
    NATSOutPlugin.self,
    hot: [.sink(NATSOut<Trade>.self), .sink(NATSOut<Quote>.self), .sink(NATSOut<Bar>.self), .sink(NATSOut<Ranked>.self)])
}

enum NATSOutPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(NATSOut<E>.self) }
}

/// Sends each event as a message, and returns from a batch when the stream has confirmed all of it. So what counts as delivered is stored.
///
/// Each message says which number the stream's last message must have (`Nats-Expected-Last-Sequence`), and carries its own position. When a
/// connection is lost, the next one begins by looking at the stream's last message: what is behind its position is sent again. A message
/// that the stream holds already, or one of a second writer, cannot get in between.
///
/// It runs on its socket's thread, so that an acknowledgement does not change threads.
actor NATSOut<E: Event>: Sink, BackgroundComponent {
  /// How many messages are encoded before they are sent.
  private static var chunk: Int { 512 }

  private let thread = NetworkThread.next()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }

  private let settings: NATSOutSettings
  private let context: Context
  private let mark = EventMark(E.self)
  private var writer: Writer<E>
  private var session: Session?
  private var link: NATSLink?
  /// Rings when a session begins or ends, and when something was confirmed.
  private let news = Bell()
  private var batch = NATSBatch()
  /// Where the messages go; with another one the positions mean nothing.
  private let target: String
  /// Why there is no use in going on.
  private var fault: String?
  /// The stream's end, as far as it was confirmed; nil before the first look.
  private var anchor: Anchor?
  /// The number of sessions, so that a batch notices that there is another.
  private var sessions = 0
  private let sent: Counter
  private let sentAgain: Counter
  private let passedOver: Counter

  static func faults(in settings: NATSOutSettings) -> [(option: String, message: String)] {
    var faults: [(option: String, message: String)] = []
    if settings.template.kind != .fixed, E.schema.symbol(of: E.schema.example) == nil {
      faults.append(("subject", "'subject': \(E.eventName) is about no instrument, so {partition} and {symbol} mean nothing"))
    }
    let known = E.schema.fields.map(\.name)
    for name in settings.ids ?? [] where !known.contains(name) {
      let hint = suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? "; there are \(known.joined(separator: ", "))"
      faults.append(("ids", "'ids': \(E.eventName) has no field '\(name)'\(hint)"))
    }
    return faults
  }

  init(_ settings: NATSOutSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    var random = context.random()
    // From the system too: two runs with one seed are two writers.
    let word = String(random.next() ^ UInt64.random(in: .min ... .max), radix: 36)
    let target = "\(settings.stream ?? "") \(settings.subject) \(settings.partitions ?? 0)"
    self.target = target
    if let kept = context.recall(Self.place), kept.target == target {
      anchor = kept.anchor
      writer = Writer(settings, word: kept.word, next: kept.next, places: kept.places)
    } else {
      if settings.input == .replay, context.recall(Self.place) != nil {
        fault = "'stream', 'subject' and 'partitions' cannot change in the middle of a replay; start the run again"
      }
      writer = Writer(settings, word: word, next: 0, places: [Int64](repeating: 0, count: settings.partitions ?? 1))
    }
    sent = context.counter("messages", "Messages that were sent, those sent again among them.")
    sentAgain = context.counter("sent again", "Messages that were sent again, because a connection was lost before they were confirmed.")
    passedOver = context.counter("already there", "Events of a replay that the stream held already.")
  }

  private struct Anchor: Sendable {
    var sequence: UInt64
    var position: Int64
  }

  /// What the next instance of this run goes on with.
  private struct Place: Sendable {
    var target: String
    var word: String
    var next: Int64
    var places: [Int64]
    var anchor: Anchor?
  }

  /// Kept with any options, because a replay's events are counted from its beginning.
  private static var place: MemoryKey<Place> { MemoryKey("place", whenOptionsChange: .keep) }

  func start() throws { link = try NATSLink(settings.servers, settings.connection, login: settings.login, context, thread: thread) }

  func stop() {
    if isGuarded {
      context.remember(
        Place(target: target, word: writer.word, next: writer.next, places: writer.places, anchor: anchor), Self.place)
    }
  }

  private var isGuarded: Bool { settings.stream != nil && settings.ids == nil }

  // MARK: Events

  func receive(_ events: Span<E>) async throws {
    // The positions are known once the stream was looked at.
    while true {
      let heard = news.rings
      try check(confirmed: 0, events)
      if session != nil { break }
      await news.wait(after: heard)
    }
    writer.begin()
    if settings.stream == nil { try await pass(events) } else { try await store(events) }
    rejectRefused(events, upTo: events.count)
  }

  /// Sets aside the events among the first `count` that make no message.
  private func rejectRefused(_ events: Span<E>, upTo count: Int) {
    for refused in writer.refused where refused.index < count {
      let event = events[refused.index]
      let reason =
        refused.bytes < 0
        ? "its fields of 'ids' make no message id: a control character, or more than 512 bytes"
        : "\(refused.bytes) bytes as a message, and with its headers more than the server takes"
      context.reject(E.schema.json(event), origin: settings.subject, reason: reason, symbol: E.schema.symbol(of: event))
    }
  }

  /// Throws if there is no use in going on.
  private func check(confirmed: Int, _ events: Span<E>) throws {
    if fault == nil, !Task.isCancelled { return }
    let taken = confirmed == 0 ? 0 : writer.settledEvents(confirmed)
    if taken > 0 { rejectRefused(events, upTo: taken) }
    if let fault { throw EnvironmentFailure(fault, isPermanent: true, taken: taken) }
    if taken == 0 { throw CancellationError() }
    // The stream has them, so they are not dropped.
    throw EnvironmentFailure("stopped before all was confirmed", isPermanent: true, taken: taken)
  }

  /// Sends a batch and returns when all of it is confirmed.
  private func store(_ events: Span<E>) async throws {
    var number = 0
    /// The batch's messages that are sent in the session, and confirmed.
    var next = 0
    var confirmed = 0
    /// The session's messages before the batch's first.
    var offset = 0
    /// The most that was ever sent of the batch.
    var most = 0
    while true {
      let heard = news.rings
      try check(confirmed: confirmed, events)
      guard let current = session else {
        await news.wait(after: heard)
        continue
      }
      if number != sessions {
        // The first session of this batch, or another one.
        number = sessions
        if isGuarded {
          // A replay's events of another run, or what was sent over a connection that is lost.
          let held = Int(clamping: current.lastPosition + 1 + Int64(current.confirmed) - writer.base)
          if held > confirmed {
            let (there, all) = meet(events, upTo: held)
            if most == 0 { passedOver.add(there - confirmed) }
            confirmed = there
            if all { return }
          } else if held < confirmed {
            throw EnvironmentFailure(
              "the stream '\(settings.stream ?? "")' does not hold what it has confirmed: its last position is \(writer.base + Int64(held) - 1), confirmed was \(writer.base + Int64(confirmed) - 1)",
              isPermanent: true, taken: writer.settledEvents(confirmed))
          }
        }
        next = confirmed
        offset = current.sent - confirmed
      }
      confirmed = max(confirmed, min(next, current.confirmed - offset))
      let room = min(settings.inFlight - (next - confirmed), Self.chunk)
      let count = room > 0 ? encode(events, from: next, limit: room, current) : 0
      if count > 0 {
        sentAgain.add(max(0, min(most, next + count) - next))
        next += count
        most = max(most, next)
        sent.add(count)
        session?.sent += count
        session?.movedAt = context.clock.uptime
        current.connection.send(&batch)
        do { try await current.connection.waitForRoom() } catch is NATSError {}
        continue
      }
      // Nothing was left to encode.
      if room > 0, confirmed == next { return }
      await news.wait(after: heard)
    }
  }

  /// Meets events until `count` messages of the batch are known; returns how many there are, and if these are all of them.
  private func meet(_ events: Span<E>, upTo count: Int) -> (Int, Bool) {
    var there = 0
    while there < count {
      let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      let got = writer.encode(
        events, from: there, limit: min(Self.chunk, count - there), after: nil, reply: empty, replyNumber: 0,
        largest: session?.largest ?? 0,
        into: &batch)
      batch.clear()
      if got == 0 { return (there, true) }
      there += got
    }
    return (there, false)
  }

  private func encode(_ events: Span<E>, from first: Int, limit: Int, _ current: Session) -> Int {
    let sequence = isGuarded ? current.lastSequence + UInt64(current.sent) : nil
    return current.reply.withUnsafeBufferPointer { reply in
      writer.encode(
        events, from: first, limit: limit, after: sequence, reply: reply, replyNumber: current.sent, largest: current.largest, into: &batch)
    }
  }

  /// Sends a batch to whoever listens, and returns when a server has read it.
  private func pass(_ events: Span<E>) async throws {
    var next = 0
    while true {
      let heard = news.rings
      try check(confirmed: next, events)
      guard let current = session else {
        await news.wait(after: heard)
        continue
      }
      let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      let count = writer.encode(
        events, from: next, limit: settings.inFlight, after: nil, reply: empty, replyNumber: 0, largest: current.largest, into: &batch)
      if count == 0 { return }
      current.connection.send(&batch)
      do {
        try await current.connection.waitForRoom()
        try await current.connection.roundTrip(within: settings.connection.replyDeadline)
        next += count
        sent.add(count)
      } catch let error as NATSError {
        current.connection.fail(error)
        // Until the link has noticed.
        if session?.connection === current.connection { session = nil }
      }
    }
  }

  // MARK: The connection

  func background() async {
    do { try await link?.run { connection in try await serve(connection) } } catch is CancellationError {} catch {
      fault = "\(error)"
      context.report(trouble: fault)
    }
    news.ring()
  }

  private func serve(_ connection: NATSConnection) async throws {
    var begun = Session(connection, movedAt: context.clock.uptime)
    if let stream = settings.stream { try await look(at: stream, &begun) }
    session = begun
    sessions += 1
    news.ring()
    defer {
      // From here on the next session looks at the stream.
      if isGuarded, let session {
        anchor = Anchor(
          sequence: session.lastSequence + UInt64(session.confirmed), position: session.lastPosition + Int64(session.confirmed))
      }
      session = nil
      news.ring()
    }
    let deadline = settings.connection.replyDeadline
    while true {
      let messages = try await connection.receive(until: context.clock.uptime + deadline)
      try take(messages)
      if let complaint = connection.takeComplaints().first { throw NATSError.refused(complaint) }
      guard let session else { throw NATSError.closed("") }
      if session.sent > session.confirmed, settings.stream != nil, context.clock.uptime - session.movedAt >= deadline {
        throw NATSError.timedOut(.reply)
      }
    }
  }

  private func take(_ messages: [NATSMessage]) throws {
    let before = session?.confirmed
    defer { if session?.confirmed != before { news.ring() } }
    for message in messages where message.subscription == NATSConnection.acknowledgementSubscription {
      guard let number = message.subjectNumber else { continue }
      try session?.confirm(number, PublishAcknowledgement(message), isGuarded: isGuarded)
    }
    if session?.confirmed != before { session?.movedAt = context.clock.uptime }
  }

  // MARK: The stream

  /// Finds where to go on. What makes going on impossible is thrown as an error that is no `NATSError`, so that no further connection is made.
  private func look(at stream: String, _ session: inout Session) async throws {
    let connection = session.connection
    try checkVersion(connection.info)
    let info = try await streamInfo(stream, connection)
    if let fault = subjectFault(info.subjects) { throw EnvironmentFailure("the stream '\(stream)' \(fault)", isPermanent: true) }
    guard isGuarded else { return }
    let last =
      info.lastSequence == 0
      ? nil : try await connection.message(info.lastSequence, of: stream, within: settings.connection.replyDeadline)
    let found = Found(stream: stream, sequence: info.lastSequence, message: last)
    let position: Int64
    if let anchor {
      position = try await goOn(behind: found, since: anchor, connection)
    } else {
      position = try await begin(behind: found, connection)
    }
    session.lastSequence = info.lastSequence
    session.lastPosition = position
    anchor = Anchor(sequence: info.lastSequence, position: position)
  }

  /// The last message of the stream.
  private struct Found {
    let stream: String
    let sequence: UInt64
    let message: StoredMessage?

    var position: StreamPosition? { message?.headers?.value("Stockbus-Position").flatMap { StreamPosition($0) } }
    var mark: String? { message?.headers?.value("Stockbus-Event") }
  }

  private func checkVersion(_ info: NATSServerInfo) throws {
    if settings.oldServers { return }
    guard let release = info.release, (release.major, release.minor, release.patch) < (2, 10, 23) else { return }
    throw EnvironmentFailure(
      "the server '\(info.name)' is \(info.version); servers before 2.10.23 can lose what they have confirmed; 'old_servers: true' takes them all the same",
      isPermanent: true)
  }

  private func streamInfo(_ stream: String, _ connection: NATSConnection) async throws -> StreamInfo {
    let deadline = settings.connection.replyDeadline
    do { return try await connection.streamInfo(stream, within: deadline) } catch NATSError.jetStream(let problem)
      where problem.isStreamMissing
    {
      if anchor != nil { throw EnvironmentFailure("the stream '\(stream)' was deleted while it was being written", isPermanent: true) }
      guard let creation = settings.create else {
        throw EnvironmentFailure("there is no stream '\(stream)'; 'create: {}' makes it", isPermanent: true)
      }
      var wanted = StreamSettings(stream, subjects: [settings.template.pattern])
      wanted.numReplicas = creation.replicas
      if let most = creation.maxBytes { wanted.maxBytes = most.bytes }
      if let age = creation.maxAge { wanted.maxAge = Int(clamping: age.wholeNanoseconds) }
      let info = try await connection.createStream(wanted, within: deadline)
      context.logger.notice("made the stream '\(stream)' for '\(settings.template.pattern)', replicas: \(creation.replicas)")
      return info
    }
  }

  /// What is wrong if the stream does not take our subjects, as the end of a sentence.
  private func subjectFault(_ subjects: [String]) -> String? {
    let own = settings.template.pattern
    if subjects.contains(where: { NATSSubject.covers($0, own) }) { return nil }
    let taken = subjects.isEmpty ? "what it copies" : visible(subjects.joined(separator: ", "), limit: 200)
    return "does not take '\(own)', only \(taken)"
  }

  /// The stream's last position, seen again after a lost connection.
  private func goOn(behind found: Found, since anchor: Anchor, _ connection: NATSConnection) async throws -> Int64 {
    if found.sequence == anchor.sequence { return anchor.position }
    if found.sequence < anchor.sequence {
      throw EnvironmentFailure(
        "the stream '\(found.stream)' ends with message \(found.sequence), and \(anchor.sequence) was confirmed: it was made anew, or its servers have lost messages",
        isPermanent: true)
    }
    // Each place is looked at, because a message that took the place of one of ours would not show in the last one.
    let own = found.sequence - anchor.sequence
    var sequence = anchor.sequence
    while own <= UInt64(settings.inFlight), sequence < found.sequence {
      sequence += 1
      let message =
        sequence == found.sequence
        ? found.message : try await connection.message(sequence, of: found.stream, within: settings.connection.replyDeadline)
      let position = message?.headers?.value("Stockbus-Position").flatMap { StreamPosition($0) }
      if position?.writer != writer.word || position?.number != anchor.position + Int64(sequence - anchor.sequence) { break }
      if sequence == found.sequence { return anchor.position + Int64(own) }
    }
    throw EnvironmentFailure(
      "the stream '\(found.stream)' has another writer: its message \(max(sequence, anchor.sequence + 1)) is not from here; a stream has one writer, unless 'ids' are given",
      isPermanent: true)
  }

  /// The stream's last position, seen for the first time.
  private func begin(behind found: Found, _ connection: NATSConnection) async throws -> Int64 {
    if let text = found.mark, text != mark.text {
      throw EnvironmentFailure(
        "the stream '\(found.stream)' holds '\(visible(text, limit: 128))', and this writes '\(mark.text)'", isPermanent: true)
    }
    if settings.input == .replay {
      guard found.sequence == 0 || found.position != nil else {
        throw EnvironmentFailure(
          "the last message of the stream '\(found.stream)' (\(found.sequence)) \(found.message == nil ? "is gone" : "has no position"), so it is not known where the replay has to go on; use another stream, or 'input: live'",
          isPermanent: true)
      }
      return found.position?.number ?? -1
    }
    // Positions never grow faster than the stream's numbers, so this one is at least as high as any that was used.
    let position = found.position?.number ?? Int64(clamping: found.sequence) - 1
    writer.goOn(at: position + 1, places: try await places(behind: found, position, connection))
    return position
  }

  /// The place of the next message of each partition.
  private func places(behind found: Found, _ position: Int64, _ connection: NATSConnection) async throws -> [Int64] {
    switch settings.template.kind {
    case .symbol: return writer.places
    case .fixed: return [position + 1]
    case .partition:
      var places = writer.places
      if found.sequence == 0 { return places }
      for partition in places.indices {
        let message = try await connection.lastMessage(
          on: settings.template.subject(partition: partition), of: found.stream, within: settings.connection.replyDeadline)
        let known = message?.headers?.value("Stockbus-Position").flatMap { StreamPosition($0) }?.place
        places[partition] = known.map { $0 + 1 } ?? Int64(clamping: message?.sequence ?? 0)
      }
      return places
    }
  }
}
