internal import StockbusPlugin

/// Why there is no connection, or why it has ended.
package enum WebSocketError: Error, Hashable, Sendable {
  /// The connection was refused, the name could not be resolved, or there is no network; with the system's message.
  case unreachable(String)
  /// The certificate was refused, or TLS could not be negotiated; the message says what to do.
  case tls(String)
  /// The server responded to the upgrade with a status other than 101; for a redirect, the reason includes the target. The server may ask
  /// the client to wait for a while.
  case refused(status: Int, reason: String, retryAfter: RetryAfter? = nil)
  /// The peer's response is not a WebSocket handshake.
  case badHandshake(String)
  /// The peer did not respond in time.
  case timedOut(Deadline)
  /// No message came for this long; with the option that says how long, if this side has one.
  case idle(Duration, option: String? = nil)
  /// The peer closed the connection; without a code if the connection was lost, and then with the reason in words.
  case closed(CloseCode?, reason: String)
  /// The peer sent, or announced, a message of at least this many bytes; with its beginning, as far as it was received.
  case tooLarge(bytes: Int, limit: Int, beginning: String)
  /// A text message that is not UTF-8; with its beginning, in which invalid bytes are replaced.
  case invalidText(beginning: String)
  /// The peer violated the protocol.
  case protocolViolation(String)
  /// The peer sent this many unrequested messages.
  case unasked(messages: Int)
  /// This side closed the connection regularly.
  case finished(CloseCode)

  /// The deadline that has passed.
  package enum Deadline: String, Hashable, Sendable {
    case connect, handshake, pong, reply
  }
}

extension WebSocketError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let words), .tls(let words): words
    case .refused(let status, let reason, let retryAfter):
      "the server refused the upgrade with status \(status)\(reason.isEmpty ? "" : ": \(reason)")\(retryAfter.map { "; \($0)" } ?? "")"
    case .badHandshake(let words): "no WebSocket handshake: \(words)"
    case .timedOut(.connect): "no connection in time"
    case .timedOut(.handshake): "no handshake in time"
    case .timedOut(.pong): "no reply to a ping in time"
    case .timedOut(.reply): "a reply did not come in time"
    case .idle(let deadline, let option): "no message came for \(deadline.optionText)\(option.map { " ('\($0)')" } ?? "")"
    case .closed(let code?, let reason): "the peer closed the connection with \(code)\(reason.isEmpty ? "" : ": \(reason)")"
    case .closed(nil, let reason): reason.isEmpty ? "the connection was lost" : "the connection was lost: \(reason)"
    case .tooLarge(let bytes, let limit, _): "a message of \(ByteSize(bytes: bytes)) or more; the limit is \(ByteSize(bytes: limit))"
    case .invalidText: "a text that is not UTF-8"
    case .protocolViolation(let words): "the peer broke the protocol: \(words)"
    case .unasked(let messages): "the peer sent \(messages) unrequested messages"
    case .finished(let code): "closed with \(code)"
    }
  }

  /// The close code to be sent to the peer; nil if none is to be sent.
  var codeToSend: CloseCode? {
    switch self {
    case .tooLarge: .messageTooBig
    case .invalidText: .invalidPayload
    case .protocolViolation: .protocolError
    case .unasked: .policyViolation
    case .idle, .timedOut(.reply): .goingAway
    case .unreachable, .tls, .refused, .badHandshake, .timedOut, .closed, .finished: nil
    }
  }

  /// The time that the peer asks the client to wait; nil if it does not ask.
  var retryAfter: RetryAfter? { if case .refused(_, _, let retryAfter) = self { retryAfter } else { nil } }

  /// True if the peer has violated a rule, so that reconnecting at once would probably have the same result.
  var isMisconduct: Bool {
    switch self {
    case .tooLarge, .invalidText, .protocolViolation, .unasked: true
    default: false
    }
  }

  /// True if a sent message, or its reply, caused the error, and not the connection. Sending the same message again would have the same
  /// result.
  package var blamesMessage: Bool {
    switch self {
    case .tooLarge, .invalidText, .protocolViolation, .timedOut(.reply): true
    case .closed(let code?, _): [.protocolError, .unsupportedData, .invalidPayload, .messageTooBig].contains(code)
    default: false
    }
  }
}
