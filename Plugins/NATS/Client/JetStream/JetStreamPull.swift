internal import StockbusNetwork
internal import MarketData

/// The flow control of one pull consumer: how many messages are requested, and when to request more.
///
/// A pure value. Between half a batch and one and a half are always requested, so that a slow reader gets no more than it has requested,
/// and a fast one never waits for a reply. A batch has fewer messages if they are large.
package struct JetStreamPull: Sendable {
  /// The most messages requested at a time.
  package static var batch: Int { 4096 }
  /// The approximate number of bytes requested at a time. With more, the server fills its buffer for this connection and then pauses for
  /// milliseconds each time; and the connection's reading pauses too.
  static var bytes: Int { 4 << 20 }
  /// How long a request is valid, and how often the server sends a heartbeat meanwhile if there are no messages.
  package static var expiry: Duration { .seconds(30) }
  package static var heartbeat: Duration { .seconds(5) }
  /// How many requests may end in succession without a message or a heartbeat between them.
  private static var endedLimit: Int { 16 }

  /// The kind of a message.
  package enum Piece: Sendable, Hashable {
    case message(JetStreamPlace)
    /// A heartbeat, or the end of a request.
    case status
  }

  package let stream: String
  package let consumer: String
  /// How many messages were requested and have not arrived.
  private(set) var outstanding = 0
  /// The consumer's number of the last message, and the stream's.
  private var last: UInt64 = 0
  private var lastSequence: UInt64 = 0
  /// How many requests have ended without a message since the last message or heartbeat.
  private var ended = 0
  /// The size of a message in bytes, over about the last sixteen of them; a guess until one has arrived.
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

  /// Takes a message from the inbox. Throws if the consumer was removed, or if a message is missing between this one and the last: then the
  /// consumer has to be recreated, beginning after the last message.
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
      throw .protocolViolation("a message of a consumer without its position")
    }
    switch status {
    case 100:
      ended = 0
      return .status
    case 404, 408:
      // How many messages of the request have not arrived.
      let left = headers.value("Nats-Pending-Messages").flatMap { Int($0) } ?? outstanding
      outstanding = max(0, outstanding - max(0, left))
      // While a request is valid there are several heartbeats, and only some requests are valid at a time.
      ended += 1
      if ended > Self.endedLimit { throw .protocolViolation("it ends pull requests too early") }
      return .status
    case 409:
      let words = headers.statusText
      let text = words.lowercased()
      if text.contains("consumer deleted") || text.contains("consumer is push") { throw .consumerTaken }
      if text.contains("batch completed") {
        ended += 1
        if ended <= Self.endedLimit { return .status }
        throw .protocolViolation("it ends pull requests too early")
      }
      throw .server(words.printable)
    case 503: throw .noResponders(subject: consumer)
    default: throw .server("status \(status) \(headers.statusText.printable)")
    }
  }
}

/// The position of a consumer's message, from the subject for its acknowledgement.
package struct JetStreamPlace: Sendable, Hashable {
  package let sequence: UInt64
  package let consumerSequence: UInt64
  /// How many messages follow it.
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
  /// Skips the rest of a subject's token and the dot after it; returns false if it is the last token.
  @discardableResult
  fileprivate mutating func skipPart() -> Bool {
    while at < end, at.pointee != 46 { at += 1 }
    if at == end { return false }
    at += 1
    return true
  }

  /// A token that is a number, and the dot after it; nil if it is not a number.
  fileprivate mutating func numberPart() -> UInt64? {
    guard peek &- 48 < 10, let number = try? integer(), isAtEnd || peek == 46 else { return nil }
    skipPart()
    return UInt64(number)
  }
}
