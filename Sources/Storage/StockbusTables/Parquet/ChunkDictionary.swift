/// The values of a column's dictionary page: as words, or, of texts, as bytes that get their number when a row first has them.
///
/// Unsafe memory, since each row of a column is looked up here.
final class ChunkDictionary {
  private var words: [Int64] = []
  private var bytes = ByteBuffer(capacity: 16)
  /// Where the texts stand in `bytes`; nil for numbers.
  private var texts: [Range<Int>]?
  private var generation = -1

  init(_ column: ParquetColumn, _ content: UnsafeRawBufferPointer, count: Int, encoding: Int32) throws(TableError) {
    guard encoding == Parquet.Encoding.plain.rawValue || encoding == Parquet.Encoding.plainDictionary.rawValue else {
      throw TableError("the encoding \(encoding) is not read for a dictionary")
    }
    if column.conversion == .text {
      var ranges: [Range<Int>] = []
      bytes.append(content)
      var cursor = ByteCursor(content)
      guard count <= content.count / 4 else { throw ByteCursor.short }
      for _ in 0..<count {
        let size = Int(try cursor.little(UInt32.self))
        _ = try cursor.take(size)
        ranges.append(cursor.at - size..<cursor.at)
      }
      texts = ranges
      words = [Int64](repeating: -1, count: count)
      return
    }
    guard column.physical != .boolean, count <= content.count / max(1, column.width) else { throw ByteCursor.short }
    words = [Int64](repeating: 0, count: count)
    var none = ByteBuffer(capacity: 16)
    var scratch: UInt32 = 0
    var reader = try ValueReader(column, encoding: Parquet.Encoding.plain.rawValue, content, split: &none)
    try words.withUnsafeMutableBufferPointer { (words) throws(TableError) in
      if let words = words.baseAddress { try reader.read(into: words, count: count, scratch: &scratch, nil, TextDictionary()) }
    }
  }

  /// Replaces places in the dictionary by words.
  func read(_ places: UnsafePointer<UInt32>, into out: UnsafeMutablePointer<Int64>, count: Int, _ numbers: TextDictionary)
    throws(TableError)
  {
    if texts != nil, generation != numbers.generation {
      generation = numbers.generation
      for i in words.indices { words[i] = -1 }
    }
    var largest: UInt32 = 0
    for i in 0..<count { largest = max(largest, places[i]) }
    guard Int(largest) < words.count else { throw TableError("a place lies outside of the dictionary") }
    var isUnknown = false
    words.withUnsafeBufferPointer { words in
      for i in 0..<count { out[i] = words[Int(places[i])] }
    }
    guard let texts else { return }
    for i in 0..<count where out[i] < 0 { isUnknown = true }
    if !isUnknown { return }
    for i in 0..<count where out[i] < 0 {
      let place = Int(places[i])
      if words[place] < 0 { words[place] = try numbers.number(checking: UnsafeRawBufferPointer(rebasing: bytes.bytes[texts[place]])) }
      out[i] = words[place]
    }
  }
}
