/// Lets the whole messages of an Arrow stream pass as its bytes come in any pieces, so that a stream that breaks off can be ended properly.
package struct WholeMessages {
  private var held: [UInt8] = []
  /// The bytes of the message that `held` begins with, as far as they are known.
  private var needed = ArrowMessage.prefix
  private let limits = TableLimits()
  /// True if no message has passed.
  package private(set) var isEmpty = true
  /// True once the stream's end has passed.
  package private(set) var hasEnded = false
  /// What ends a stream behind a whole message.
  package static var end: [UInt8] { ArrowMessage.end }

  package init() {}

  /// The messages that these bytes complete. Throws `TableError` if they are no messages.
  package mutating func take(_ bytes: [UInt8]) throws -> [UInt8] {
    held += bytes
    var whole = 0
    while held.count - whole >= needed {
      needed = try held.withUnsafeBytes { try length(UnsafeRawBufferPointer(rebasing: $0[whole...])) }
      if held.count - whole < needed { break }
      whole += needed
      needed = ArrowMessage.prefix
    }
    if whole > 0 { isEmpty = false }
    defer { held.removeFirst(whole) }
    return Array(held[..<whole])
  }

  /// The length of the message that the bytes begin with; if its description is not whole, where that ends.
  private mutating func length(_ bytes: UnsafeRawBufferPointer) throws(TableError) -> Int {
    guard bytes.little(0, UInt32.self) == .max, let size = bytes.little(4, Int32.self), size >= 0, size <= limits.metadata else {
      throw TableError("there is no message")
    }
    if size == 0 {
      hasEnded = true
      return ArrowMessage.prefix
    }
    let end = ArrowMessage.prefix + Int(size)
    if bytes.count < end { return end }
    let body = try FlatTable(root: UnsafeRawBufferPointer(rebasing: bytes[ArrowMessage.prefix..<end])).number(3, default: Int64(0))
    guard body >= 0, body <= limits.block else { throw TableError("the body of a message has \(body) bytes") }
    return end + Int(body)
  }
}
