/// The encoding of pages. Data pages are of version 1, which every reader knows.
///
/// Source: Parquet format, "Data Pages", "Encodings".
extension ChunkWriter {
  /// Encodes the page's values, compresses them and appends them to the pages.
  func encodePage() throws(TableError) {
    raw.clear()
    if column.isOptional { raw.putLevels(present, rows: rows, missing: rows - filled) }
    let encoding = try encodeValues()
    if encoding != .dictionary, column.type != .text { widen(values, count: filled) }
    if !chunk.encodings.contains(encoding) { chunk.encodings.append(encoding) }
    if isCompressed == nil { try tryCompression() }
    try putPage(into: &pages) { (header: inout ThriftWriter, rows: Int) in
      header.structure(5) {
        $0.int(1, Int32(rows))
        $0.int(2, encoding.rawValue)
        $0.int(3, Parquet.Encoding.runLengths.rawValue)
        $0.int(4, Parquet.Encoding.runLengths.rawValue)
      }
    }
  }

  /// Times of trades are hardly smaller when they are compressed, but slower to read. The column's first page decides for all.
  private func tryCompression() throws(TableError) {
    guard compressor.compression != .none else {
      isCompressed = false
      return
    }
    let before = pages.count
    try compressor.compress(raw.bytes, into: &pages)
    // A large dictionary is worth it even if the places in it are not.
    let dictionarySize = usesDictionary == true ? numbers.count * 8 : 0
    isStored = (pages.count - before) * 20 >= raw.count * 19
    isCompressed = !isStored || dictionarySize > raw.count / 4
    pages.truncate(to: before)
    chunk.codec = isCompressed == true ? compressor.compression.codec : .none
  }

  /// Appends what `raw` has as a page.
  private func putPage(
    _ kind: Parquet.Page = .data, into out: inout ByteBuffer, _ details: (inout ThriftWriter, Int) -> Void
  ) throws(TableError) {
    body.clear()
    if isCompressed != true {
      body.append(raw.bytes)
    } else if isStored, kind == .data {
      try compressor.store(raw.bytes, into: &body)
    } else {
      try compressor.compress(raw.bytes, into: &body)
    }
    guard let size = Int32(exactly: raw.count), let bodySize = Int32(exactly: body.count) else {
      throw TableError("a page has more than 2 GiB", column: column.name)
    }
    var header = ThriftWriter()
    header.element {
      $0.int(1, kind.rawValue)
      $0.int(2, size)
      $0.int(3, bodySize)
      $0.int(4, Int32(bitPattern: Checksum.crc32(body.bytes)))
      details(&$0, rows)
    }
    chunk.rawSize += header.out.count + raw.count
    out.append(header.out.bytes)
    out.append(body.bytes)
  }

  private func encodeValues() throws(TableError) -> Parquet.Encoding {
    // A page without values decides nothing.
    if filled == 0 { return .plain }
    if column.type == .text {
      if usesDictionary == nil { usesDictionary = true }
      if usesDictionary == true {
        for i in 0..<filled { places[i] = UInt32(truncatingIfNeeded: values[i]) }
        putPlaces(distinct: texts.count)
        return .dictionary
      }
      for i in 0..<filled { raw.put(text: texts[Int(values[i])]) }
      return .plain
    }
    if usesDictionary == false { return encodePlain(into: &raw) }
    let fits = numbers.places(of: values, count: filled, into: places)
    if usesDictionary == nil { usesDictionary = fits && isWorthwhile(distinct: numbers.count) }
    if fits, usesDictionary == true {
      putPlaces(distinct: numbers.count)
      return .dictionary
    }
    // The pages before this one use the dictionary as it is.
    if chunk.encodings.contains(.dictionary) { try closeDictionary() }
    usesDictionary = false
    return encodePlain(into: &raw)
  }

  /// The places of the page's values in the dictionary.
  private func putPlaces(distinct: Int) {
    let width = max(1, ByteBuffer.width(of: UInt64(distinct - 1)))
    raw.append(UInt8(width))
    raw.putRuns(places, count: filled, width: width)
  }

  /// True if a dictionary makes the first page smaller. Compression leaves about five of a decimal's nine bytes.
  private func isWorthwhile(distinct: Int) -> Bool {
    let packed = filled * ByteBuffer.width(of: UInt64(distinct)) / 8
    if case .decimal = column.type { return distinct * 5 + packed < filled * 5 }
    var differences = ByteBuffer()
    _ = encodePlain(into: &differences)
    return distinct * 8 + packed < differences.count
  }

  /// The page's numbers without a dictionary.
  private func encodePlain(into out: inout ByteBuffer) -> Parquet.Encoding {
    switch column.type {
    case .text: break
    case .flag: out.putFlags(UnsafeBufferPointer(start: values, count: filled))
    case .decimal: out.putDecimals(UnsafePointer(values), count: filled)
    case .integer, .timestamp, .duration:
      out.putDeltas(values, count: filled)
      return .delta
    }
    return .plain
  }

  /// Makes the dictionary's page; pages that follow do without.
  func closeDictionary() throws(TableError) {
    // Those of a dictionary are the numbers of its pages.
    if column.type != .text { widen(numbers.numbers, count: numbers.count) }
    // The page that is being encoded waits in `raw`.
    var waiting = ByteBuffer()
    swap(&waiting, &raw)
    let count: Int
    switch column.type {
    case .text:
      count = texts.count
      for number in 0..<count { raw.put(text: texts[number]) }
    case .decimal:
      count = numbers.count
      raw.putDecimals(UnsafePointer(numbers.numbers), count: count)
    default:
      count = numbers.count
      raw.append(UnsafeRawBufferPointer(UnsafeBufferPointer(start: numbers.numbers, count: count)))
    }
    if isCompressed == nil { try tryCompression() }
    try putPage(.dictionary, into: &dictionaryPage) { (header: inout ThriftWriter, _: Int) in
      header.structure(7) {
        $0.int(1, Int32(count))
        $0.int(2, Parquet.Encoding.plain.rawValue)
      }
    }
    if !chunk.encodings.contains(.plain) { chunk.encodings.append(.plain) }
    usesDictionary = false
    swap(&waiting, &raw)
  }
}

extension ByteBuffer {
  /// Decimals of nine bytes, the highest first, as `FIXED_LEN_BYTE_ARRAY` has them. Unsafe, because it writes by pointer into reserved space.
  mutating func putDecimals(_ numbers: UnsafePointer<Int64>, count numberCount: Int) {
    let out = room(numberCount * Parquet.decimalWidth)
    for i in 0..<numberCount {
      let at = out + i * Parquet.decimalWidth
      at.storeBytes(of: UInt8(truncatingIfNeeded: numbers[i] >> 63), as: UInt8.self)
      at.storeBytes(of: numbers[i].bigEndian, toByteOffset: 1, as: Int64.self)
    }
    advance(numberCount * Parquet.decimalWidth)
  }

  mutating func put(text: UnsafeRawBufferPointer) {
    put(UInt32(text.count))
    append(text)
  }
}
