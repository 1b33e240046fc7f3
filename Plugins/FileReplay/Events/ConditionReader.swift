internal import MarketData
internal import StockbusDecoding

/// Reads the sale conditions of rows.
///
/// Consecutive rows mostly have one of a few texts, so the last different ones of up to eight bytes are kept, compared as one word.
///
/// Unsafe inside: it loads a text as a whole word; the bytes after a text in a row are readable.
struct ConditionReader {
  private struct Entry {
    var text: UInt64 = 0
    /// 0 for an empty entry.
    var count = 0
    var condition = TradeCondition.regular
  }

  private static let bits = 6
  private let table: ConditionTable
  private let isLenient: Bool
  private var entries = InlineArray<64, Entry>(repeating: Entry())

  /// Without a table, words that stockbus writes are read, and everything else is regular.
  init(_ table: ConditionTable?) {
    self.table = table ?? ConditionTable(.words)
    isLenient = table == nil
  }

  /// The condition in a field; regular if it has none. Not inlined, so that rows without conditions are read with the registers they had.
  @inline(never)
  mutating func condition(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> TradeCondition {
    if slot.count == 0 { return .regular }
    guard slot.count <= 8, slot.kind != .container else { return try read(slot, field) }
    let text = ByteWords.load(slot.start) & ByteWords.mask(slot.count)
    let place = Int(truncatingIfNeeded: (text &* 0x9e37_79b9_7f4a_7c15) &>> UInt64(64 - Self.bits))
    if entries[place].text == text, entries[place].count == slot.count { return entries[place].condition }
    let condition = try read(slot, field)
    entries[place] = Entry(text: text, count: slot.count, condition: condition)
    return condition
  }

  @inline(never)
  private func read(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> TradeCondition {
    let text: UnsafeBufferPointer<UInt8>? =
      switch slot.kind {
      case .absent, .text, .number: slot.text
      case .literal: nil
      case .container: Self.list(slot.start)
      }
    if let condition = text.flatMap(table.condition(of:)) { return condition }
    if isLenient { return .regular }
    throw FieldProblem(field: field, reason: text == nil ? .notAValue : .notACondition)
  }

  /// The text of a short JSON list of texts or numbers; nil for any other container.
  private static func list(_ start: UnsafePointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    if start.pointee != 91 { return nil }
    // A row ends with a newline, which no list contains.
    for count in 1..<256 {
      switch start[count] {
      case 93: return UnsafeBufferPointer(start: start, count: count + 1)
      case 10, 91, 123: return nil
      default: break
      }
    }
    return nil
  }
}
