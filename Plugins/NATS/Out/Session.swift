/// One connection over which a writer sends: the stream's state when the session began, and the messages sent and confirmed since.
struct Session {
  let connection: NATSConnection
  /// Distinguishes it from the writer's other sessions.
  let number: Int
  /// The end of the subjects for acknowledgements is added to this.
  let reply: [UInt8]
  /// The size of the largest message that the server accepts.
  let largest: Int
  /// The stream's last number when the session began, and that message's position; -1 if there was none.
  private(set) var lastSequence: UInt64 = 0
  private(set) var lastPosition: Int64 = -1
  private(set) var messages: SentMessages
  /// The contents of the stream's last message, until a replay was compared with it.
  var unseen: [UInt8]?
  /// When something was sent or confirmed last.
  var movedAt: Duration

  init(_ connection: NATSConnection, number: Int, inFlight: Int, movedAt: Duration) {
    self.connection = connection
    self.number = number
    self.movedAt = movedAt
    reply = Array(connection.acknowledgements.utf8)
    largest = connection.info.maxPayload
    messages = SentMessages(inFlight: inFlight)
  }

  var sent: Int { messages.sent }
  var confirmed: Int { messages.confirmed }
  /// The stream's last number, and that message's position, as far as they are confirmed.
  var end: StreamEnd { StreamEnd(sequence: lastSequence + UInt64(confirmed), position: lastPosition + Int64(confirmed)) }

  /// Begins behind the stream's end, where no other writer can come in between.
  mutating func begin(behind end: StreamEnd) {
    (lastSequence, lastPosition, unseen) = (end.sequence, end.position, end.payload)
    messages = SentMessages(behind: end.sequence)
  }

  mutating func note(sent count: Int, at time: Duration) {
    messages.send(count)
    movedAt = time
  }

  mutating func confirm(_ run: StoredRun) throws(NATSError) { try messages.confirm(run) }

  /// Takes the acknowledgement of a message that arrived at the number `reply`. Throws the error that it contains instead.
  mutating func confirm(_ reply: Int, _ message: NATSMessage) throws(NATSError) {
    let acknowledgement: PublishAcknowledgement
    do throws(NATSError) { acknowledgement = try PublishAcknowledgement(message) } catch { throw meaning(of: error) }
    try messages.confirm(reply, at: acknowledgement.sequence)
  }

  /// If the stream's end differs, an earlier message was dropped silently, unless the next check finds another writer.
  private func meaning(of error: NATSError) -> NATSError {
    guard case .jetStream(let problem) = error, problem.isWrongLastSequence else { return error }
    return .notNext(behind: end.sequence)
  }
}
