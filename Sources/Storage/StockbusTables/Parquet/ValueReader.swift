/// Reads the values of one page, some at a time, as 64-bit words.
///
/// Source: Parquet format, Encodings. Unsafe memory: it points into a page that its owner keeps, and writes to space for as many words as are
/// asked for. What the bytes ask for is checked against their end.
struct ValueReader {
  private enum Form {
    case plain(ByteCursor)
    case bits(UnsafeRawBufferPointer, at: Int)
    case places(RunReader)
    case flags(RunReader)
    case deltas(DeltaReader)
    case lengths(DeltaReader, ByteCursor)
    /// Lengths of what is taken from the text before, of what follows, and the bytes that follow.
    case prefixes(DeltaReader, DeltaReader, ByteCursor)
  }

  private var form: Form
  private let column: ParquetColumn
  /// The text before, of which the next one may have the begin, and the bytes of texts that such a page may give: a few bytes of it may
  /// stand for any number.
  private var last: [UInt8] = []
  private var prefixBudget = 1 << 28

  /// - Parameter split: memory for values whose bytes are stored apart.
  init(_ column: ParquetColumn, encoding: Int32, _ bytes: UnsafeRawBufferPointer, split: inout ByteBuffer) throws(TableError) {
    self.column = column
    let isText = column.physical == .byteArray
    switch Parquet.Encoding(rawValue: encoding) {
    case .plain: form = column.physical == .boolean ? .bits(bytes, at: 0) : .plain(ByteCursor(bytes))
    case .dictionary, .plainDictionary:
      guard let width = bytes.first else {
        // A page in which all values are missing.
        form = .places(RunReader(bytes, width: 0))
        return
      }
      guard width <= 32 else { throw TableError("places in a dictionary have more than 32 bits") }
      form = .places(RunReader(UnsafeRawBufferPointer(rebasing: bytes[1...]), width: Int(width)))
    case .runLengths where column.physical == .boolean:
      var cursor = ByteCursor(bytes)
      let size = cursor.left == 0 ? 0 : Int(try cursor.little(UInt32.self))
      form = .flags(RunReader(try cursor.take(size), width: 1))
    case .delta where column.physical == .int32 || column.physical == .int64:
      form = bytes.isEmpty ? .plain(ByteCursor(bytes)) : .deltas(try DeltaReader(bytes))
    case .deltaLength where isText, .deltaText where isText || column.physical == .fixed:
      if bytes.isEmpty {
        form = .plain(ByteCursor(bytes))
        return
      }
      let first = try DeltaReader(bytes)
      var rest = first
      try rest.skipAll()
      if encoding == Parquet.Encoding.deltaLength.rawValue {
        form = .lengths(first, rest.cursor)
      } else {
        let second = try DeltaReader(UnsafeRawBufferPointer(rebasing: bytes[rest.cursor.at...]))
        var behind = second
        try behind.skipAll()
        form = .prefixes(first, second, behind.cursor)
      }
    case .byteStreamSplit where column.width > 0: form = .plain(ByteCursor(Self.joined(bytes, column.width, &split)))
    case nil: throw TableError("the encoding \(encoding) is unknown")
    default: throw TableError("the encoding \(encoding) is not read for this column")
    }
  }

  /// The bytes of each value together, of which the page has all first bytes, then all second ones.
  private static func joined(_ bytes: UnsafeRawBufferPointer, _ width: Int, _ out: inout ByteBuffer) -> UnsafeRawBufferPointer {
    let count = bytes.count / width
    out.resize(to: count * width)
    let target = out.writable
    for i in 0..<width { for k in 0..<count { target[k * width + i] = bytes[i * count + k] } }
    return out.bytes
  }

  /// Reads `count` values.
  /// - Parameters:
  ///   - scratch: space for as many numbers.
  ///   - dictionary: the words of the dictionary's values; those of texts are asked for one by one.
  mutating func read(
    into out: UnsafeMutablePointer<Int64>, count: Int, scratch: UnsafeMutablePointer<UInt32>, _ dictionary: ChunkDictionary?,
    _ texts: TextDictionary
  ) throws(TableError) {
    if count == 0 { return }
    switch form {
    case .places(var runs):
      guard let dictionary else { throw TableError("a page refers to a dictionary that is not there") }
      try runs.read(into: scratch, count: count)
      form = .places(runs)
      try dictionary.read(scratch, into: out, count: count, texts)
    case .flags(var runs):
      try runs.read(into: scratch, count: count)
      form = .flags(runs)
      for i in 0..<count { out[i] = Int64(scratch[i] & 1) }
    case .bits(let bytes, let at):
      guard at + count <= bytes.count * 8 else { throw ByteCursor.short }
      for i in 0..<count { out[i] = Int64(bytes[(at + i) >> 3] >> UInt8((at + i) & 7) & 1) }
      form = .bits(bytes, at: at + count)
    case .deltas(var deltas):
      try deltas.read(into: out, count: count)
      form = .deltas(deltas)
      if column.physical == .int32 { for i in 0..<count { out[i] = Int64(Int32(truncatingIfNeeded: out[i])) } }
      try ValueConversion.scale(out, count: count, column)
    case .lengths(var lengths, var cursor):
      try lengths.read(into: out, count: count)
      for i in 0..<count { out[i] = try ValueConversion.word(try cursor.take(Int(out[i])), column, texts) }
      form = .lengths(lengths, cursor)
    case .prefixes(var prefixes, var suffixes, var cursor):
      for i in 0..<count {
        var (prefix, suffix) = (Int64(0), Int64(0))
        try prefixes.read(into: &prefix, count: 1)
        try suffixes.read(into: &suffix, count: 1)
        guard prefix >= 0, prefix <= last.count else { throw TableError("a text begins like one that is not there") }
        last.removeSubrange(Int(prefix)...)
        last.append(contentsOf: try cursor.take(Int(suffix)))
        prefixBudget -= last.count
        guard prefixBudget >= 0 else { throw TableError("the texts of a page are too long") }
        out[i] = try last.withUnsafeBufferPointer { (bytes) throws(TableError) in
          try ValueConversion.word(UnsafeRawBufferPointer(bytes), column, texts)
        }
      }
      form = .prefixes(prefixes, suffixes, cursor)
    case .plain(var cursor):
      if column.physical == .byteArray {
        for i in 0..<count {
          out[i] = try ValueConversion.word(try cursor.take(Int(try cursor.little(UInt32.self))), column, texts)
        }
      } else {
        guard column.width > 0, count <= cursor.left / column.width else { throw ByteCursor.short }
        try ValueConversion.words(try cursor.take(count * column.width), into: out, count: count, column)
      }
      form = .plain(cursor)
    }
  }
}
