internal import MarketData

/// The flow control of one consumer that is asked for messages: how many are under way, and when to ask for more.
///
/// A pure value. There are always requests for half a batch to one and a half, so that a slow reader gets no more than it asked for, and a
/// fast one never waits for an answer. A batch has fewer messages where they are large.
package struct JetStreamPull: Sendable {
  /// How many messages are asked for at a time, at most.
  package static var batch: Int { 4096 }
  /// About how many bytes are asked for at a time. With more the server fills its buffer for this connection, and then pauses for
  /// milliseconds each time; and the connection's reading pauses too.
  static var bytes: Int { 4 << 20 }
  /// How long a request stands, and how often the server says meanwhile that there is nothing.
  package static var expiry: Duration { .seconds(30) }
  package static var heartbeat: Duration { .seconds(5) }
  /// How many requests may end one after the other without a message or a sign of life between them.
  private static var endedLimit: Int { 16 }

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
  /// The consumer's number of the last message, and the stream's.
  private var last: UInt64 = 0
  private var lastSequence: UInt64 = 0
  /// How many requests have ended without a message since the last message or sign of life.
  private var ended = 0
  /// How many bytes a message has, over about the last sixteen of them; until one has come, a guess.
  private var average = 16_384

  package init(stream: String, consumer: String) {
    self.stream = stream
    self.consumer = consumer
  }

  /// The next request, if there is room for one: its subject and its text.
  package mutating func request() -> (subject: String, body: String)? {
    let batch = max(1, min(Self.batch, Self.bytes / max(1, average)))
    if outstanding > batch / 2 { return nil }
    outstanding += batch
    let body =
      #"{"batch":\#(batch),"expires":\#(Self.expiry.wholeNanoseconds),"idle_heartbeat":\#(Self.heartbeat.wholeNanoseconds)}"#
    return ("$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", body)
  }

  /// Takes what has come on the inbox. Throws if the consumer is gone, or if a message is missing between this one and the last: then it
  /// has to be made again behind the last one.
  package mutating func take(_ message: NATSMessage) throws(NATSError) -> Piece {
    if let place = message.withReply({ JetStreamPlace($0) }) {
      outstanding = max(0, outstanding - 1)
      average += (message.count - average) / 16
      guard place.consumerSequence == last + 1 else {
        throw .protocolViolation("message \(place.consumerSequence) of a consumer came after \(last)")
      }
      guard place.sequence > lastSequence else {
        throw .protocolViolation("message \(place.sequence) of a stream came after \(lastSequence)")
      }
      last = place.consumerSequence
      lastSequence = place.sequence
      ended = 0
      return .message(place)
    }
    guard let headers = message.headers, let status = headers.status else {
      throw .protocolViolation("a message of a consumer without its place")
    }
    switch status {
    case 100:
      ended = 0
      return .status
    case 404, 408:
      // How many of the request have not come.
      let left = headers.value("Nats-Pending-Messages").flatMap { Int($0) } ?? outstanding
      outstanding = max(0, outstanding - max(0, left))
      // In the time that a request stands there are several signs of life, and only some requests stand at a time.
      ended += 1
      if ended > Self.endedLimit { throw .protocolViolation("it ends requests for messages before their time") }
      return .status
    case 409:
      let words = headers.statusText
      let text = words.lowercased()
      if text.contains("consumer deleted") || text.contains("consumer is push") { throw .consumerTaken }
      if text.contains("batch completed") {
        ended += 1
        if ended <= Self.endedLimit { return .status }
        throw .protocolViolation("it ends requests for messages before their time")
      }
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
  package init?(_ reply: UnsafeBufferPointer<UInt8>) {
    var text = ByteReader(reply)
    let dots = reply.count { $0 == 46 }
    guard text.matches("$JS.ACK."), dots == 8 || dots > 9 else { return nil }
    for _ in 0..<(dots == 8 ? 3 : 5) { text.skipPart() }
    guard let sequence = text.numberPart(), sequence > 0, let consumerSequence = text.numberPart(), text.skipPart(),
      let pending = text.numberPart()
    else { return nil }
    self.sequence = sequence
    self.consumerSequence = consumerSequence
    self.pending = pending
  }
}

extension ByteReader {
  /// Skips the rest of a subject's part and the dot behind it; returns false if it is the last part.
  @discardableResult
  fileprivate mutating func skipPart() -> Bool {
    while at < end, at.pointee != 46 { at += 1 }
    if at == end { return false }
    at += 1
    return true
  }

  /// A part that is a number, and the dot behind it; nil if it is none.
  fileprivate mutating func numberPart() -> UInt64? {
    guard peek &- 48 < 10, let number = try? integer(), isAtEnd || peek == 46 else { return nil }
    skipPart()
    return UInt64(number)
  }
}
