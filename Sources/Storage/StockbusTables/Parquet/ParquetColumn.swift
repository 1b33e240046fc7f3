/// A column of a file, how its values are stored, and what they become.
struct ParquetColumn {
  enum Conversion: Hashable {
    case flag
    /// Numbers that are multiplied.
    case scaled(Int64)
    /// Numbers without a sign.
    case unsigned
    /// Decimals with more than nine decimals, which have to be divisible.
    case divided(Int64)
    case float
    /// Nanoseconds of the day and the day (Impala's times).
    case int96
    case text
  }

  let name: String
  /// Its place among the columns that have pages.
  let leaf: Int
  let physical: Parquet.Physical
  /// The bytes of each value; 0 if they differ, or are bits.
  let width: Int
  let isOptional: Bool
  let conversion: Conversion
  let type: ColumnType
  /// Why it is not read; the rest means nothing then.
  let refusal: String?

  /// The columns of the outermost level.
  static func columns(of footer: ParquetFooter) throws(TableError) -> [ParquetColumn] {
    let elements = footer.elements
    guard let root = elements.first else { throw TableError("the file has no schema") }
    let durations = footer.pairs.last { $0.name == Parquet.arrowKey }.map { ArrowField.durations(inMetadata: $0.value) } ?? [:]
    var (columns, at, leaf) = ([ParquetColumn](), 1, 0)
    for _ in 0..<min(root.children, elements.count) {
      guard at < elements.count else { throw TableError("the schema has fewer columns than it says") }
      let element = elements[at]
      let isGroup = element.physical == nil
      columns.append(ParquetColumn(element, leaf, isGroup ? "a column of structures or lists is not read" : nil, durations[element.name]))
      // The elements of a group follow it, each with its own.
      var open = 1
      while open > 0 {
        guard at < elements.count, elements[at].children <= elements.count else {
          throw TableError("the schema has fewer columns than it says")
        }
        open += elements[at].physical == nil ? elements[at].children - 1 : -1
        if elements[at].physical != nil { leaf += 1 }
        guard open <= elements.count else { throw TableError("the schema has fewer columns than it says") }
        at += 1
      }
    }
    for group in footer.groups where group.chunks.count != leaf {
      throw TableError("a row group has another number of columns than the schema")
    }
    return columns
  }

  private init(_ element: ParquetFooter.Element, _ leaf: Int, _ refusal: String?, _ duration: Int64?) {
    name = element.name
    self.leaf = leaf
    physical = element.physical ?? .boolean
    var refusal = element.repetition == 2 ? "a column of lists is not read" : refusal
    var (type, conversion) = (ColumnType.integer, Conversion.scaled(1))
    if refusal == nil {
      do throws(TableError) { (type, conversion) = try Self.conversion(element, physical) } catch { refusal = error.reason }
    }
    if let duration, physical == .int64, Self.logical(element) == .none { (type, conversion) = (.duration, .scaled(duration)) }
    switch physical {
    case .boolean, .byteArray: width = 0
    case .int32, .float: width = 4
    case .int64, .double: width = 8
    case .int96: width = 12
    case .fixed:
      width = element.length
      if !(1...1024).contains(width), refusal == nil { refusal = "values of \(width) bytes are not read" }
    }
    self.refusal = refusal
    self.type = type
    self.conversion = conversion
    // What is not a number becomes a missing value.
    isOptional = element.repetition == 1
  }

  var column: TableColumn { TableColumn(name, type, isOptional: isOptional || conversion == .float) }

  private static func conversion(_ element: ParquetFooter.Element, _ physical: Parquet.Physical) throws(TableError) -> (
    ColumnType, Conversion
  ) {
    let logical = logical(element)
    switch (physical, logical) {
    case (.boolean, _): return (.flag, .flag)
    case (.int96, _): return (.timestamp, .int96)
    case (.float, _), (.double, _): return (.price, .float)
    case (_, .decimal(let scale)):
      switch scale {
      case 0...9: return (.decimal(scale), .scaled(1))
      case 10...27: return (.price, .divided(TenPower[scale - 9]))
      default: throw TableError("decimals with \(scale) decimals are not read")
      }
    case (.int32, .date): return (.timestamp, .scaled(86_400_000_000_000))
    case (.int32, .time(let unit)), (.int64, .time(let unit)): return (.duration, .scaled(unit))
    case (.int64, .timestamp(let unit)): return (.timestamp, .scaled(unit))
    case (.int32, .integer(let isSigned)), (.int64, .integer(let isSigned)): return (.integer, isSigned ? .scaled(1) : .unsigned)
    case (.int32, .none), (.int64, .none): return (.integer, .scaled(1))
    // Old files do not say that bytes are a text; what is none is found when it is read.
    case (.byteArray, .text), (.byteArray, .none): return (.text, .text)
    case (.fixed, .none): throw TableError("a column of bytes is not read")
    default: throw TableError("a column of this type is not read")
    }
  }

  /// The logical type, also as older files say it.
  private static func logical(_ element: ParquetFooter.Element) -> ParquetFooter.Logical {
    if element.logical != .none { return element.logical }
    switch element.converted {
    case 0, 4, 19: return .text
    case 5: return .decimal(scale: element.scale)
    case 6: return .date
    case 7: return .time(1_000_000)
    case 8: return .time(1_000)
    case 9: return .timestamp(1_000_000)
    case 10: return .timestamp(1_000)
    case 11, 12, 13, 14: return .integer(isSigned: false)
    case 15, 16, 17, 18: return .integer(isSigned: true)
    case nil: return .none
    default: return .other(0)
    }
  }
}
