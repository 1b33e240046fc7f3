internal import StockbusPlugin

/// Why there is no connection, or none any more.
public enum WebSocketError: Error, Hashable, Sendable {
  /// Nobody listens there, the name is not known, or the network is not there; the system's words.
  case unreachable(String)
  /// The certificate was refused, or TLS could not be agreed upon; what to do is among the words.
  case tls(String)
  /// The server answered the upgrade with another status than 101; a redirect says where to.
  case refused(status: Int, reason: String)
  /// What the other side said is no WebSocket handshake.
  case badHandshake(String)
  /// The other side did not do in time what it should have.
  case timedOut(Deadline)
  /// The other side closed; without a code where the connection was simply gone, and then the words say how.
  case closed(CloseCode?, reason: String)
  /// The other side sent, or announced, a message of this many bytes or more; how it begins, as far as that had come.
  case tooLarge(bytes: Int, limit: Int, beginning: String)
  /// A text that is no UTF-8; how it begins, with what is no character replaced.
  case invalidText(beginning: String)
  /// The other side broke the protocol.
  case protocolViolation(String)
  /// The other side sent so many messages that nobody had asked it for.
  case unasked(messages: Int)
  /// We closed, as planned.
  case finished(CloseCode)

  /// What was waited for in vain.
  public enum Deadline: String, Hashable, Sendable {
    case connect, handshake, pong, idle, reply
  }
}

extension WebSocketError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(let words), .tls(let words): words
    case .refused(let status, let reason): "the server refused the upgrade with status \(status)\(reason.isEmpty ? "" : ": \(reason)")"
    case .badHandshake(let words): "no WebSocket handshake: \(words)"
    case .timedOut(.connect): "no connection in time"
    case .timedOut(.handshake): "no handshake in time"
    case .timedOut(.pong): "no answer to a ping in time"
    case .timedOut(.idle): "nothing came for too long"
    case .timedOut(.reply): "an answer did not come in time"
    case .closed(let code?, let reason): "the other side closed with \(code)\(reason.isEmpty ? "" : ": \(reason)")"
    case .closed(nil, let reason): reason.isEmpty ? "the connection was cut" : "the connection was cut: \(reason)"
    case .tooLarge(let bytes, let limit, _): "a message of \(ByteSize(bytes: bytes)) or more; the limit is \(ByteSize(bytes: limit))"
    case .invalidText: "a text that is not UTF-8"
    case .protocolViolation(let words): "the other side broke the protocol: \(words)"
    case .unasked(let messages): "the other side sent \(messages) messages that nobody had asked for"
    case .finished(let code): "closed with \(code)"
    }
  }

  /// The code with which the other side is told; nil where there is nothing to tell it.
  var codeToSend: CloseCode? {
    switch self {
    case .tooLarge: .messageTooBig
    case .invalidText: .invalidPayload
    case .protocolViolation: .protocolError
    case .unasked: .policyViolation
    case .timedOut(.idle), .timedOut(.reply): .goingAway
    case .unreachable, .tls, .refused, .badHandshake, .timedOut, .closed, .finished: nil
    }
  }

  /// True where the other side has done what it must not: to come back at once would only meet the same again.
  var isMisconduct: Bool {
    switch self {
    case .tooLarge, .invalidText, .protocolViolation, .unasked: true
    default: false
    }
  }

  /// True where what was sent, or what came as its answer, is to blame, and not the way between: to be sent again as it is would
  /// only meet the same end.
  public var blamesMessage: Bool {
    switch self {
    case .tooLarge, .invalidText, .protocolViolation, .timedOut(.reply): true
    case .closed(let code?, _): [.protocolError, .unsupportedData, .invalidPayload, .messageTooBig].contains(code)
    default: false
    }
  }
}
