/// The messages of a session, numbered from 0: how many were sent, and which of them the stream has confirmed.
///
/// The subject for a message's acknowledgement ends with a number, of which there are only `replies`: a server remembers where a subject's
/// messages go, but not for as many subjects as there are messages.
struct SentMessages {
  /// How many different numbers for acknowledgements there are.
  private let replies: Int
  /// The stream's number before that of message 0; nil if other writers may come in between.
  private let lastSequence: UInt64?
  private(set) var sent = 0
  /// All messages before this number are confirmed.
  private(set) var confirmed = 0
  /// Messages that were confirmed before an earlier one.
  private var early: Set<Int> = []

  /// For a writer that knows each message's number in the stream before it sends it: the acknowledgement identifies its message.
  ///
  /// - Parameter lastSequence: the stream's last number.
  init(behind lastSequence: UInt64) {
    self.lastSequence = lastSequence
    replies = NATSConnection.fewReplies
  }

  /// For a writer among others, which has at most `inFlight` messages in flight: the first unconfirmed one and those sent after it.
  init(inFlight: Int) {
    lastSequence = nil
    replies = inFlight
  }

  /// The numbers for the acknowledgements of the next messages.
  var nextReplies: ReplyNumbers { ReplyNumbers(first: sent, count: replies) }

  mutating func send(_ count: Int) { sent += count }

  /// Takes the acknowledgements of messages that are stored one behind the other.
  mutating func confirm(_ run: StoredRun) throws(NATSError) { try confirm(run.first, at: run.sequence, run.count) }

  /// Takes the acknowledgements that arrived at `count` numbers from `reply` on, of messages with numbers in the stream from `sequence` on.
  mutating func confirm(_ reply: Int, at sequence: UInt64, _ count: Int = 1) throws(NATSError) {
    var done = 0
    while done < count {
      let (first, most) = try place(of: reply + done, sequence + UInt64(done))
      let numbers = first..<first + min(count - done, most)
      guard numbers.upperBound <= sent else { throw .protocolViolation("an acknowledgement of a message that was not sent") }
      confirm(numbers)
      done += numbers.count
    }
  }

  /// The message of an acknowledgement, and how many messages from it on can be confirmed in turn.
  private func place(of reply: Int, _ sequence: UInt64) throws(NATSError) -> (Int, Int) {
    if let lastSequence {
      guard sequence > lastSequence, let number = Int(exactly: sequence - lastSequence - 1), number < sent, number % replies == reply else {
        throw .protocolViolation("an acknowledgement of a message that was not sent")
      }
      return (number, sent - number)
    }
    guard reply < replies else { throw .protocolViolation("an acknowledgement of a message that was not sent") }
    // No two messages in flight have the same number.
    let ahead = (reply - confirmed % replies + replies) % replies
    return (confirmed + ahead, replies - ahead)
  }

  private mutating func confirm(_ numbers: Range<Int>) {
    if numbers.lowerBound > confirmed { return early.formUnion(numbers) }
    confirmed = max(confirmed, numbers.upperBound)
    if early.isEmpty { return }
    early.subtract(numbers)
    while early.remove(confirmed) != nil { confirmed += 1 }
  }
}

/// The numbers that are added to the subjects for acknowledgements, one message after the other.
struct ReplyNumbers {
  let first: Int
  let count: Int

  subscript(offset: Int) -> Int { (first + offset) % count }
}
