internal import MarketData
internal import StockbusPlugin

extension InstrumentsBuilder {
  /// Adds the instruments of a CSV file: a header with names of columns in any order, then one instrument on each line. Empty fields are
  /// not set; several splits are separated by semicolons.
  package mutating func add(csv bytes: [UInt8], file: String) {
    guard bytes.count <= InstrumentLimits.fileBytes else {
      let limit = "\(InstrumentLimits.fileBytes >> 20) MiB"
      return report("the file is larger than \(limit), the limit", at: ConfigNode.Mark(file: file, line: 1, column: 1))
    }
    var lines = CSVLines(bytes)
    var header: Header?
    while !lines.isAtEnd {
      do throws(CSVLines.Fault) {
        let fields = try lines.next(atMost: InstrumentLimits.columns)
        if fields.isEmpty { continue }
        guard let columns = header else {
          guard let found = self.header(fields, ConfigNode.Mark(file: file, line: lines.line, column: 1)) else { return }
          header = found
          continue
        }
        add(fields, columns, ConfigNode.Mark(file: file, line: lines.line, column: 1))
      } catch {
        report(error.message, at: ConfigNode.Mark(file: file, line: lines.line, column: error.column))
        // Without a header no other line can be read.
        if header == nil { return }
      }
    }
    if header == nil {
      report("the file is empty; a header with 'symbol' is expected", at: ConfigNode.Mark(file: file, line: 1, column: 1))
    }
  }

  private struct Header {
    var symbol = 0
    var splits: Int?
    /// The fields in the order of the columns.
    var fields: [(column: Int, field: InstrumentField)] = []
    var count = 0
  }

  /// The header; nil after reporting an error that makes the file unreadable.
  private mutating func header(_ names: [CSVLines.Field], _ line: ConfigNode.Mark) -> Header? {
    var header = Header(count: names.count)
    var seen: [String: Int] = [:]
    for (column, field) in names.enumerated() {
      let name = field.text.trimmed
      let mark = ConfigNode.Mark(file: line.file, line: line.line, column: field.column)
      if let first = seen[name] {
        report("the column \(shown(name)) is given twice, first at column \(first)", at: mark)
        continue
      }
      seen[name] = field.column
      if let known = InstrumentField.byName[name] {
        header.fields.append((column, known))
      } else if name == "symbol" {
        header.symbol = column
      } else if name == "splits" {
        header.splits = column
      } else if !name.isEmpty {
        let near = didYouMean(name, among: InstrumentField.names)
        let known = "; known are \(InstrumentField.names.joined(separator: ", "))"
        warn("the column \(shown(name)) is not used" + (near.isEmpty ? known : near), at: mark)
      }
    }
    if seen["symbol"] != nil { return header }
    let near = didYouMean("symbol", among: names.map { $0.text.trimmed })
    let separator = names.count == 1 && names[0].text.contains(where: { ";\t|".contains($0) })
    let hint = separator ? "; columns are separated by commas" : near
    report("there is no column 'symbol'" + (hint.isEmpty ? " in the header" : hint), at: line)
    return nil
  }

  private mutating func add(_ row: [CSVLines.Field], _ header: Header, _ line: ConfigNode.Mark) {
    guard row.count == header.count else {
      let place = row[min(row.count, header.count + 1) - 1].column
      let mark = ConfigNode.Mark(file: line.file, line: line.line, column: place)
      return report("the line has \(row.count) \(row.count == 1 ? "field" : "fields"), the header \(header.count)", at: mark)
    }
    func mark(_ column: Int) -> ConfigNode.Mark { ConfigNode.Mark(file: line.file, line: line.line, column: row[column].column) }
    let name = row[header.symbol].text.trimmed
    guard !name.isEmpty else { return report("an instrument needs 'symbol'", at: mark(header.symbol)) }
    guard var instrument = begin(name, shown: shown(name), at: mark(header.symbol)) else { return }
    for (column, field) in header.fields {
      let text = row[column].text.trimmed
      if !text.isEmpty { set(field, of: &instrument, to: text, shown: shown(text), at: mark(column)) }
    }
    if let column = header.splits {
      for part in row[column].text.split(separator: ";") {
        let text = part.trimmed
        if !text.isEmpty { add(split: text, to: &instrument, shown: shown(text), at: mark(column)) }
      }
    }
    add(instrument, at: line)
  }
}
