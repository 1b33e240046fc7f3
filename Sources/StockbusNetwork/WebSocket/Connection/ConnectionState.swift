internal import NIOCore

/// What the channel's handler and the connection's owner share; a value behind the connection's lock.
struct ConnectionState {
  enum Phase {
    case connecting, handshaking, open
    /// We have sent a close frame and wait for the other side's.
    case closing(CloseCode)
    case ended(WebSocketError)
  }

  var phase = Phase.connecting
  var channel: (any Channel)?
  /// True when the handshake was done, also where it has ended since.
  var wasOpened = false
  /// True when the socket is gone.
  var isGone = false
  /// What came in and was not taken.
  var inbox: [WebSocketMessage] = []
  var inboxBytes = 0
  /// True while nothing is read from the socket because nobody takes what came.
  var isPaused = false
  /// True when it plays dead.
  var isStalled = false
  /// Frames that wait for the next flush.
  var outgoing = ByteBuffer()
  var masks = MaskSource()
  /// How often anything at all has come.
  var reads = 0
  /// When a message came last.
  var lastMessage = Duration.zero
  /// True once a message or a pong has come: the connection is worth something.
  var hasProven = false

  /// Where reading pauses.
  static let most = (messages: 8192, bytes: 1 << 20)

  var isFull: Bool { inbox.count >= Self.most.messages || inboxBytes >= Self.most.bytes }

  var wasConnected: Bool { channel != nil }

  var ending: WebSocketError? { if case .ended(let error) = phase { error } else { nil } }

  /// What its owner is told: from the close frame on, which we send, there is nothing to wait for.
  var verdict: WebSocketError? { if case .closing(let code) = phase { .finished(code) } else { ending } }

  /// Ends it, unless it has ended; true where it has not.
  mutating func end(_ error: WebSocketError) -> Bool {
    if ending != nil { return false }
    phase = .ended(error)
    return true
  }

  mutating func take() -> [WebSocketMessage] {
    defer { inboxBytes = 0 }
    let batch = inbox
    inbox = []
    return batch
  }
}
