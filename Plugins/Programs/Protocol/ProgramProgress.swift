internal import StockbusDecoding
internal import StockbusPlugin

/// The events sent to a program and those it reports as finished. Enforces the protocol: no event is finished twice, or before it was sent.
struct ProgramProgress {
  /// The largest state of a program in bytes.
  static let stateLimit = 64 << 10

  /// The number of the last event sent to the program, and of the last one that it has finished.
  var sent = 0
  private(set) var finished = 0
  /// The finished events that the program has left out, since the last call of `takeFiltered`.
  private var filtered = 0
  /// The number of events that the program reports as lost.
  private var lost = 0
  /// The state for the next process after the finished or committed events.
  private(set) var state: JSONValue?

  init(state: JSONValue? = nil) { self.state = state }

  /// True once the program has finished all events sent to it.
  var isSettled: Bool { finished == sent }

  mutating func takeFiltered() -> Int {
    defer { filtered = 0 }
    return filtered
  }

  /// Handles a message `done`.
  mutating func finish(_ message: JSONValue) throws(ProgramError) {
    let claim = message["done"]
    guard let number = claim?.count, number >= finished, number <= sent else {
      throw ProgramError(
        "reports event \(claim?.description ?? "?") as done; \(sent) \(sent == 1 ? "event was" : "events were") sent to it, and \(finished) were done before"
      )
    }
    let newly = number - finished
    let left = message["filtered"].map { $0.count ?? -1 } ?? 0
    guard left >= 0, left <= newly else {
      throw ProgramError("reports \(message["filtered"]?.description ?? "?") of \(newly) events as filtered")
    }
    finished = number
    filtered += left
    try takeState(message)
  }

  /// Takes a message `lost`, with its number.
  mutating func lose(_ count: Int) throws(ProgramError) {
    guard count <= sent - lost else {
      throw ProgramError("reports \(count) events as lost\(lost > 0 ? " and \(lost) before" : ""); \(sent) were sent to it")
    }
    lost += count
  }

  /// Takes the state of a message `done`, `commit` or `drained`, if it has one.
  mutating func takeState(_ message: JSONValue) throws(ProgramError) {
    guard let new = message["state"] else { return }
    if new.description.utf8.count > Self.stateLimit { throw ProgramError("sends a state of more than 64 KiB") }
    state = new
  }
}

/// The state of a program, written as its JSON text, because no other form keeps numbers exactly as they are.
struct ProgramState: Sendable, Codable {
  let value: JSONValue

  init(value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    var parser = JSONText(limit: ProgramProgress.stateLimit)
    let text = Array(try container.decode(String.self).utf8)
    do { value = try text.withUnsafeBufferPointer { bytes in try parser.value(bytes) } } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  func encode(to encoder: any Encoder) throws { try value.description.encode(to: encoder) }
}
