internal import NIOCore

/// The state that the channel's handler and the connection's owner share, behind the connection's lock.
struct NATSState {
  enum Phase {
    /// The phase until the server has admitted the client, and the one after that.
    case connecting, open
    case ended(NATSError)
  }

  var phase = Phase.connecting
  var channel: (any Channel)?
  var info = NATSServerInfo()
  /// True once the server has admitted the client, even after the end.
  var wasOpened = false
  /// True once the socket is closed.
  var isGone = false
  /// The received data that were not taken yet.
  var arrived = NATSArrivals()
  var arrivedBytes = 0
  /// True while reading is paused because enough messages wait.
  var isPaused = false
  /// The requests that wait for their reply, by the last part of their subject.
  var requests: [String: NATSMessage?] = [:]
  var nextRequest = 0
  var nextSubscription = NATSConnection.firstSubscription
  /// The number of reads that have brought data.
  var reads = 0
  /// How many pings were sent after the greeting, and how many pongs were received.
  var pings = 0
  var pongs = 0
  /// True once the owner has noted that a requested message has arrived.
  var hasDelivered = false
  /// The server's messages that do not end the connection, for example that a subject may not be used.
  var complaints: [String] = []

  /// The numbers of messages and bytes at which reading pauses.
  static var most: (messages: Int, bytes: Int) { (65_536, 1 << 24) }

  var isFull: Bool { arrived.messages.count >= Self.most.messages || arrivedBytes >= Self.most.bytes }

  var ending: NATSError? { if case .ended(let error) = phase { error } else { nil } }

  /// Ends the connection; returns false if it had already ended.
  mutating func end(_ error: NATSError) -> Bool {
    if ending != nil { return false }
    phase = .ended(error)
    return true
  }

  mutating func take() -> NATSArrivals {
    defer { (arrived, arrivedBytes) = (NATSArrivals(), 0) }
    return arrived
  }
}
