internal import StockbusDecoding
internal import StockbusPlugin

/// A message of a program.
enum ProgramMessage {
  /// With further members of the message.
  case hello(JSONValue)
  case ready
  /// Their line or frame, which is valid until the next read.
  case events(UnsafeBufferPointer<UInt8>)
  /// With the finished and left-out events, and the program's state.
  case done(JSONValue)
  case drained(JSONValue)
  case ended
  case committed(JSONValue)
  case reply(String)
  case refused(String)
  case failed(String)
  case remark(ProgramRemark)

  /// The error for an unexpected message of this kind.
  var unasked: ProgramError { ProgramError("sends '\(name)', which was not requested") }

  /// The name of the message, for error messages.
  var name: String {
    switch self {
    case .hello: "hello"
    case .ready: "ready"
    case .events: "events"
    case .done: "done"
    case .drained: "drained"
    case .ended: "ended"
    case .committed: "commit"
    case .reply: "reply"
    case .refused: "refused"
    case .failed: "failed"
    case .remark: "remark"
    }
  }

  /// Parses a message other than `events`. Its first member is its kind.
  init(_ message: JSONValue) throws(ProgramError) {
    guard let first = message.members.first else { throw ProgramError("sends an invalid message: \(shown("\(message)", limit: 200))") }
    let text = first.value.text
    switch first.name {
    case "hello": self = .hello(message)
    case "ready": self = .ready
    case "done": self = .done(message)
    case "commit": self = .committed(message)
    case "drained": self = .drained(message)
    case "ended": self = .ended
    case "reply": self = .reply(text?.cut(toBytes: Self.replyLimit) ?? "")
    case "refused": self = .refused(text?.cut(toBytes: Self.replyLimit) ?? "it gives no reason")
    case "failed": self = .failed(visible(text ?? "it gives no reason", limit: 400))
    case let name:
      guard let remark = try ProgramRemark(name, message) else { throw ProgramError("sends an unknown message: \(shown(name))") }
      self = .remark(remark)
    }
  }

  /// The longest reply to a command in bytes.
  static let replyLimit = 4 << 10
}

extension JSONValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var isNull: Bool { if case .null = self { true } else { false } }
  /// A whole number of at least zero.
  var count: Int? { if case .number(let text) = self, let count = Int(text), count >= 0 { count } else { nil } }
}
