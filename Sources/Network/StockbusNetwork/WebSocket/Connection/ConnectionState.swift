internal import NIOCore

/// The state that the channel's handler and the connection's owner share, behind the connection's lock.
struct ConnectionState {
  enum Phase {
    case connecting, handshaking, open
    /// This side has sent a close frame and waits for the peer's.
    case closing(CloseCode)
    case ended(WebSocketError)
  }

  var phase = Phase.connecting
  var channel: (any Channel)?
  /// True once the handshake is complete, even after the connection has ended.
  var wasOpened = false
  /// True once the socket is closed.
  var isGone = false
  /// Takes the messages instead of the inbox.
  var receiver: (any WebSocketReceiver)?
  /// Notified when the phase changes.
  var watch: ConnectionWatch?
  /// Received messages that were not taken yet.
  var inbox: [WebSocketMessage] = []
  var inboxBytes = 0
  /// True while reading is paused because enough messages wait.
  var isPaused = false
  /// True if `receive` returns although there are no messages.
  var isWoken = false
  /// True if this side has stopped reading and answering, for a test.
  var isStalled = false
  /// Frames for the next flush.
  var outgoing = ByteBuffer()
  /// Bytes flushed since the last wait for the socket's thread.
  var ahead = 0
  var masks = MaskSource()
  /// The number of reads that have brought data.
  var reads = 0
  /// When the last message was received.
  var lastMessage = Duration.zero
  /// True once the owner has noted that requested data have arrived.
  var hasDelivered = false

  /// The numbers of messages and bytes at which reading pauses.
  var most = (messages: 8192, bytes: 1 << 20)

  var isFull: Bool { inbox.count >= most.messages || inboxBytes >= most.bytes }

  var wasConnected: Bool { channel != nil }

  var ending: WebSocketError? { if case .ended(let error) = phase { error } else { nil } }

  /// The error that `receive` and `flush` throw. It is set as soon as this side has sent a close frame, because no further message is
  /// received.
  var verdict: WebSocketError? { if case .closing(let code) = phase { .finished(code) } else { ending } }

  /// True if neither side may send messages any more.
  var isClosing: Bool {
    switch phase {
    case .connecting, .handshaking, .open: false
    case .closing, .ended: true
    }
  }

  /// Ends the connection; returns false if it had already ended.
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
