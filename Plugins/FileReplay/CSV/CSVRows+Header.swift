internal import MarketData

/// Reading of the first row, which names the columns.
extension CSVRows {
  @inline(never)
  mutating func firstRow(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    var header: [String]?
    if format.hasHeader {
      let found = readQuoted(&reader)
      if found == .later { return .later }
      try refuseBareReturns(reader)
      switch found {
      case .whole, .later: break
      case .malformed:
        throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: "the header cannot be read: \(reason)")
      }
      header = Self.names(in: quoted)
    } else {
      try refuseBareReturns(reader)
    }
    if (header?.count ?? 0) > CSVFormat.columnLimit {
      let message = "the header has more than \(CSVFormat.columnLimit) columns"
      throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: message)
    }
    let found = try CSVColumns(
      fields: fields, mapping: mapping, header: header, hasSymbol: hasSymbol, file: file, line: reader.line)
    use(found, header ?? [], slots)
    return header == nil ? row(&reader, slots) : .blank
  }

  /// Reads the rows after this one by these columns.
  private mutating func use(_ found: CSVColumns, _ header: [String], _ slots: borrowing Slots) {
    columns = found
    names = header
    expected = found.expected ?? -1
    needed = found.needed
    date = found.date
    slots.clear()
    wantedCount = 0
    for (slot, column) in found.places.enumerated() where column >= 0 {
      wanted[wantedCount] = (slot, column)
      wantedCount += 1
    }
    if found.expected != nil { learn(header.count) }
  }

  /// Puts the date before the time of day, so that they are read as one text.
  @inline(never)
  mutating func join(_ date: RowSlot, _ slots: borrowing Slots) {
    let (date, time) = (date.trimmed, slots[RowValues.timePlace].trimmed)
    joined.clear()
    joined.reserve(date.count + time.count + 2)
    if !date.isEmpty, !time.isEmpty {
      for byte in date { joined.put(byte) }
      joined.put(32)
      for byte in time { joined.put(byte) }
    }
    let count = joined.count
    joined.put(10)
    slots.base[RowValues.timePlace] = RowSlot(start: UnsafePointer(joined.base), count: count, kind: .text)
  }

  enum HeaderFound {
    case none
    /// The header that the columns are from.
    case same
    /// Another header, which is used from here on.
    case other
  }

  /// Decides whether the current row, which is not well-formed, is a repeated header: it names at least two of the columns in use, or names
  /// for all fields. Throws `badColumns` if it lacks a column.
  mutating func header(_ reader: borrowing LineReader, _ slots: borrowing Slots) throws(ReplayError) -> HeaderFound {
    guard !names.isEmpty, reader.count <= Self.headerLimit else { return .none }
    var record = QuotedRecord()
    guard record.step(reader.bytes, delimiter: format.delimiter.rawValue) == .complete, record.ends.count <= CSVFormat.columnLimit else {
      return .none
    }
    let header = Self.names(in: record)
    if header == names { return .same }
    let used = Set((0..<wantedCount).map { names[wanted[$0].column].lowercased() }.filter { !$0.isEmpty })
    // Before the columns are looked up: a file may have many malformed rows.
    if words.isEmpty { words = Set(fields.flatMap(\.aliases) + mapping.values + names).reduce(into: []) { $0.insert($1.lowercased()) } }
    guard header.count(where: { words.contains($0.lowercased()) }) >= 2 else { return .none }
    let isLikely = Set(header.map { $0.lowercased() }).intersection(used).count >= 2
    // Columns that are given by number keep the names they had.
    var mapping = mapping
    for (field, reference) in mapping {
      guard case .number(let number) = ColumnReference(reference), names.indices.contains(number - 1) else { continue }
      guard case .name = ColumnReference(names[number - 1]), names.count(where: { $0 == names[number - 1] }) == 1 else { return .none }
      mapping[field] = names[number - 1]
    }
    let found: CSVColumns
    do throws(ReplayError) {
      found = try CSVColumns(fields: fields, mapping: mapping, header: header, hasSymbol: hasSymbol, file: file, line: reader.line)
    } catch {
      if isLikely { throw error }
      return .none
    }
    guard isLikely || found.places.count(where: { $0 >= 0 }) >= 2 else { return .none }
    self.mapping = mapping
    laterHeader = Array(reader.bytes) + [10]
    use(found, header, slots)
    return .other
  }

  private static var headerLimit: Int { 64 << 10 }

  /// Reads numbers by the general functions from now on, which know all forms.
  mutating func readNumbersSlowly() {
    for i in fields.indices { fields[i].isQuick = false }
    if columns?.expected != nil { learn(names.count) }
  }

  /// Throws if the first line contains carriage returns, because then it contains all rows.
  func refuseBareReturns(_ reader: borrowing LineReader) throws(ReplayError) {
    // Without a header, the first row that a parser reads may be any row of the file.
    guard format.hasHeader || reader.line == 1, FileLook.hasBareReturn(reader.bytes) else { return }
    throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: FileLook.bareReturns)
  }

  /// Prepares the shape of rows with this number of fields.
  private mutating func learn(_ count: Int) {
    // Rows of such files are read by the general functions, which see the whole row.
    if !format.ignored.isEmpty || (columns?.date ?? -1) >= 0 { return }
    shape = RowShape(fields, hasSymbol: hasSymbol, pieces: count + 2 * fields.count + 1, bytes: count)
    let delimiter = [format.delimiter.rawValue]
    delimiter.withUnsafeBufferPointer { delimiter in
      let byte = delimiter.baseAddress.unsafelyUnwrapped
      for column in 0..<count {
        let targets = (0..<wantedCount).filter { wanted[$0].column == column }.map { (field: wanted[$0].slot, rank: UInt8(0)) }
        shape.add(byte, column == 0 ? 0 : 1, .field, for: targets)
      }
      shape.end(byte, 0)
    }
  }

  static func names(in record: borrowing QuotedRecord) -> [String] {
    var from = 0
    var names: [String] = []
    for end in record.ends {
      let field = RowSlot(start: UnsafePointer(record.scratch.base) + from, count: end - from)
      names.append(String(decoding: field.trimmed, as: UTF8.self))
      from = end + 1
    }
    return names
  }
}
