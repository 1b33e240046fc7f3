internal import StockbusNetwork
public import StockbusPlugin

extension Plugin {
  /// Takes events from NATS.
  public static let natsIn = Plugin(
    "nats_in", "Reads events from a NATS JetStream stream or subject to which nats_out or another program publishes.",
    NATSInPlugin.self, emitting: "event",
    hot: [
      .source(NATSIn<Trade>.self), .source(NATSIn<Quote>.self), .source(NATSIn<Bar>.self), .source(NATSIn<Ranked>.self),
      .source(NATSIn<Mover>.self),
    ]
  ).example("servers: [nats://127.0.0.1:4222]\nsubject: prices")
}

enum NATSInPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .source(NATSIn<E>.self) }
}

/// Publishes the events of messages in the stream's order, each once in a run, across any number of lost connections.
///
/// Each connection reads by a new consumer on the server, which begins behind the last published message. With `durable` the server keeps
/// the consumer's name and the last acknowledged message: all messages up to it were finished by all readers of the output. So the next run
/// begins there, and repeats the messages that were not finished, or finished after the last acknowledgement.
///
/// It runs on its socket's thread, so that a message changes threads only once, on its way to the readers.
actor NATSIn<E: Event>: Source, ThreadedComponent {
  /// How long an acknowledgement waits for more.
  private static var acknowledgementPause: Duration { .milliseconds(100) }

  private let thread = NetworkThread.next()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
  nonisolated var ownExecutor: any OwnExecutor { thread }

  private let settings: NATSInSettings
  private let context: Context
  private var reading: Reading<E>
  /// The sequence number of the last message that was published or rejected; nil before the first.
  private var last: UInt64?
  private let messages: Counter
  private let rejected: Counter

  /// True once the stream has existed.
  private var isKnown = false

  private static var place: MemoryKey<UInt64> { MemoryKey("sequence", whenOptionsChange: .drop) }

  /// A reader with other options continues behind the last message, unless they set another beginning.
  static func carryOver(_ old: Memory, from before: NATSInSettings, to after: NATSInSettings, into memory: Memory) {
    if after.continues(after: before) { memory[place] = old[place] }
  }

  static func textFaults(in settings: NATSInSettings, reading _: ColumnLayout) -> [TextFault] {
    settings.extraColumns.faults(beside: E.self)
  }

  static func columns(_ settings: NATSInSettings, reading _: ColumnLayout) -> ColumnLayout { settings.extraColumns.layout }

  init(_ settings: NATSInSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    reading = Reading(
      context.symbols, isWhole: settings.subject == nil && settings.start != .lastPerSubject, columns: settings.extraColumns.layout)
    last = context.recall(Self.place)
    messages = context.counter("messages", "Messages received.")
    rejected = context.counter("rejected", "Messages without a valid event.")
  }

  func keepMemory() { if let last { context.remember(last, Self.place) } }

  func stop() { keepMemory() }

  func run(into output: inout Outlet<E>) async throws {
    let link = try NATSLink(settings.servers, settings.connection, login: settings.login, context, thread: thread)
    try await link.run(isReady: settings.stream == nil) { connection in
      if let stream = settings.stream {
        try await read(stream, connection, into: &output)
      } else {
        try await listen(connection, into: &output)
      }
    }
  }

  private func take(_ message: NATSMessage, origin: String, into output: inout Outlet<E>) async throws {
    messages.add(1)
    // Damaged packed events are removed again, and nothing else with them.
    if message.packedEvents != nil { try await output.flush() }
    do throws(Reading<E>.Refusal) { _ = try reading.take(message, into: &output) } catch {
      rejected.add(1)
      context.reject(message.packedEvents == nil ? message.beginning() : "packed", origin: origin, reason: error.reason, symbol: nil)
      if error.isLast { throw EnvironmentFailure(error.reason, isPermanent: true) }
    }
  }

  // MARK: Without a stream

  private func listen(_ connection: NATSConnection, into output: inout Outlet<E>) async throws {
    for subject in settings.subjects { _ = connection.subscribe(subject, queue: settings.queue) }
    while true {
      let batch = try await connection.receive()
      if let complaint = connection.takeComplaints().first { throw NATSError.refused(complaint) }
      if !batch.messages.isEmpty { connection.noteData() }
      for message in batch.messages { try await take(message, origin: visible(message.subject, limit: 256), into: &output) }
      try await output.flush()
    }
  }

  // MARK: A stream

  private func read(_ stream: String, _ connection: NATSConnection, into output: inout Outlet<E>) async throws {
    let consumer = try await makeConsumer(stream, connection)
    var pull = JetStreamPull(stream: stream, consumer: consumer.name)
    let inbox = connection.newInbox()
    _ = connection.subscribe(inbox)
    var receipts = Receipts()
    var heardAt = context.clock.uptime
    var isBehind = consumer.pending > 0
    log(isBehind ? "catching up: \(consumer.pending) messages of '\(stream)' pending" : "live: no message of '\(stream)' pending")
    do {
      while true {
        if let request = pull.request() { connection.publish(request.subject, reply: inbox, request.body) }
        let pause = receipts.isEmpty ? JetStreamPull.heartbeat : Self.acknowledgementPause
        let batch = try await connection.receive(until: context.clock.uptime + pause)
        if let complaint = connection.takeComplaints().first { throw NATSError.refused(complaint) }
        let now = context.clock.uptime
        if !batch.isEmpty { heardAt = now }
        if now - heardAt > JetStreamPull.heartbeat * 3 { throw NATSError.timedOut(.reply) }
        let end = try await take(batch.messages, stream, &pull, into: &output)
        if end != nil { connection.noteData() }
        try await output.flush()
        if isBehind, let end, end.place.pending == 0 {
          isBehind = false
          log("live: all messages of '\(stream)' up to \(end.place.sequence) were received")
        }
        if settings.durable == nil { continue }
        if let end { receipts.add(end.reply, published: output.published) }
        if let reply = receipts.acknowledge(taken: output.taken) { connection.publish(reply, "+ACK") }
      }
    } catch let error as CancellationError {
      if settings.durable != nil { await finish(&receipts, connection, output.taken, &output) }
      throw error
    } catch NATSError.consumerTaken where settings.durable != nil {
      _ = try await info(of: stream, connection)
      throw EnvironmentFailure(
        "another reader has taken over '\(settings.durable ?? "")' of the stream '\(stream)', or its consumer was deleted; a durable name has one reader",
        isPermanent: true)
    }
  }

  /// Logs whether the reader catches up or is live.
  private func log(_ words: String) {
    context.connection(.connected, words)
    context.report(trouble: nil)
    context.logger.notice("\(words)")
  }

  private func take(
    _ batch: [NATSMessage], _ stream: String, _ pull: inout JetStreamPull, into output: inout Outlet<E>
  ) async throws -> (place: JetStreamPlace, reply: String)? {
    var end: (place: JetStreamPlace, message: NATSMessage)?
    for message in batch {
      guard case .message(let place) = try pull.take(message) else { continue }
      end = (place, message)
      if let last, place.sequence <= last {
        // Read again for its acknowledgement only.
        if settings.durable != nil { continue }
        throw NATSError.protocolViolation("message \(place.sequence) came again, but messages after \(last) were requested")
      }
      if let gap = reading.gap(before: message) { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
      try await take(message, origin: "\(stream):\(place.sequence)", into: &output)
      last = place.sequence
    }
    return end.map { ($0.place, $0.message.reply ?? "") }
  }

  /// Waits until all readers have finished the published events, and lets the server confirm the acknowledgement.
  private func finish(_ receipts: inout Receipts, _ connection: NATSConnection, _ taken: Int, _ output: inout Outlet<E>) async {
    while output.taken < output.published, !output.isCutOff {
      // In a separate task, because a cancelled task cannot sleep.
      let clock = context.clock
      await Task { try? await clock.sleep(for: .milliseconds(10)) }.value
    }
    _ = receipts.acknowledge(taken: output.taken)
    guard let reply = receipts.last, !output.isCutOff else { return }
    let deadline = settings.connection.replyDeadline
    await Task { _ = try? await connection.request(reply, "+ACK", within: deadline) }.value
  }

  // MARK: Consumers

  private func makeConsumer(_ stream: String, _ connection: NATSConnection) async throws -> ConsumerInfo {
    let deadline = settings.connection.replyDeadline
    try refuseOldServer(connection.info, allowed: settings.oldServers)
    let info = try await info(of: stream, connection)
    try check(info, stream)
    if let last, info.lastSequence < last {
      throw EnvironmentFailure(
        "the stream '\(stream)' ends with message \(info.lastSequence), but message \(last) was read already: the stream was deleted and created again",
        isPermanent: true)
    }
    // Messages that arrive while the connection is lost count as new.
    if last == nil, settings.start == .new, settings.durable == nil, settings.sequence == nil, settings.time == nil {
      last = info.lastSequence
    }
    guard let durable = settings.durable else {
      var wanted = consumer("stockbus-\(unique())", ack: "none", behind: last)
      wanted.inactiveThreshold = 60_000_000_000
      wanted.memStorage = true
      wanted.numReplicas = 1
      return try await connection.createConsumer(wanted, of: stream, within: deadline)
    }
    return try await takeOver(durable, stream, info, connection)
  }

  private func info(of stream: String, _ connection: NATSConnection) async throws -> StreamInfo {
    do {
      let info = try await connection.streamInfo(stream, within: settings.connection.replyDeadline)
      isKnown = true
      return info
    } catch NATSError.jetStream(let problem) where problem.isStreamMissing {
      if isKnown || last != nil { throw EnvironmentFailure("the stream '\(stream)' was deleted", isPermanent: true) }
      // Its writer may start later than its readers.
      throw NATSError.noStream(stream)
    }
  }

  /// Logs the configured events that the stream cannot contain; throws if that is certain.
  private func check(_ info: StreamInfo, _ stream: String) throws {
    if let count = info.partitions, let partition = settings.partitions?.first(where: { $0 >= count }) {
      throw EnvironmentFailure(
        "the stream '\(stream)' has \(count) partitions, numbered from 0, but 'partitions' names \(partition)", isPermanent: true)
    }
    // A stream may also store under other subjects than it accepts, so this is no error.
    for subject in settings.subjects where !info.subjects.isEmpty && !info.subjects.contains(where: { NATSSubject.meet($0, subject) }) {
      let taken = visible(info.subjects.joined(separator: ", "), limit: 200)
      context.logger.warning("the stream '\(stream)' has the subjects \(taken), so it may have no messages of '\(subject)'")
    }
  }

  /// Reports messages that the stream has deleted before a durable reader had read them.
  private func reportLost(behind floor: UInt64, of stream: String, _ info: StreamInfo) {
    // During a run, gaps in the positions report this.
    guard last == nil, info.firstSequence > floor + 1 else { return }
    if settings.subject == nil {
      context.gap(in: "messages of '\(stream)'", expected: Int64(clamping: floor + 1), got: Int64(clamping: info.firstSequence))
    } else {
      context.logger.warning(
        "messages \(floor + 1) to \(info.firstSequence - 1) of the stream '\(stream)' were deleted; those of '\(settings.subject ?? "")' among them are missing"
      )
    }
  }

  /// Creates the next consumer of a durable name, which begins behind the last acknowledged message, and removes the previous ones.
  ///
  /// A reused consumer would deliver messages in flight only after a timeout, behind newer messages. The names `NAME-1`, `NAME-2` are
  /// numbered, so that after an interruption at any point the last one has the last acknowledgement.
  private func takeOver(
    _ durable: String, _ stream: String, _ info: StreamInfo, _ connection: NATSConnection
  ) async throws -> ConsumerInfo {
    let deadline = settings.connection.replyDeadline
    let before = try await connection.consumers(of: stream, within: deadline).compactMap { info in
      Self.generation(of: info.name, durable).map { (number: $0, info: info) }
    }
    let floor = before.map(\.info.acknowledged).max()
    if let floor {
      if floor > info.lastSequence {
        throw EnvironmentFailure(
          "the stream '\(stream)' ends with message \(info.lastSequence), but '\(durable)' has acknowledged message \(floor): the stream was deleted and created again, or its servers have lost messages; use another name in 'durable' to read it",
          isPermanent: true)
      }
      reportLost(behind: floor, of: stream, info)
    }
    let next = (before.map(\.number).max() ?? 0) + 1
    var wanted = consumer("\(durable)-\(next)", ack: "all", behind: floor)
    wanted.durableName = wanted.name
    wanted.ackWait = 86_400_000_000_000
    wanted.maxAckPending = -1
    let made = try await connection.createConsumer(wanted, of: stream, within: deadline)
    for old in before { try await connection.deleteConsumer(old.info.name, of: stream, within: deadline) }
    return made
  }

  private static func generation(of name: String, _ durable: String) -> Int? {
    guard name.hasPrefix(durable + "-") else { return nil }
    let digits = name.dropFirst(durable.count + 1)
    return digits.count <= 9 && digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
  }

  private func consumer(_ name: String, ack: String, behind last: UInt64?) -> ConsumerSettings {
    var deliver = settings.start.rawValue
    var sequence: UInt64?
    var time: String?
    if let last {
      deliver = "by_start_sequence"
      sequence = last + 1
    } else if let wanted = settings.sequence {
      deliver = "by_start_sequence"
      sequence = UInt64(wanted)
    } else if let wanted = settings.time {
      deliver = "by_start_time"
      time = "\(wanted)"
    }
    // The last of each subject needs subjects.
    let subjects = settings.subjects.isEmpty && deliver == ReadingStart.lastPerSubject.rawValue ? [">"] : settings.subjects
    var settings = ConsumerSettings(name, deliver: deliver, ack: ack, subjects: subjects)
    settings.optStartSeq = sequence
    settings.optStartTime = time
    return settings
  }

  private func unique() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
