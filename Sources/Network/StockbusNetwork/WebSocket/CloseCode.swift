/// The reason for closing a WebSocket (RFC 6455, section 7.4).
package struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let normal = CloseCode(rawValue: 1000)
  package static let goingAway = CloseCode(rawValue: 1001)
  package static let protocolError = CloseCode(rawValue: 1002)
  package static let unsupportedData = CloseCode(rawValue: 1003)
  package static let invalidPayload = CloseCode(rawValue: 1007)
  package static let policyViolation = CloseCode(rawValue: 1008)
  package static let messageTooBig = CloseCode(rawValue: 1009)
  package static let internalError = CloseCode(rawValue: 1011)
  package static let tryAgainLater = CloseCode(rawValue: 1013)

  /// True if it may be sent in a close frame.
  package var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  /// `1009 (message too big)`.
  package var description: String {
    let name: String? =
      switch self {
      case .normal: "normal"
      case .goingAway: "going away"
      case .protocolError: "protocol error"
      case .unsupportedData: "unsupported data"
      case .invalidPayload: "invalid payload"
      case .policyViolation: "policy violation"
      case .messageTooBig: "message too big"
      case .internalError: "internal error"
      case .tryAgainLater: "try again later"
      default: nil
      }
    return "\(rawValue)" + (name.map { " (\($0))" } ?? "")
  }
}
