internal import StockbusDecoding
internal import StockbusPacking
internal import StockbusPlugin
internal import StockbusSystem

/// The messages in a program's bytes, as lines or as frames.
struct ProgramInput: ~Copyable {
  /// The longest message of a program.
  static let messageLimit = 1 << 20

  private var bytes = LineBuffer(limit: messageLimit)
  private var text = JSONText(limit: messageLimit)
  /// True once both sides have agreed on frames.
  var isFramed = false

  /// Reads the available bytes, without waiting; call it when `next` returns nil.
  mutating func read(_ pipe: FileDescriptor) -> LineBuffer.Arrival { bytes.read(pipe) }

  /// How many bytes wait.
  var count: Int { bytes.count }

  /// The next complete message.
  mutating func next() throws(ProgramError) -> ProgramMessage? { isFramed ? try nextFrame() : try nextLine() }

  private mutating func nextLine() throws(ProgramError) -> ProgramMessage? {
    guard let line = bytes.next() else {
      if bytes.isTooLong { throw Self.tooLong }
      return nil
    }
    if line.count > Self.messageLimit { throw Self.tooLong }
    return EventLine.isNext(line) ? .events(line) : try message(line)
  }

  private mutating func nextFrame() throws(ProgramError) -> ProgramMessage? {
    guard let (kind, content) = bytes.nextFrame() else {
      if bytes.hasLongFrame { throw Self.tooLong }
      return nil
    }
    switch Frame.Kind(rawValue: kind) {
    case .events: return .events(content.bindMemory(to: UInt8.self))
    case .message: return try message(content.bindMemory(to: UInt8.self))
    case nil: throw ProgramError("sends a frame of unknown kind \(kind)")
    }
  }

  /// Takes the first reply to a command out of turn; the messages before it stay. `passed` is the position to continue from.
  mutating func takeReply(past passed: inout Int) throws(ProgramError) -> ProgramMessage? {
    let reply =
      isFramed
      ? bytes.takeFrame(past: &passed) { $0 == Frame.Kind.message.rawValue && Self.isReply($1) }
      : bytes.take(past: &passed, where: Self.isReply)
    return try reply.map { (reply) throws(ProgramError) in try message(reply.span) }
  }

  private static func isReply(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = line.prefix(16).filter { $0 != 32 && $0 != 9 }
    return start.starts(with: #"{"reply""#.utf8) || start.starts(with: #"{"refused""#.utf8)
  }

  private mutating func message(_ bytes: Span<UInt8>) throws(ProgramError) -> ProgramMessage {
    try bytes.withUnsafeBufferPointer { (bytes) throws(ProgramError) in try message(bytes) }
  }

  private mutating func message(_ bytes: UnsafeBufferPointer<UInt8>) throws(ProgramError) -> ProgramMessage {
    let value: JSONValue
    do { value = try text.value(bytes) } catch {
      throw ProgramError("sends an invalid message: \(error), in \(shown(String(decoding: bytes, as: UTF8.self), limit: 200))")
    }
    return try ProgramMessage(value)
  }

  private static var tooLong: ProgramError { ProgramError("sends a message of more than 1 MiB") }
}
