/// The reason for closing a WebSocket (RFC 6455, section 7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let normal = CloseCode(rawValue: 1000)
  public static let goingAway = CloseCode(rawValue: 1001)
  public static let protocolError = CloseCode(rawValue: 1002)
  public static let unsupportedData = CloseCode(rawValue: 1003)
  public static let invalidPayload = CloseCode(rawValue: 1007)
  public static let policyViolation = CloseCode(rawValue: 1008)
  public static let messageTooBig = CloseCode(rawValue: 1009)
  public static let internalError = CloseCode(rawValue: 1011)
  public static let tryAgainLater = CloseCode(rawValue: 1013)

  /// True if it may be sent in a close frame.
  public var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  /// `1009 (message too big)`.
  public var description: String {
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
