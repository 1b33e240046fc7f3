package import MarketData

/// Reads columns that are members of JSON objects, beside those of the event.
package struct ColumnMembers: Sendable {
  package let layout: ColumnLayout
  /// The values of the last object, in the order of the layout.
  package private(set) var row: [Int64] = []
  private var rest: [UInt8] = []

  package init(_ layout: ColumnLayout) { self.layout = layout }

  /// Takes the columns out of an object, and calls `body` with what remains: each other member is at its byte, so that the errors of `body`
  /// have their places. A column that is null or not there has no value.
  package mutating func take<R>(
    _ object: UnsafeBufferPointer<UInt8>, _ body: (inout ByteReader) throws(TextError) -> R
  ) throws(TextError) -> R {
    row = Array(repeating: ColumnLayout.missing, count: layout.columns.count)
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: object)
    try scan(object)
    // A result instead of a throw inside, because the closure cannot throw a typed error.
    let result = rest.withUnsafeBufferPointer { bytes -> Result<R, TextError> in
      var text = ByteReader(bytes)
      do throws(TextError) { return .success(try body(&text)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Ends at whatever is no member: `body` finds the same.
  private mutating func scan(_ object: UnsafeBufferPointer<UInt8>) throws(TextError) {
    var text = ByteReader(object)
    var found = Array(repeating: false, count: layout.columns.count)
    // The comma before the present member, if it is still there.
    var comma: Int?
    text.skipBlanks()
    guard text.peek == 123 else { return }
    text.at += 1
    while true {
      text.skipBlanks()
      let first = text.offset
      guard let name = try? text.jsonString() else { return }
      text.skipBlanks()
      guard text.peek == 58 else { return }
      text.at += 1
      text.skipBlanks()
      let place = layout.place(of: name)
      if let place {
        if found[place] { throw TextError(.doubledField, at: first, field: name) }
        found[place] = true
        do throws(TextError) { row[place] = try Self.value(layout.columns[place].kind, &text) } catch {
          throw TextError(error.code, at: error.offset, field: name)
        }
      } else if !Self.skipValue(&text) {
        return
      }
      text.skipBlanks()
      let isLast = text.peek == 125
      guard isLast || text.peek == 44 else { return }
      if place != nil {
        // With one comma, so that the others stand between two members.
        for i in first..<text.offset { rest[i] = 32 }
        if let at = isLast ? comma : text.offset { rest[at] = 32 }
      } else if !isLast {
        comma = text.offset
      }
      if isLast { return }
      text.at += 1
    }
  }

  private static func value(_ kind: ColumnKind, _ text: inout ByteReader) throws(TextError) -> Int64 {
    let first = text.offset
    if text.peek == 34 {
      let bytes = Array(try text.jsonString().utf8)
      let result = bytes.withUnsafeBufferPointer { bytes in Result { () throws(TextError) in try read(kind, bytes, isBare: false) } }
      do throws(TextError) { return try result.get() } catch { throw TextError(error.code, at: first) }
    }
    let bytes = word(&text)
    if bytes.elementsEqual("null".utf8) { return ColumnLayout.missing }
    do throws(TextError) { return try read(kind, bytes, isBare: true) } catch { throw TextError(error.code, at: first + error.offset) }
  }

  private static func read(_ kind: ColumnKind, _ bytes: UnsafeBufferPointer<UInt8>, isBare: Bool) throws(TextError) -> Int64 {
    var text = ByteReader(bytes)
    let value = kind == .time && isBare ? try text.integer() : try kind.read(&text)
    try text.expectEnd()
    return value
  }

  /// The bytes up to the next comma, bracket or blank.
  private static func word(_ text: inout ByteReader) -> UnsafeBufferPointer<UInt8> {
    let first = text.at
    while text.at < text.end, ![44, 125, 93, 32, 9, 10, 13].contains(text.at.pointee) { text.at += 1 }
    return UnsafeBufferPointer(start: first, count: text.at - first)
  }

  /// Moves past a value of any kind; false if the text ends before.
  private static func skipValue(_ text: inout ByteReader) -> Bool {
    var depth = 0
    repeat {
      switch text.peek {
      case 34: if (try? text.jsonString()) == nil { return false }
      case 123, 91:
        depth += 1
        text.at += 1
      case 125, 93:
        depth -= 1
        text.at += 1
      case 44, 58: text.at += 1
      default: if word(&text).isEmpty { return false }
      }
      if depth > 0 { text.skipBlanks() }
    } while depth > 0 && !text.isAtEnd
    return depth == 0
  }
}
