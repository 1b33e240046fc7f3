internal import StockbusNetwork
internal import StockbusPlugin

/// Why there is no connection to a NATS server, why it has ended, or why a request has failed.
package enum NATSError: Error, Hashable, Sendable {
  /// The connection was refused, the name could not be resolved, or there is no network; with the system's message.
  case unreachable(String)
  /// The certificate was refused, or TLS could not be negotiated; the message says what to do.
  case tls(String)
  /// The server does not admit the client; with the server's message.
  case refused(String)
  /// The server did not respond in time.
  case timedOut(Deadline)
  /// The connection was lost; the reason says how.
  case closed(String)
  /// The server sent, or announced, more than the limit.
  case tooLarge(String, bytes: Int, limit: Int)
  /// The server violated the protocol.
  case protocolViolation(String)
  /// The server ended the connection because this side reads too slowly.
  case slowConsumer
  /// The server is about to end and has asked its clients to leave.
  case lameDuck
  /// Another error from the server, with its message.
  case server(String)
  /// No responder listens to requests on this subject.
  case noResponders(subject: String)
  /// JetStream refused a request.
  case jetStream(JetStreamProblem)
  /// There is no such stream.
  case noStream(String)
  /// The messages published after this message of the stream were neither stored nor refused.
  case notStored(behind: UInt64)
  /// Messages published after this message of the stream were refused: another message is there, or a message before them is missing.
  case notNext(behind: UInt64)
  /// Another client has removed the consumer that was being read.
  case consumerTaken
  /// This side ended the connection.
  case finished

  package enum Deadline: String, Hashable, Sendable {
    case connect, greeting, pong, reply
  }

  /// True if the connection continues after the error, because it concerns only one request.
  package var concernsRequest: Bool {
    switch self {
    case .timedOut(.reply), .noResponders, .jetStream, .noStream, .notStored, .notNext: true
    default: false
    }
  }

  /// True if the server has violated a rule, so that reconnecting at once would probably have the same result.
  var isMisconduct: Bool {
    switch self {
    case .tooLarge, .protocolViolation, .refused, .slowConsumer: true
    default: false
    }
  }

  /// The meaning of an error line from the server; nil if the connection continues.
  static func meaning(of line: String) -> NATSError? {
    let text = line.lowercased()
    if text.hasPrefix("permissions violation") { return nil }
    if text.hasPrefix("slow consumer") { return .slowConsumer }
    if text.hasPrefix("authorization violation") || text.hasPrefix("authentication") || text.hasPrefix("user authentication")
      || text.hasPrefix("account authentication")
    {
      return .refused(line.printable)
    }
    if text.hasPrefix("secure connection - tls required") {
      return .tls("the server takes only TLS; write tls:// before its name")
    }
    return .server(line.printable)
  }
}

extension NATSError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let words), .tls(let words): words
    case .refused(let words): "the server rejected the login: \(words)"
    case .timedOut(.connect): "no connection in time"
    case .timedOut(.greeting): "connected, but no INFO came in time: is it a NATS server?"
    case .timedOut(.pong): "no reply to a ping in time"
    case .timedOut(.reply): "a reply did not come in time"
    case .closed(let reason): reason.isEmpty ? "the connection was lost" : "the connection was lost: \(reason)"
    case .tooLarge(let what, let bytes, let limit):
      "\(what) of \(ByteSize(bytes: bytes)) or more; the limit is \(ByteSize(bytes: limit))"
    case .protocolViolation(let words): "the server broke the protocol: \(words)"
    case .slowConsumer: "the server closed the connection, because stockbus read too slowly (slow consumer)"
    case .lameDuck: "the server is shutting down and has asked its clients to disconnect"
    case .server(let words): "the server says: \(words)"
    case .noResponders(let subject):
      subject.hasPrefix("$JS.")
        ? "JetStream does not reply: the server runs without it (nats-server -js), or it has no leader at present"
        : subject.isEmpty
          ? "no stream stores the message: the stream was deleted, or has no leader at present" : "'\(subject)' has no responders"
    case .jetStream(let problem): "\(problem)"
    case .noStream(let name): "there is no stream '\(name)' yet"
    case .notNext(let sequence):
      "the messages after \(sequence) of the stream were sent by another writer, or were not stored; the server's log has the reason, such as a full disk"
    case .notStored(let sequence):
      "nothing was stored after message \(sequence) of the stream; the server's log has the reason, such as a full disk"
    case .consumerTaken: "the consumer was deleted"
    case .finished: "closed normally"
    }
  }
}

/// An error in a reply from JetStream.
package struct JetStreamProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// A status code like that of HTTP.
  package let code: Int
  /// The error's own number, https://github.com/nats-io/nats-server/blob/main/server/errors.json.
  package let number: Int
  package let text: String

  package init(code: Int, number: Int, text: String) {
    self.code = code
    self.number = number
    self.text = text
  }

  package var description: String { "JetStream refused it: \(text) (\(number))" }

  /// The stream's last message is not the expected one: another client has written, or an earlier message was refused.
  package var isWrongLastSequence: Bool { number == 10_071 || number == 10_164 }
  package var isStreamMissing: Bool { number == 10_059 }
  package var isConsumerMissing: Bool { number == 10_014 }
  package var isMessageMissing: Bool { number == 10_037 }
}
