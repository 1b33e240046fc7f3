internal import StockbusNetwork
public import StockbusPlugin

extension Plugin {
  /// Sends events to NATS.
  public static let natsOut = Plugin(
    "nats_out", "Publishes events to a NATS JetStream stream, each exactly once and in order, for stockbus or other programs.",
    NATSOutPlugin.self,
    hot: [.sink(NATSOut<Trade>.self), .sink(NATSOut<Quote>.self), .sink(NATSOut<Bar>.self), .sink(NATSOut<Ranked>.self)]
  ).example("servers: [nats://127.0.0.1:4222]\nsubject: prices")
}

enum NATSOutPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(NATSOut<E>.self) }
}

/// Sends each event as a message, and returns from a batch when the stream has confirmed all of it, so a delivered event is stored.
///
/// Each message states the expected number of the stream's last message (`Nats-Expected-Last-Sequence`), and carries its own position. When
/// a connection is lost, the next one begins by reading the stream's last message: messages behind its position are sent again. A message
/// that the stream holds already, or one of a second writer, cannot get in between.
///
/// It runs on its socket's thread, so that an acknowledgement does not change threads.
actor NATSOut<E: Event>: RemoteSink, BackgroundComponent, ThreadedComponent {
  /// How many messages are encoded before they are sent.
  private static var chunk: Int { 512 }

  private let thread = NetworkThread.next()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
  nonisolated var ownExecutor: any OwnExecutor { thread }

  private let settings: NATSOutSettings
  private let context: Context
  private let mark = EventMark(E.self)
  private var writer: Writer<E>
  private var session: Session?
  private var link: NATSLink?
  /// Rings when a session begins or ends, and when a message was confirmed.
  private let news = Bell()
  private var batch = NATSBatch()
  /// Identifies the destination; for another one the positions are meaningless.
  private let target: String
  /// Why there is no use in going on.
  private var fault: String?
  /// The stream's end, as far as it was confirmed; nil before it was first read.
  private var anchor: StreamEnd?
  /// The stream's last number when a session received no confirmation.
  private var silentBehind: UInt64?
  /// How many sessions have begun.
  private var sessions = 0
  private let sent: Counter
  private let sentAgain: Counter
  private let passedOver: Counter

  static func faults(in settings: NATSOutSettings) -> [(option: String, message: String)] {
    var faults: [(option: String, message: String)] = []
    if settings.template.kind != .fixed, E.schema.symbol(of: E.schema.example) == nil {
      faults.append(("subject", "'subject': \(E.eventName) has no symbol, so {partition} and {symbol} cannot be used"))
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
    // Random numbers from the system too: two runs with one seed are two writers.
    let word = String(random.next() ^ UInt64.random(in: .min ... .max), radix: 36)
    let target = "\(settings.stream ?? "") \(settings.subject) \(settings.partitions ?? 0) \(settings.batch == nil)"
    self.target = target
    if let kept = context.recall(Self.place), kept.target == target, kept.fits(settings) {
      anchor = kept.anchor
      writer = Writer(
        settings, word: kept.word, next: kept.next, places: kept.places, known: kept.known, reading: context.columns)
    } else {
      if settings.input == .replay, context.recall(Self.place) != nil {
        fault = "'stream', 'subject', 'partitions' and 'batch' cannot change in the middle of a replay; start the run again"
      }
      writer = Writer(settings, word: word, reading: context.columns)
    }
    sent = context.counter("messages", "Messages sent, including those sent again.")
    sentAgain = context.counter("sent again", "Messages that were sent again, because a connection was lost before they were acknowledged.")
    passedOver = context.counter("already there", "Events of a replay that the stream already had.")
  }

  /// The state with which the next instance continues.
  private struct Place: Sendable, Codable {
    var target: String
    var word: String
    var next: Int64
    var places: [Int64]
    var known: [Int64]
    var anchor: StreamEnd?

    /// False for numbers that no run has written.
    func fits(_ settings: NATSOutSettings) -> Bool {
      let count = settings.partitions ?? 1
      return places.count == count && known.count == count && ([next] + places + known).allSatisfy { (0..<1 << 62).contains($0) }
    }
  }

  /// Kept with any options, because a replay's events are counted from its beginning.
  private static var place: MemoryKey<Place> { MemoryKey("place", whenOptionsChange: .keep) }

  func start() throws { link = try NATSLink(settings.servers, settings.connection, login: settings.login, context, thread: thread) }

  func stop() { keepMemory() }

  func keepMemory() {
    if isGuarded {
      context.remember(
        Place(target: target, word: writer.word, next: writer.next, places: writer.places, known: writer.known, anchor: anchor),
        Self.place)
    }
  }

  private var isGuarded: Bool { settings.stream != nil && settings.ids == nil }

  // MARK: Events

  func receive(_ events: Span<E>) async throws {
    // The positions are known once the stream's end was read.
    while true {
      let heard = news.rings
      try check(confirmed: 0, events)
      if session != nil { break }
      await news.wait(after: heard)
    }
    writer.begin()
    let begun = context.clock.uptime
    if settings.stream == nil { try await pass(events) } else { try await store(events) }
    rejectRefused(events, upTo: events.count)
    passedOver.add(writer.passedOver)
    // Events that arrive during the pause go into larger messages. All of this batch is stored, so an early end is no failure.
    if settings.linger > .zero, events.count < settings.batch ?? 0 { try? await context.clock.sleep(until: begun + settings.linger) }
  }

  /// Rejects the events among the first `count` that make no message.
  private func rejectRefused(_ events: Span<E>, upTo count: Int) {
    for refused in writer.refused where refused.index < count {
      let event = events[refused.index]
      let reason =
        refused.bytes < 0
        ? "its fields of 'ids' cannot be a message id: they have a control character, or more than 512 bytes"
        : "a message of \(refused.bytes) bytes; with its headers it is larger than the server allows"
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
    throw EnvironmentFailure("stopped before all messages were acknowledged", isPermanent: true, taken: taken)
  }

  /// Sends a batch and returns when all of it is confirmed.
  private func store(_ events: Span<E>) async throws {
    var progress = BatchProgress()
    while true {
      let heard = news.rings
      try check(confirmed: progress.confirmed, events)
      guard let current = session else {
        await news.wait(after: heard)
        continue
      }
      if !progress.follows(session: current.number) {
        // The first session of this batch, or another one.
        var held = progress.confirmed
        if isGuarded {
          // A replay's events of another run, or messages sent over a lost connection.
          held = Int(clamping: current.lastPosition + 1 + Int64(current.confirmed) - writer.base)
          if held > progress.confirmed {
            let (there, all) = meet(events, upTo: held)
            try compare(events, current)
            if progress.isUnsent { passedOver.add(there - progress.confirmed) }
            if all { return }
          } else if held < progress.confirmed {
            throw EnvironmentFailure(
              "the stream '\(settings.stream ?? "")' has lost acknowledged messages: its last position is \(writer.base + Int64(held) - 1), but \(writer.base + Int64(progress.confirmed) - 1) was acknowledged",
              isPermanent: true, taken: writer.settledEvents(progress.confirmed))
          }
        }
        progress.begin(session: current.number, sent: current.sent, held: held)
      }
      progress.confirm(current.confirmed)
      let room = min(progress.room(inFlight: settings.inFlight), Self.chunk)
      let count = room > 0 ? encode(events, from: progress.next, limit: room, current) : 0
      if count > 0 {
        sentAgain.add(progress.send(count))
        sent.add(count)
        session?.note(sent: count, at: context.clock.uptime)
        current.connection.send(&batch)
        do { try await current.connection.waitForRoom() } catch is NATSError {}
        continue
      }
      // Nothing was left to encode.
      if room > 0, progress.isConfirmed { return }
      await news.wait(after: heard)
    }
  }

  /// Compares events until `count` messages of the batch are known; returns how many there are, and whether these are all of them.
  private func meet(_ events: Span<E>, upTo count: Int) -> (Int, Bool) {
    var there = 0
    while there < count {
      let got = writer.encode(
        events, from: there, limit: min(Self.chunk, count - there), after: nil, largest: session?.largest ?? 0, into: &batch)
      batch.clear()
      if got == 0 { return (there, true) }
      there += got
    }
    return (there, false)
  }

  /// Throws if a replay's event differs from the stream's last message; does nothing before the replay has reached it.
  private func compare(_ events: Span<E>, _ current: Session) throws {
    let place = Int(clamping: current.lastPosition - writer.base)
    guard let stored = current.unseen, place >= 0, place < writer.count else { return }
    session?.unseen = nil
    if writer.payload(of: place, events) == stored { return }
    throw EnvironmentFailure(
      "the stream '\(settings.stream ?? "")' has another replay: its last message (\(current.lastSequence)) is not event \(current.lastPosition) of this one; use another stream, or 'input: live' for events that follow",
      isPermanent: true)
  }

  /// Logs that a replay has ended before it reached the stream's end.
  func drain() {
    guard let session, session.unseen != nil else { return }
    context.logger.warning(
      "the replay has ended before position \(session.lastPosition), the last one of the stream '\(settings.stream ?? "")', so no event was stored"
    )
  }

  private func encode(_ events: Span<E>, from first: Int, limit: Int, _ current: Session) -> Int {
    let sequence = isGuarded ? current.lastSequence + UInt64(current.sent) : nil
    return current.reply.withUnsafeBufferPointer { reply in
      writer.encode(
        events, from: first, limit: limit, after: sequence, reply: reply, numbers: current.messages.nextReplies, largest: current.largest,
        into: &batch)
    }
  }

  /// Publishes a batch without a stream, so only current subscribers receive it. Returns when the server has read all of it: a ping follows
  /// the last message, and its reply is awaited.
  private func pass(_ events: Span<E>) async throws {
    var next = 0
    while true {
      let heard = news.rings
      try check(confirmed: next, events)
      guard let current = session else {
        await news.wait(after: heard)
        continue
      }
      let count = writer.encode(
        events, from: next, limit: settings.inFlight, after: nil, largest: current.largest, into: &batch)
      if count == 0 { return }
      current.connection.send(&batch)
      do {
        try await current.connection.waitForRoom()
        try await current.connection.roundTrip(within: settings.connection.replyDeadline)
        current.connection.noteData()
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
    do {
      try await link?.run(isReady: settings.stream == nil) { connection in try await serve(connection) }
    } catch is CancellationError {} catch {
      fault = "\(error)"
      context.report(trouble: fault)
    }
    news.ring()
  }

  private func serve(_ connection: NATSConnection) async throws {
    sessions += 1
    var begun = Session(connection, number: sessions, inFlight: settings.inFlight, movedAt: context.clock.uptime)
    if let stream = settings.stream {
      try await look(at: stream, &begun)
      link?.ready("the stream '\(stream)'")
    }
    session = begun
    news.ring()
    defer {
      // The next session must read the stream's end from here on.
      if isGuarded, let session { anchor = session.end }
      session = nil
      news.ring()
    }
    let deadline = settings.connection.replyDeadline
    while true {
      try take(try await connection.receive(until: (waitingSince ?? context.clock.uptime) + deadline))
      if let complaint = connection.takeComplaints().first { throw NATSError.refused(complaint) }
      if let waitingSince, context.clock.uptime - waitingSince >= deadline { throw silence() }
    }
  }

  /// When something was sent or confirmed last, while a confirmation is missing.
  private var waitingSince: Duration? {
    guard settings.stream != nil, let session, session.sent > session.confirmed else { return nil }
    return session.movedAt
  }

  /// The meaning of a missing confirmation. If the previous session has received none either, reading the stream has shown that none of its
  /// messages were stored.
  private func silence() -> NATSError {
    guard isGuarded, let session else { return .timedOut(.reply) }
    let end = session.end.sequence
    defer { silentBehind = end }
    return silentBehind == end ? .notStored(behind: end) : .timedOut(.reply)
  }

  private func take(_ arrivals: NATSArrivals) throws {
    let before = session?.confirmed
    defer { if session?.confirmed != before { news.ring() } }
    for run in arrivals.stored { try session?.confirm(run) }
    for message in arrivals.messages where message.subscription == NATSConnection.acknowledgementSubscription {
      guard let reply = message.subjectNumber else { continue }
      try session?.confirm(reply, message)
    }
    if session?.confirmed != before {
      session?.connection.noteData()
      session?.movedAt = context.clock.uptime
    }
  }

  private func look(at stream: String, _ session: inout Session) async throws {
    let look = StreamLook(stream, settings, mark: mark, session.connection, context)
    let found = try await look.open(isKnown: anchor != nil)
    guard isGuarded else { return }
    let end: StreamEnd
    if let anchor {
      end = try await look.end(of: found, behind: anchor, word: writer.word)
    } else {
      end = try await look.end(of: found)
      if settings.input == .live {
        writer.resume(at: end.position + 1, places: try await look.places(writer.places, behind: end))
      } else if settings.batch != nil {
        // A replay's messages may be cut differently, so its place is found by the events of each subject.
        writer.resume(at: end.position + 1, known: try await look.places(writer.places, behind: end))
      }
    }
    session.begin(behind: end)
    anchor = end
  }
}
