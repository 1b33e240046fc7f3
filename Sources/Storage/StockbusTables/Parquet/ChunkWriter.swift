/// Collects the values of a column of a row group, and encodes them page by page.
///
/// Numbers and texts with few distinct values become places in a dictionary, which is written before the pages when the row group ends; so its
/// pages are kept until then, compressed. Unsafe memory, since each value passes through here.
final class ChunkWriter {
  /// What the footer says about a column of a row group.
  struct Chunk {
    var codec = Parquet.Codec.none
    var encodings: [Parquet.Encoding] = [.runLengths]
    var missing = 0
    /// The smallest and the largest value, as statistics have them; nil if there is none, or it is too long.
    var bounds: (least: [UInt8], most: [UInt8])?
    /// The bytes of the dictionary's page; 0 if there is none.
    var dictionarySize = 0
    var size = 0
    /// With pages before compression.
    var rawSize = 0
  }

  static let pageRows = 1 << 16
  /// Bytes and number of the texts of a dictionary, or of a page without one.
  private static let (textBytes, textCount) = (4 << 20, 1 << 18)
  /// Longer texts have no statistics.
  private static let boundLimit = 64

  let column: TableColumn
  let compressor: Compressor
  let values = UnsafeMutablePointer<Int64>.allocate(capacity: ChunkWriter.pageRows)
  let places = UnsafeMutablePointer<UInt32>.allocate(capacity: ChunkWriter.pageRows)
  let present = UnsafeMutablePointer<UInt64>.allocate(capacity: ChunkWriter.pageRows / 64)
  /// Rows of the page, and values of it that are there.
  var (rows, filled) = (0, 0)

  var chunk = Chunk()
  /// Nil until the first values decide.
  var usesDictionary: Bool?
  /// Nil until the first page decides whether compression is worth it.
  var isCompressed: Bool?
  /// True if it is, but only for the dictionary.
  var isStored = false
  var numbers = NumberDictionary()
  var (least, most) = (Int64.max, Int64.min)
  /// The texts of the dictionary; when it is closed, those of the current page.
  let texts = TextDictionary()
  private var textBounds: (least: [UInt8], most: [UInt8])?
  /// The number in `texts` by that in the batch's dictionary, -1 where it is not known yet.
  private var textNumbers: [Int64] = []
  private var textSource: (dictionary: TextDictionary, generation: Int)?

  /// A page before and after compression.
  var raw = ByteBuffer()
  var body = ByteBuffer()
  /// Finished pages, and the dictionary's page.
  var pages = ByteBuffer(capacity: 1 << 16)
  var dictionaryPage = ByteBuffer()

  init(_ column: TableColumn, _ compressor: Compressor) {
    self.column = column
    self.compressor = compressor
    present.initialize(repeating: 0, count: Self.pageRows / 64)
    begin()
  }

  deinit {
    values.deallocate()
    places.deallocate()
    present.deallocate()
  }

  /// Bytes that are kept until the row group ends.
  var kept: Int { pages.count + texts.byteCount + numbers.count * 8 }

  private func begin() {
    (chunk, isCompressed) = (Chunk(), nil)
    usesDictionary = column.type == .timestamp || column.type == .flag ? false : nil
    numbers.removeAll()
    (least, most) = (.max, .min)
    texts.removeAll()
    (textBounds, textSource) = (nil, nil)
    pages.clear()
    dictionaryPage.clear()
  }

  /// Adds rows of a batch.
  func add(_ batch: TableBatch, _ index: Int, from first: Int, count: Int) throws(TableError) {
    var at = first
    while at < first + count {
      var part = min(first + count - at, Self.pageRows - rows)
      if column.type == .text {
        // Again after each page, which may have forgotten all texts.
        follow(batch.dictionary(index))
        // Texts may be long: their room is looked at more often than once a page.
        part = min(part, 1 << 10)
      }
      let start = filled
      copy(batch, index, from: at, count: part)
      if column.type == .text { translate(batch.dictionary(index), from: start) }
      at += part
      if rows == Self.pageRows || texts.byteCount > Self.textBytes { try endPage() }
    }
  }

