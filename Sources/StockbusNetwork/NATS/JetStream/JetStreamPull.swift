internal import MarketData

/// The flow control of one consumer that is asked for messages: how many are under way, and when to ask for more.
///
/// A pure value. There are always requests for half a batch to one and a half, so that a slow reader gets no more than it asked for, and a
/// fast one never waits for an answer.
package struct JetStreamPull: Sendable {
  /// How many messages are asked for at a time.
  package static var batch: Int { 4096 }
  /// How long a request stands, and how often the server says meanwhile that there is nothing.
  package static var expiry: Duration { .seconds(30) }
  package static var heartbeat: Duration { .seconds(5) }

  /// What a message is.
  package enum Piece: Sendable, Hashable {
    case message(JetStreamPlace)
    /// A sign of life, or the end of a request.
    case status
  }

  package let stream: String
  package let consumer: String
  /// How many messages were asked for and have not come.
  private(set) var outstanding = 0
  /// The consumer's number of the last message.
  private var last: UInt64 = 0

  package init(stream: String, consumer: String) {
    self.stream = stream
    self.consumer = consumer
  }

  /// The next request, if there is room for one: its subject and its text.
  package mutating func request() -> (subject: String, body: String)? {
    if outstanding > Self.batch / 2 { return nil }
    outstanding += Self.batch
    let body =
      #"{"batch":\#(Self.batch),"expires":\#(Self.expiry.wholeNanoseconds),"idle_heartbeat":\#(Self.heartbeat.wholeNanoseconds)}"#
    return ("$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", body)
  }

  /// Takes what has come on the inbox. Throws if the consumer is gone, or if a message is missing between this one and the last: then it
  /// has to be made again behind the last one.
  package mutating func take(_ message: NATSMessage) throws(NATSError) -> Piece {
    if let reply = message.reply, let place = JetStreamPlace(reply) {
      outstanding = max(0, outstanding - 1)
      guard place.consumerSequence == last + 1 else {
        throw .protocolViolation("message \(place.consumerSequence) of a consumer came after \(last)")
      }
      last = place.consumerSequence
      return .message(place)
    }
    guard let headers = message.headers, let status = headers.status else {
      throw .protocolViolation("a message of a consumer without its place")
    }
    switch status {
    case 100: return .status
    case 404, 408:
      // How many of the request have not come.
      let left = headers.value("Nats-Pending-Messages").flatMap { Int($0) } ?? Self.batch
      outstanding = max(0, outstanding - max(0, left))
      return .status
    case 409:
      let words = headers.statusText
      let text = words.lowercased()
      if text.contains("consumer deleted") || text.contains("consumer is push") { throw .consumerTaken }
      if text.contains("batch completed") { return .status }
      throw .server(words.printable)
    case 503: throw .noResponders(subject: consumer)
    default: throw .server("status \(status) \(headers.statusText.printable)")
    }
  }
}

/// Where a message of a consumer is, from the subject for its acknowledgement.
package struct JetStreamPlace: Sendable, Hashable {
  package let sequence: UInt64
  package let consumerSequence: UInt64
  /// How many messages come after it.
  package let pending: UInt64

  /// `$JS.ACK.stream.consumer.delivered.sequence.consumerSequence.time.pending`, or with domain and account before the stream.
  package init?(_ reply: String) {
    let parts = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 9, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
    let first = parts.count == 9 ? 4 : 6
    guard parts.count > first + 4, let sequence = UInt64(parts[first + 1]), let consumerSequence = UInt64(parts[first + 2]),
      let pending = UInt64(parts[first + 4]), sequence > 0, sequence <= UInt64(Int64.max), consumerSequence < UInt64.max
    else { return nil }
    self.sequence = sequence
    self.consumerSequence = consumerSequence
    self.pending = pending
  }
}
