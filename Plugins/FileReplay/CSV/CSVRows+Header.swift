/// The first row, which says what the others hold.
extension CSVRows {
  @inline(never)
  mutating func firstRow(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    var header: [String]?
    if format.hasHeader {
      guard readQuoted(&reader) else {
        throw ReplayError(code: .badColumns, file: file, place: .line(reader.line), message: "the header cannot be read: \(reason)")
      }
      header = headerNames()
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
      if plan[column].slot >= 0 { hasShared = true }
      plan[column] = CSVColumnPlan(slot: slot, isNumber: fields[slot] != .symbol)
    }
    return header == nil ? row(&reader, slots) : .blank
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
