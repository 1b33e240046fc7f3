internal import StockbusPacking
internal import StockbusPlugin

/// The message `{"events":[…]}`, in both directions, without a value for each event.
enum EventLine {
  /// True if a message is of this kind: its first member is `events`.
  static func isNext(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = ByteReader(line)
    return goToEvents(&text)
  }

  /// Sends the events of a message, with the columns of the output if it has any; returns how many they were.
  static func read<E: Event>(
    _ line: UnsafeBufferPointer<UInt8>, into output: inout Outlet<E>, _ symbols: inout SymbolTally, columns: ColumnLayout = ColumnLayout()
  ) throws(TextError) -> Int {
    if columns.isEmpty {
      return try read(line) { (text) throws(TextError) in
        let event = try E.schema.decodeJSON(&text)
        guard symbols.takes(event) else { throw TextError(.tooManySymbols, at: text.offset) }
        output.send(event)
      }
    }
    var row: [Int64] = []
    return try read(line) { (text) throws(TextError) in
      let event = try E.schema.decodeJSON(&text, columns: columns, row: &row)
      guard symbols.takes(event) else { throw TextError(.tooManySymbols, at: text.offset) }
      output.send(event, row: row)
    }
  }

  /// Reads a message, and each of its events by `take`; returns how many they were.
  @inline(__always)
  private static func read(
    _ line: UnsafeBufferPointer<UInt8>, _ take: (inout ByteReader) throws(TextError) -> Void
  ) throws(TextError) -> Int {
    var text = ByteReader(line)
    text.allowsExponents = false
    guard goToEvents(&text) else { throw TextError(.unexpected, at: text.offset) }
    text.goPastBlanks()
    try text.skip(UInt8(ascii: "["))
    text.goPastBlanks()
    var count = 0
    if text.peek == UInt8(ascii: "]") {
      text.at += 1
    } else {
      while true {
        try take(&text)
        count += 1
        text.goPastBlanks()
        if text.peek == UInt8(ascii: "]") { break }
        try text.skip(UInt8(ascii: ","))
        text.goPastBlanks()
      }
      text.at += 1
    }
    text.goPastBlanks()
    // Further members are for other versions.
    if text.peek == UInt8(ascii: ",") { return count }
    try text.skip(UInt8(ascii: "}"))
    text.goPastBlanks()
    try text.expectEnd()
    return count
  }

  /// Moves behind `{"events":`; returns false if the text differs.
  private static func goToEvents(_ text: inout ByteReader) -> Bool {
    text.goPastBlanks()
    guard text.goPast("{") else { return false }
    text.goPastBlanks()
    guard text.goPast(#""events""#) else { return false }
    text.goPastBlanks()
    return text.goPast(":")
  }
}

extension ByteReader {
  fileprivate mutating func goPastBlanks() { while at < end, at.pointee == 32 || at.pointee == 9 || at.pointee == 13 { at += 1 } }

  /// Skips this word and returns true; if something else follows, returns false and skips nothing.
  fileprivate mutating func goPast(_ word: StaticString) -> Bool {
    matches(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }
}
