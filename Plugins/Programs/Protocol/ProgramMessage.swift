internal import MarketData
internal import StockbusDecoding
internal import StockbusPlugin

/// What a program says that concerns the work in hand. What it says besides, such as a line for the log, the session deals with.
enum ProgramMessage {
  case hello(JSONValue)
  case ready
  /// The line, which is valid until the session reads again.
  case events(UnsafeBufferPointer<UInt8>)
  /// Everything up to this event is finished.
  case done
  case drained
  case ended
  case committed
  case reply(String)
  case refused(String)
  case failed(String)

  /// The error of a program that says this where nobody asked for it.
  var unasked: ProgramError { ProgramError("says '\(name)' where nobody asked for it") }

  /// As messages about a message name it.
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
    }
  }
}

extension JSONValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var isNull: Bool { if case .null = self { true } else { false } }
  /// A whole number of at least zero.
  var count: Int? { if case .number(let text) = self, let count = Int(text), count >= 0 { count } else { nil } }
}
