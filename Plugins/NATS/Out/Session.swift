internal import StockbusNetwork

/// One connection over which a writer sends: what the stream held when it began, and what was sent and confirmed since.
struct Session {
  let connection: NATSConnection
  /// The end of the subjects for acknowledgements is added to this.
  let reply: [UInt8]
  /// The largest message that the server takes.
  let largest: Int
  /// The stream's last number when the session began, and that message's position; -1 if there was none.
  var lastSequence: UInt64 = 0
  var lastPosition: Int64 = -1
  /// How many messages were sent and confirmed in this session.
  var sent = 0
  private(set) var confirmed = 0
  /// Confirmed before an earlier one.
  private var early: Set<Int> = []
  /// When something was sent or confirmed last.
  var movedAt: Duration

  init(_ connection: NATSConnection, movedAt: Duration) {
    self.connection = connection
    self.movedAt = movedAt
    reply = Array(connection.acknowledgements.utf8)
    largest = connection.info.maxPayload
  }

  /// Takes the acknowledgement of message `number` of the session. Throws what it says instead.
  ///
  /// - Parameter isGuarded: the stream's number of each message is known before it is sent.
  mutating func confirm(_ number: Int, _ message: NATSMessage, isGuarded: Bool) throws(NATSError) {
    let acknowledgement: PublishAcknowledgement
    do throws(NATSError) { acknowledgement = try PublishAcknowledgement(message) } catch { throw meaning(of: error) }
    try confirm(number..<number + 1, at: acknowledgement.sequence, isGuarded)
  }

  /// Takes the acknowledgements of messages that are stored one behind the other.
  mutating func confirm(_ run: StoredRun, isGuarded: Bool) throws(NATSError) {
    try confirm(run.first..<run.first + run.count, at: run.sequence, isGuarded)
  }

  private mutating func confirm(_ numbers: Range<Int>, at sequence: UInt64, _ isGuarded: Bool) throws(NATSError) {
    guard numbers.upperBound <= sent else { throw .protocolViolation("an acknowledgement of what was not sent") }
    let expected = lastSequence + UInt64(numbers.lowerBound) + 1
    if isGuarded, sequence != expected { throw .protocolViolation("message \(expected) is acknowledged as \(sequence)") }
    if numbers.lowerBound > confirmed { return early.formUnion(numbers) }
    confirmed = max(confirmed, numbers.upperBound)
    if early.isEmpty { return }
    early.subtract(numbers)
    while early.remove(confirmed) != nil { confirmed += 1 }
  }

  /// Where the stream's end is another one, an earlier message was dropped without a word, unless the next look finds another writer.
  private func meaning(of error: NATSError) -> NATSError {
    guard case .jetStream(let problem) = error, problem.isWrongLastSequence else { return error }
    return .notStored(behind: lastSequence + UInt64(confirmed))
  }
}
