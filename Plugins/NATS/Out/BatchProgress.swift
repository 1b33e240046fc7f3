/// How far the messages of a batch are sent and confirmed, over as many sessions as it takes. All numbers count from the batch's first message.
struct BatchProgress {
  /// The messages before this number are confirmed.
  private(set) var confirmed = 0
  /// The next message to send in the present session.
  private(set) var next = 0
  /// The session that it follows, and the messages of that session before the batch's first.
  private var session: (number: Int, before: Int)?
  /// The largest number that was ever sent.
  private var most = 0

  /// True until a message was sent.
  var isUnsent: Bool { most == 0 }
  /// True if all that was sent is confirmed.
  var isConfirmed: Bool { next == confirmed }

  func follows(session number: Int) -> Bool { session?.number == number }

  /// Begins to follow a session in which `sent` messages were sent before. The stream holds the batch's messages before `held`; those behind
  /// are sent again.
  mutating func begin(session number: Int, sent: Int, held: Int) {
    confirmed = max(confirmed, held)
    next = confirmed
    session = (number, sent - confirmed)
  }

  /// Takes how many messages are confirmed in the session.
  mutating func confirm(_ inSession: Int) {
    guard let session else { return }
    confirmed = max(confirmed, min(next, inSession - session.before))
  }

  /// How many messages may be sent now.
  func room(inFlight: Int) -> Int { inFlight - (next - confirmed) }

  /// Counts messages that are sent; returns how many of them were sent before.
  mutating func send(_ count: Int) -> Int {
    let again = max(0, min(most, next + count) - next)
    next += count
    most = max(most, next)
    return again
  }
}
