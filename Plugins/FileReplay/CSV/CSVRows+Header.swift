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
      header = headerNames()
    } else {
      try refuseBareReturns(reader)
    }
    if (header?.count ?? 0) > CSVFormat.columnLimit {
      let message = "the header has more than \(CSVFormat.columnLimit) columns"
      throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: message)
    }
    let found = try CSVColumns(
      fields: fields, mapping: mapping, header: header, hasSymbol: hasSymbol, file: file, line: reader.line)
    columns = found
    expected = found.expected ?? -1
    needed = found.needed
    slots.clear()
    for (slot, column) in found.places.enumerated() where column >= 0 {
      wanted[wantedCount] = (slot, column)
      wantedCount += 1
    }
    if let header { learn(header.count) }
    return header == nil ? row(&reader, slots) : .blank
  }

  /// Throws if the first line contains carriage returns, because then it contains all rows.
  func refuseBareReturns(_ reader: borrowing LineReader) throws(ReplayError) {
    // Without a header, the first row that a parser reads may be any row of the file.
    guard format.hasHeader || reader.line == 1, FileLook.hasBareReturn(reader.bytes) else { return }
    throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: FileLook.bareReturns)
  }

  /// Prepares the shape of rows with this number of fields.
  private mutating func learn(_ count: Int) {
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

  private func headerNames() -> [String] {
    var from = 0
    var names: [String] = []
    for end in quoted.ends {
      let bytes = UnsafeBufferPointer(start: quoted.scratch.base + from, count: end - from)
      names.append(String(decoding: FieldSlot(start: UnsafePointer(bytes.baseAddress!), count: bytes.count).trimmed, as: UTF8.self))
      from = end + 1
    }
    return names
  }
}
