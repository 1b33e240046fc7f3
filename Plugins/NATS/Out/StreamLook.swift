internal import StockbusPlugin

/// A stream's last message: its number, and the position that it has; -1 if there is none.
struct StreamEnd: Sendable, Codable {
  var sequence: UInt64
  var position: Int64
  /// Its contents, if a replay must have the same event at this position.
  var payload: [UInt8]?
}

/// Finds where a writer continues in a stream, over one connection.
///
/// Obstacles to continuing are thrown as an `EnvironmentFailure`, after which no further connection is made.
struct StreamLook {
  private let stream: String
  private let settings: NATSOutSettings
  private let mark: EventMark
  private let connection: NATSConnection
  private let context: Context

  init(_ stream: String, _ settings: NATSOutSettings, mark: EventMark, _ connection: NATSConnection, _ context: Context) {
    self.stream = stream
    self.settings = settings
    self.mark = mark
    self.connection = connection
    self.context = context
  }

  private var deadline: Duration { settings.connection.replyDeadline }

  private func failure(_ words: String) -> EnvironmentFailure { EnvironmentFailure("the stream '\(stream)' \(words)", isPermanent: true) }

  /// The stream, which is created if it is missing and the settings request that; it accepts our subjects.
  ///
  /// - Parameter isKnown: true if the stream existed before.
  func open(isKnown: Bool) async throws -> StreamInfo {
    try refuseOldServer(connection.info, allowed: settings.oldServers)
    let info: StreamInfo
    do { info = try await connection.streamInfo(stream, within: deadline) } catch NATSError.jetStream(let problem)
      where problem.isStreamMissing
    {
      if isKnown { throw failure("was deleted while it was being written") }
      info = try await create()
    }
    let own = settings.template.pattern
    if !info.subjects.contains(where: { NATSSubject.covers($0, own) }) {
      let taken = info.subjects.isEmpty ? "what it copies" : visible(info.subjects.joined(separator: ", "), limit: 200)
      throw failure("does not have the subject '\(own)', only \(taken)")
    }
    if let made = info.partitions, let wanted = settings.partitions, made != wanted {
      throw failure(
        "was created for \(made) partitions, but this component writes \(wanted): symbols would be in two partitions; use another stream")
    }
    return info
  }

  private func create() async throws -> StreamInfo {
    guard let creation = settings.create else {
      throw EnvironmentFailure("there is no stream '\(stream)'; 'create: {}' creates it", isPermanent: true)
    }
    var wanted = StreamSettings(stream, subjects: [settings.template.pattern])
    wanted.numReplicas = creation.replicas
    wanted.partitions = settings.partitions
    if let most = creation.maxBytes { wanted.maxBytes = most.bytes }
    if let age = creation.maxAge { wanted.maxAge = Int(clamping: age.wholeNanoseconds) }
    let info = try await connection.createStream(wanted, within: deadline)
    context.logger.notice("created the stream '\(stream)' for '\(settings.template.pattern)', replicas: \(creation.replicas)")
    return info
  }

  // MARK: Its end

  /// The stream's end when it is read for the first time.
  func end(of info: StreamInfo) async throws -> StreamEnd {
    let last = info.lastSequence == 0 ? nil : try await message(info.lastSequence)
    if let text = last?.headers?.value("Stockbus-Event"), text != mark.text {
      throw failure("has '\(visible(text, limit: 128))', but this component writes '\(mark.text)'")
    }
    let position = position(of: last)?.number
    if settings.input == .replay {
      if settings.batch == nil, last?.headers?.value("Stockbus-Packed") != nil {
        throw failure("has packed messages, so a replay needs 'batch' to find its position")
      }
      guard info.lastSequence == 0 || position != nil else {
        throw EnvironmentFailure(
          "the last message of the stream '\(stream)' (\(info.lastSequence)) \(last == nil ? "is gone" : "has no position"), so it is not known where the replay must continue; use another stream, or 'input: live'",
          isPermanent: true)
      }
      // Packed events may be cut elsewhere than before.
      return StreamEnd(
        sequence: info.lastSequence, position: position ?? -1, payload: settings.batch == nil ? last?.payload : nil)
    }
    // Positions never grow faster than the stream's numbers, so this one is at least as high as any that was used.
    return StreamEnd(sequence: info.lastSequence, position: position ?? Int64(clamping: info.lastSequence) - 1)
  }

  /// The stream's end when it is read after a lost connection: the messages behind `known` must be those that were in flight then.
  ///
  /// Each message is checked, because the last one would not show that another message has replaced one of ours.
  func end(of info: StreamInfo, behind known: StreamEnd, word: String) async throws -> StreamEnd {
    if info.lastSequence < known.sequence {
      throw failure(
        "ends with message \(info.lastSequence), but message \(known.sequence) was acknowledged: the stream was deleted and created again, or its servers have lost messages"
      )
    }
    let count = info.lastSequence - known.sequence
    var end = known
    while end.sequence < info.lastSequence {
      let next = StreamEnd(sequence: end.sequence + 1, position: end.position + 1)
      let found = count <= UInt64(settings.inFlight) ? position(of: try await message(next.sequence)) : nil
      guard let found, found.writer == word, found.number == next.position else {
        throw failure(
          "has another writer: its message \(next.sequence) was not sent by this component; a stream has one writer, unless 'ids' are given"
        )
      }
      end = next
    }
    return end
  }

  private func message(_ sequence: UInt64) async throws -> StoredMessage? {
    try await connection.message(sequence, of: stream, within: deadline)
  }

  private func position(of message: StoredMessage?) -> StreamPosition? {
    message?.headers?.value("Stockbus-Position").flatMap { StreamPosition($0) }
  }

  /// The place of the next event on each subject that is known in advance.
  func places(_ empty: [Int64], behind end: StreamEnd) async throws -> [Int64] {
    var places = empty
    if end.sequence == 0 || settings.template.kind == .symbol { return places }
    for partition in places.indices {
      let subject = settings.template.subject(partition: partition)
      guard let message = try await connection.lastMessage(on: subject, of: stream, within: deadline) else { continue }
      let events = message.headers?.value("Stockbus-Packed").flatMap { UInt32($0) } ?? 1
      places[partition] = position(of: message)?.place.map { $0 + Int64(events) } ?? Int64(clamping: message.sequence)
    }
    return places
  }
}
