/// Reads a record with quotation marks byte by byte (RFC 4180), for rows that cannot be read in place.
///
/// It can stop at the end of a line and continue the record in the next one. Unquoted fields are unchanged; a quoted field may contain
/// delimiters, line ends and doubled quotation marks.
struct QuotedRecord: ~Copyable {
  enum Step: Hashable {
    case complete
    /// The bytes end inside quotation marks.
    case unfinished
    case malformed(Problem)
  }
  enum Problem: Hashable {
    /// A quotation mark in a field that does not begin with one; its position, counted from 1.
    case strayQuote(Int)
    /// Text between the closing quotation mark and the delimiter; its position, counted from 1.
    case textAfterQuote(Int)
  }
  private enum State {
    case fieldStart, unquoted, quoted, quoteInQuoted
  }
  /// The fields' bytes, each field followed by a newline, so that numbers in them end there.
  private(set) var scratch = Scratch()
  /// By field, the offset after its last byte in `scratch`.
  private(set) var ends: [Int] = []
  private var state = State.fieldStart
  private var read = 0

  /// Clears the record and keeps the memory.
  mutating func reset() {
    scratch.clear()
    ends.removeAll(keepingCapacity: true)
    state = .fieldStart
    read = 0
  }

  /// Continues in `bytes`, which contain the record from its first byte; bytes that were read before are not read again.
  mutating func step(_ bytes: UnsafeBufferPointer<UInt8>, delimiter: UInt8) -> Step {
    scratch.reserve(2 * (bytes.count - read) + 16)
    while read < bytes.count {
      let byte = bytes[read]
      read += 1
      switch state {
      case .quoted:
        if byte == 34 { state = .quoteInQuoted } else { scratch.put(byte) }
      case .quoteInQuoted where byte == 34:
        scratch.put(34)
        state = .quoted
      case _ where byte == delimiter:
        endField()
      case .fieldStart where byte == 34:
        state = .quoted
      case .quoteInQuoted:
        return .malformed(.textAfterQuote(read))
      case .fieldStart, .unquoted:
        if byte == 34 { return .malformed(.strayQuote(read)) }
        scratch.put(byte)
        state = .unquoted
      }
    }
    if state == .quoted { return .unfinished }
    endField()
    return .complete
  }

  private mutating func endField() {
    ends.append(scratch.count)
    scratch.put(10)
    state = .fieldStart
  }
}
