internal import StockbusText

/// How a column of a stream is stored, by this module or by others, and what it becomes.
struct ArrowField {
  enum Storage: Hashable {
    case signed(bytes: Int), unsigned(bytes: Int)
    /// Numbers in units of a power of ten, of which the values are `factor` times as many.
    case scaled(bytes: Int, factor: Int64)
    /// A decimal with more decimals than nine: the values are divided, and have to be divisible.
    case divided(bytes: Int, divisor: Int64)
    case float(bytes: Int)
    case bits
    case text(Text)
    /// Numbers of the texts in the dictionary `id`.
    case dictionary(id: Int64, bytes: Int, isSigned: Bool, Text)

    enum Text: Hashable {
      case utf8, largeUTF8, view
    }
  }

  let column: TableColumn
  let storage: Storage

  /// The fields of a schema, and its metadata.
  static func fields(of schema: FlatTable) throws(TableError) -> [ArrowField] {
    if try schema.number(0, default: Int16(0)) != 0 {
      throw TableError("the numbers are stored with the highest byte first, which is not read")
    }
    var fields: [ArrowField] = []
    for field in try schema.tables(1) {
      if fields.count == TableSchema.columnLimit { throw TableError("there are more than \(TableSchema.columnLimit) columns") }
      let name = try field.text(0)?.text ?? ""
      do throws(TableError) { fields.append(try ArrowField(field, name)) } catch { throw error.located(column: name) }
    }
    return fields
  }

  /// The columns of a Parquet file that are durations, which only the Arrow schema in its metadata says, and the nanoseconds of their unit.
  static func durations(inMetadata text: String) -> [String: Int64] {
    guard let bytes = Base64.decode(text), bytes.count > ArrowMessage.prefix else { return [:] }
    var durations: [String: Int64] = [:]
    bytes.withUnsafeBytes { bytes in
      let description = UnsafeRawBufferPointer(rebasing: bytes[ArrowMessage.prefix...])
      for field in (try? FlatTable(root: description).table(2)?.tables(1)) ?? [] {
        guard (try? field.number(2, default: UInt8(0))) == ArrowMessage.TypeNumber.duration, let name = try? field.text(0)?.text,
          let read = try? ArrowField(field, name), case .scaled(_, let factor) = read.storage
        else { continue }
        durations[name] = factor
      }
    }
    return durations
  }

  private init(_ field: FlatTable, _ name: String) throws(TableError) {
    typealias Number = ArrowMessage.TypeNumber
    let number = try field.number(2, default: UInt8(0))
    let details = try field.table(3)
    func detail<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Int, _ value: Value) throws(TableError) -> Value {
      try details?.number(field, default: value) ?? value
    }
    func factor(_ unit: Int16) throws(TableError) -> Int64 {
      guard (0...3).contains(unit) else { throw TableError("the unit of time is unknown") }
      return [1_000_000_000, 1_000_000, 1_000, 1][Int(unit)]
    }
    var (type, storage): (ColumnType, Storage)
    switch number {
    case Number.int:
      let bits = Int(try detail(0, Int32(0)))
      guard [8, 16, 32, 64].contains(bits) else { throw TableError("whole numbers of \(bits) bits are not read") }
      (type, storage) = (.integer, try detail(1, UInt8(0)) != 0 ? .signed(bytes: bits / 8) : .unsigned(bytes: bits / 8))
    case Number.float:
      let precision = try detail(0, Int16(0))
      guard precision == 1 || precision == 2 else { throw TableError("floating point numbers of 16 bits are not read") }
      (type, storage) = (.price, .float(bytes: precision == 1 ? 4 : 8))
    case Number.decimal:
      let (scale, bits) = (Int(try detail(1, Int32(0))), Int(try detail(2, Int32(128))))
      guard [32, 64, 128].contains(bits) else { throw TableError("decimals of \(bits) bits are not read") }
      switch scale {
      case 0...9: (type, storage) = (.decimal(scale), .scaled(bytes: bits / 8, factor: 1))
      case 10...27: (type, storage) = (.price, .divided(bytes: bits / 8, divisor: TenPower[scale - 9]))
      default: throw TableError("decimals with \(scale) decimals are not read")
      }
    case Number.bool: (type, storage) = (.flag, .bits)
    case Number.utf8: (type, storage) = (.text, .text(.utf8))
    case Number.largeUTF8: (type, storage) = (.text, .text(.largeUTF8))
    case Number.utf8View: (type, storage) = (.text, .text(.view))
    case Number.timestamp: (type, storage) = (.timestamp, .scaled(bytes: 8, factor: try factor(try detail(0, Int16(0)))))
    case Number.duration: (type, storage) = (.duration, .scaled(bytes: 8, factor: try factor(try detail(0, Int16(1)))))
    case Number.time:
      let bits = Int(try detail(1, Int32(32)))
      guard bits == 32 || bits == 64 else { throw TableError("times of \(bits) bits are not read") }
      (type, storage) = (.duration, .scaled(bytes: bits / 8, factor: try factor(try detail(0, Int16(1)))))
    case Number.date:
      let isDays = try detail(0, Int16(1)) == 0
      (type, storage) = (.timestamp, .scaled(bytes: isDays ? 4 : 8, factor: isDays ? 86_400_000_000_000 : 1_000_000))
    default: throw TableError("\(Self.words[number] ?? "a column of this type") is not read")
    }
    if let dictionary = try field.table(4) {
      guard case .text(let text) = storage else { throw TableError("a dictionary of other values than texts is not read") }
      let index = try dictionary.table(1)
      let bits = try index?.number(0, default: Int32(0)) ?? 32
      guard [8, 16, 32, 64].contains(bits) else { throw TableError("numbers of \(bits) bits into a dictionary are not read") }
      storage = .dictionary(
        id: try dictionary.number(0, default: Int64(0)), bytes: Int(bits / 8), isSigned: try index?.flag(1) ?? true, text)
    }
    // What is not a number becomes a missing value.
    let isFloat = if case .float = storage { true } else { false }
    column = TableColumn(name, type, isOptional: try field.flag(1) || isFloat)
    self.storage = storage
  }

  private static let words: [UInt8: String] = [
    1: "a column that is always missing", 4: "a column of bytes", 11: "a column of intervals", 12: "a list", 13: "a structure",
    14: "a union", 15: "a column of bytes", 16: "a list", 17: "a map", 19: "a column of bytes", 21: "a list", 22: "a column of runs",
    23: "a column of bytes", 25: "a list", 26: "a list",
  ]
}

/// Powers of ten that 64 bits hold: 0 to 18.
enum TenPower {
  private static let powers: [Int64] = (0...18).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
  static subscript(_ exponent: Int) -> Int64 { powers[exponent] }
}
