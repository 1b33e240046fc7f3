/// The location of a field's value in the current row.
///
/// Unsafe inside: it points into the reader's block or the parser's scratch memory, both alive until the next row.
struct RowSlot {
  enum Kind: UInt8 {
    /// Not in the row, or null.
    case absent
    /// Text, which may be the text of a number.
    case text
    /// A number that was read already.
    case number
    /// `true` or `false`.
    case literal
    /// An object or an array.
    case container
  }
  var start: UnsafePointer<UInt8>
  var count = 0
  var number = Decimal()
  var kind = Kind.absent
  /// The rank of the name or path under which the field was found; lower is better, 255 means none.
  var rank: UInt8 = 255

  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// The text without blanks around it.
  var trimmed: UnsafeBufferPointer<UInt8> {
    var from = start
    var left = count
    while left > 0, from.pointee == 32 || from.pointee == 9 {
      from += 1
      left -= 1
    }
    while left > 0, from[left - 1] == 32 || from[left - 1] == 9 { left -= 1 }
    return UnsafeBufferPointer(start: from, count: left)
  }
}

/// The values of one row, by the event's fields.
struct Slots: ~Copyable {
  let base: UnsafeMutablePointer<RowSlot>
  let count: Int
  private let nowhere: UnsafeMutablePointer<UInt8>

  init(count: Int) {
    self.count = count
    nowhere = .allocate(capacity: LineReader.slack)
    nowhere.initialize(repeating: 10, count: LineReader.slack)
    base = .allocate(capacity: max(1, count))
    base.initialize(repeating: RowSlot(start: UnsafePointer(nowhere)), count: max(1, count))
  }

  deinit {
    base.deallocate()
    nowhere.deallocate()
  }

  @inline(always)
  subscript(_ index: Int) -> RowSlot { base[index] }

  /// Marks every field as absent; the old locations stay, but are not used for absent fields.
  @inline(always)
  func clear() {
    for i in 0..<count {
      base[i].count = 0
      base[i].kind = .absent
      base[i].rank = 255
    }
  }
}

/// The result of reading a row.
enum RowFound {
  case row
  /// An empty line.
  case blank
  /// A malformed row; the parser's `reason` says why.
  case malformed
  case end
  /// The row has not arrived yet, and the reader must not wait for it.
  case later
}

/// Why a row gives no event: the field and its fault.
struct FieldProblem: Error, Hashable, Sendable {
  enum Reason: Hashable, Sendable {
    case missing, notANumber, tooManyDecimals, notExact, outOfRange, negative, notASide, notAFlag, notACondition, notAValue, notWhole,
      notALength
    /// The largest or smallest number, which stands for a value that is not defined.
    case undefined
    /// A point that may separate thousands, because other numbers in the file have decimal commas.
    case ambiguous
    /// A number as a time whose unit has not been determined yet.
    case unsettledTime
    case symbol(String)
    case time(String)
    /// The time is out of range in units of so many nanoseconds.
    case beyondTime(unit: UInt64)
  }
  var field: Int
  var reason: Reason
}