  /// Appends rows to the page.
  private func copy(_ batch: TableBatch, _ index: Int, from first: Int, count: Int) {
    let (words, bits) = (batch.cells[index].words, batch.cells[index].present)
    if column.isOptional {
      let (values, present) = (values, present)
      var (rows, filled) = (rows, filled)
      for row in first..<first + count {
        let bit = bits[row >> 6] >> UInt64(row & 63) & 1
        present[rows >> 6] |= bit << UInt64(rows & 63)
        // Written over by the next value if this one is missing.
        values[filled] = words[row]
        filled += Int(bit)
        rows += 1
      }
      (self.rows, self.filled) = (rows, filled)
    } else {
      (values + filled).update(from: words + first, count: count)
      rows += count
      filled += count
    }
  }

  private func follow(_ dictionary: TextDictionary) {
    if let source = textSource, source.dictionary === dictionary, source.generation == dictionary.generation {
      textNumbers.append(contentsOf: repeatElement(-1, count: dictionary.count - textNumbers.count))
      return
    }
    textSource = (dictionary, dictionary.generation)
    textNumbers = [Int64](repeating: -1, count: dictionary.count)
  }

  /// Replaces numbers of the batch's dictionary at once, since it may change before the page is full.
  private func translate(_ dictionary: TextDictionary, from start: Int) {
    textNumbers.withUnsafeMutableBufferPointer { numbers in
      for i in start..<filled {
        let number = Int(values[i])
        if numbers[number] < 0 {
          numbers[number] = texts.number(of: dictionary[number])
          widen(dictionary[number])
        }
        values[i] = numbers[number]
      }
    }
  }

  /// Makes the smallest and the largest number those of more numbers.
  func widen(_ numbers: UnsafePointer<Int64>, count: Int) {
    var (least, most) = (least, most)
    for i in 0..<count {
      least = min(least, numbers[i])
      most = max(most, numbers[i])
    }
    (self.least, self.most) = (least, most)
  }

  private func widen(_ text: UnsafeRawBufferPointer) {
    guard let bounds = textBounds else {
      textBounds = (Array(text), Array(text))
      return
    }
    if text.lexicographicallyPrecedes(bounds.least) { textBounds?.least = Array(text) }
    if bounds.most.lexicographicallyPrecedes(text) { textBounds?.most = Array(text) }
  }

  private func endPage() throws(TableError) {
    if rows == 0 { return }
    chunk.missing += rows - filled
    try encodePage()
    (rows, filled) = (0, 0)
    present.update(repeating: 0, count: Self.pageRows / 64)
    if column.type == .text {
      if usesDictionary == true, texts.byteCount > Self.textBytes || texts.count > Self.textCount { try closeDictionary() }
      if usesDictionary == false {
        texts.removeAll()
        textSource = nil
      }
    }
  }

  /// Ends the column of this row group: gives its bytes to `write`, and begins the next one.
  func finish(_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Chunk {
    try endPage()
    if usesDictionary == true { try closeDictionary() }
    if let least = encoded(bound: least), let most = encoded(bound: most), self.least <= self.most { chunk.bounds = (least, most) }
    if let bounds = textBounds, max(bounds.least.count, bounds.most.count) <= Self.boundLimit { chunk.bounds = bounds }
    chunk.size = pages.count + dictionaryPage.count
    chunk.dictionarySize = dictionaryPage.count
    try write(dictionaryPage.bytes)
    try write(pages.bytes)
    let done = chunk
    begin()
    return done
  }

  /// A number as statistics have it; nil for texts.
  private func encoded(bound: Int64) -> [UInt8]? {
    let little = (0..<8).map { UInt8(truncatingIfNeeded: bound >> (8 * $0)) }
    switch column.type {
    case .text: return nil
    case .flag: return [little[0]]
    case .integer, .timestamp, .duration: return little
    case .decimal: return [bound < 0 ? 255 : 0] + little.reversed()
    }
  }
}
