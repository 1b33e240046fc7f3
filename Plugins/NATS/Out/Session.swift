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

  /// Takes the acknowledgement of message `number` of the session.
  ///
  /// - Parameter isGuarded: the stream's number of each message is known before it is sent.
  mutating func confirm(_ number: Int, _ message: NATSMessage, isGuarded: Bool) throws(NATSError) {
    let acknowledgement: PublishAcknowledgement
    do throws(NATSError) { acknowledgement = try PublishAcknowledgement(message) } catch { throw meaning(of: error) }
    guard number >= 0, number < sent else { throw .protocolViolation("an acknowledgement of what was not sent") }
    if isGuarded, acknowledgement.sequence != lastSequence + UInt64(number) + 1 {
      throw .protocolViolation("message \(lastSequence + UInt64(number) + 1) is acknowledged as \(acknowledgement.sequence)")
    }
    if number != confirmed {
      if number > confirmed { early.insert(number) }
      return
    }
    confirmed += 1
    while !early.isEmpty, early.remove(confirmed) != nil { confirmed += 1 }
  }

  /// Where the stream's end is another one, an earlier message was dropped without a word, unless the next look finds another writer.
  private func meaning(of error: NATSError) -> NATSError {
    guard case .jetStream(let problem) = error, problem.isWrongLastSequence else { return error }
    return .notStored(behind: lastSequence + UInt64(confirmed))
  }
}
