/// Reads a column of a row group into batches.
///
/// Unsafe memory: it writes words and bits of presence by pointer; the batch has room for the rows that are asked for.
final class ChunkReader {
  private let column: ParquetColumn
  private let pages: PageReader
  private var dictionary: ChunkDictionary?
  private var split = ByteBuffer(capacity: 16)
  /// Values that the pages to come have, missing ones included.
  private var left: Int
  private var page: (values: ValueReader, levels: RunReader?)?
  private var pageLeft = 0

  /// - Parameter values: of all pages, missing ones included.
  init(_ column: ParquetColumn, _ pages: PageReader, values: Int) {
    self.column = column
    self.pages = pages
    left = values
  }

  /// Puts `count` rows into a column of the batch. `scratch` has space for as many numbers.
  func read(_ batch: TableBatch, _ index: Int, count: Int, scratch: UnsafeMutablePointer<UInt32>) throws {
    let (cells, texts) = (batch.cells[index], batch.dictionary(index))
    var done = 0
    while done < count {
      if pageLeft == 0 { try nextPage() }
      guard var (values, levels) = page else { continue }
      let part = min(pageLeft, count - done)
      let first = done
      do throws(TableError) {
        var filled = part
        if levels != nil { filled = try Self.readLevels(&levels, cells, first, part, scratch) } else { Self.setPresent(cells, first, part) }
        let out = cells.words + first
        try values.read(into: out, count: filled, scratch: scratch, dictionary, texts)
        if filled < part { Self.spread(cells, first, part, filled) }
        if column.conversion == .float { Self.removeNotANumber(cells, first, part) }
      } catch { throw error.located(offset: pages.offset) }
      page = (values, levels)
      pageLeft -= part
      done += part
    }
  }

  private func nextPage() throws {
    let header = try pages.next()
    do throws(TableError) {
      switch header.kind {
      case .index: return
      case .dictionary:
        guard dictionary == nil else { throw TableError("a column has two dictionaries") }
        dictionary = try ChunkDictionary(column, pages.content, count: header.values, encoding: header.encoding)
      case .data, .dataV2:
        guard header.values <= left else { throw TableError("a column has more values than its row group") }
        left -= header.values
        pageLeft = header.values
        page = header.values == 0 ? nil : try values(header)
      }
    } catch { throw error.located(offset: header.offset) }
  }

  private func values(_ header: PageReader.Page) throws(TableError) -> (ValueReader, RunReader?) {
    var (levels, rest): (RunReader?, UnsafeRawBufferPointer) = (nil, pages.content)
    if header.kind == .dataV2 {
      guard let bits = rest.part(header.repetitionSize, header.definitionSize),
        let values = rest.part(header.repetitionSize + header.definitionSize, rest.count - header.repetitionSize - header.definitionSize)
      else { throw ByteCursor.short }
      if column.isOptional { levels = RunReader(bits, width: 1) }
      rest = values
    } else if column.isOptional {
      guard header.levelEncoding == Parquet.Encoding.runLengths.rawValue else {
        throw TableError("levels of the old encoding are not read")
      }
      var cursor = ByteCursor(rest)
      levels = RunReader(try cursor.take(Int(try cursor.little(UInt32.self))), width: 1)
      rest = UnsafeRawBufferPointer(rebasing: rest[cursor.at...])
    }
    return (try ValueReader(column, encoding: header.encoding, rest, split: &split), levels)
  }

  /// Sets the bits of presence; returns how many values are there.
  private static func readLevels(
    _ levels: inout RunReader?, _ cells: TableBatch.Cells, _ first: Int, _ count: Int, _ scratch: UnsafeMutablePointer<UInt32>
  ) throws(TableError) -> Int {
    if let level = try levels?.run(of: count) {
      if level & 1 == 0 { return 0 }
      setPresent(cells, first, count)
      return count
    }
    try levels?.read(into: scratch, count: count)
    var filled = 0
    for i in 0..<count {
      let row = first + i
      let level = UInt64(scratch[i] & 1)
      cells.present[row >> 6] |= level << UInt64(row & 63)
      filled += Int(level)
    }
    return filled
  }

  private static func setPresent(_ cells: TableBatch.Cells, _ first: Int, _ count: Int) {
    var row = first
    while row < first + count {
      if row & 63 == 0, row + 64 <= first + count {
        cells.present[row >> 6] = .max
        row += 64
      } else {
        cells.present[row >> 6] |= 1 << UInt64(row & 63)
        row += 1
      }
    }
  }

  /// Moves values from the begin of the rows to those that have one, from the last on.
  private static func spread(_ cells: TableBatch.Cells, _ first: Int, _ count: Int, _ filled: Int) {
    var next = first + filled - 1
    for row in stride(from: first + count - 1, through: first, by: -1) {
      if cells.present[row >> 6] >> UInt64(row & 63) & 1 == 1 {
        cells.words[row] = cells.words[next]
        next -= 1
      } else {
        cells.words[row] = 0
      }
    }
  }

  private static func removeNotANumber(_ cells: TableBatch.Cells, _ first: Int, _ count: Int) {
    for row in first..<first + count where cells.words[row] == ValueConversion.notANumber {
      cells.words[row] = 0
      cells.present[row >> 6] &= ~(1 << UInt64(row & 63))
    }
  }
}
