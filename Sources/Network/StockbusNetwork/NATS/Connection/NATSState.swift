internal import NIOCore

/// The state that the channel's handler and the connection's owner share, behind the connection's lock.
struct NATSState {
  enum Phase {
    /// Until the server has let us in.
    case connecting, open
    case ended(NATSError)
  }

  var phase = Phase.connecting
  var channel: (any Channel)?
  var info = NATSServerInfo()
  /// True once the server has let us in, also after the end.
  var wasOpened = false
  /// True once the socket is closed.
  var isGone = false
  /// What was received and not taken yet.
  var arrived = NATSArrivals()
  var arrivedBytes = 0
  /// True while reading is paused because enough messages wait.
  var isPaused = false
  /// Requests that wait for their answer, by the last part of their subject.
  var requests: [String: NATSMessage?] = [:]
  var nextRequest = 0
  var nextSubscription = NATSConnection.firstSubscription
  /// The number of reads that have brought data.
  var reads = 0
  /// How many pings were sent after the greeting, and how many were answered.
  var pings = 0
  var pongs = 0
  /// True once what was asked for has come, as the owner says.
  var hasBrought = false
  /// What the server has said that ends nothing, such as that a subject may not be used.
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
