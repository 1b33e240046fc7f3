internal import StockbusPlugin

/// How an event is written on a line by itself.
package enum PlainFormat: String, Choice {
  case json, csv
}

extension PlainFormat {
  /// Writes an event, and ends its line.
  func write<E: Event>(_ event: E, to out: inout ByteWriter) {
    switch self {
    case .json: E.schema.encodeJSON(event, to: &out)
    case .csv: E.schema.encodeCSV(event, to: &out)
    }
    out.append("\n")
  }

  /// The same with the columns in `row`, for which the encoder was made.
  func write<E: Event>(_ event: E, row: [Int64], by encoder: EventEncoder<E>, to out: inout ByteWriter) {
    switch self {
    case .json: encoder.encodeJSON(event, row: row, to: &out)
    case .csv: encoder.encodeCSV(event, row: row, to: &out)
    }
    out.append("\n")
  }

  /// Reads a whole line; `row` becomes the values of the columns.
  func read<E: Event>(
    _ line: UnsafeBufferPointer<UInt8>, as _: E.Type, columns: ColumnLayout, row: inout [Int64]
  ) throws(TextError) -> E {
    var text = ByteReader(line)
    let event =
      switch (self, columns.isEmpty) {
      case (.json, true): try E.schema.decodeJSON(&text)
      case (.csv, true): try E.schema.decodeCSV(&text)
      case (.json, false): try E.schema.decodeJSON(&text, columns: columns, row: &row)
      case (.csv, false): try E.schema.decodeCSV(&text, columns: columns, row: &row)
      }
    while text.at < text.end, text.at.pointee == 32 || text.at.pointee == 13 { text.at += 1 }
    try text.expectEnd()
    return event
  }
}
