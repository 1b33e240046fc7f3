/// Takes the messages of a stream from its bytes, each whole, with limits on what they ask for.
///
/// Unsafe memory: descriptions point into the buffer, which stays as it is until the next message is read.
final class ArrowInput {
  struct Description {
    let root: FlatTable
    let kind: UInt8
    /// Where the checksum's digits stand in the description; nil if there are none.
    let checksum: Int?
  }

  enum Result {
    /// No byte is left.
    case nothing
    /// The bytes end within a message.
    case cut
    case end
    case message(Description)
  }

  private let source: TableSource
  private let limits: TableLimits
  private var head = ByteBuffer()
  private var content = ByteBuffer()
  /// Where the current message begins, and where it ends.
  private(set) var start = 0
  private(set) var offset = 0

  init(_ source: TableSource, _ limits: TableLimits) {
    self.source = source
    self.limits = limits
  }

  var body: UnsafeRawBufferPointer { content.bytes }

  /// Reads the message at `offset` and moves behind it, if it is whole.
  func read() throws -> Result {
    start = offset
    let left = try source.length() - offset
    if left <= 0 { return .nothing }
    if left < ArrowMessage.prefix { return .cut }
    guard try fill(&head, ArrowMessage.prefix, at: offset) else { return .cut }
    guard let mark = head.bytes.little(0, UInt32.self), let size = head.bytes.little(4, Int32.self) else { return .cut }
    guard mark == .max, size >= 0 else { throw TableError("there is no message", offset: offset) }
    if size == 0 {
      offset += ArrowMessage.prefix
      return .end
    }
    let length = Int(size)
    guard length <= limits.metadata else { throw TableError("the description of a message has \(length) bytes", offset: offset) }
    guard left >= ArrowMessage.prefix + length, try fill(&head, ArrowMessage.prefix + length, at: offset) else { return .cut }
    let root = try FlatTable(root: UnsafeRawBufferPointer(rebasing: head.bytes[ArrowMessage.prefix...]))
    let body = try root.number(3, default: Int64(0))
    guard body >= 0, body <= limits.block else { throw TableError("the body of a message has \(body) bytes", offset: offset) }
    guard left - ArrowMessage.prefix - length >= Int(body), try fill(&content, Int(body), at: offset + ArrowMessage.prefix + length) else {
      return .cut
    }
    offset += ArrowMessage.prefix + length + Int(body)
    let checksum = try root.pairs(4).first { $0.name == ArrowMessage.checksumKey }.map { $0.start + ArrowMessage.prefix }
    return .message(Description(root: root, kind: try root.number(1, default: UInt8(0)), checksum: checksum))
  }

  /// Throws if the message differs from its checksum, or has none, or has one in a stream that has none.
  func check(isRequired: Bool, _ description: Description) throws(TableError) {
    guard let place = description.checksum else {
      if isRequired { throw TableError("the message has lost its checksum", offset: start) }
      return
    }
    if !isRequired { throw TableError("the schema has lost its checksum", offset: 0) }
    guard Checksum.holds(in: head.writable, rest: body, at: place) else {
      throw TableError("the message differs from its checksum", offset: start)
    }
  }

  /// False if the source gives less, as when a file was shortened meanwhile.
  private func fill(_ buffer: inout ByteBuffer, _ size: Int, at offset: Int) throws -> Bool {
    buffer.resize(to: size)
    return try source.read(buffer.writable, offset) == size
  }
}
