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

  /// Reads a whole line.
  func read<E: Event>(_ line: UnsafeBufferPointer<UInt8>, as _: E.Type) throws(TextError) -> E {
    var text = ByteReader(line)
    let event =
      switch self {
      case .json: try E.schema.decodeJSON(&text)
      case .csv: try E.schema.decodeCSV(&text)
      }
    while text.at < text.end, text.at.pointee == 32 || text.at.pointee == 13 { text.at += 1 }
    try text.expectEnd()
    return event
  }
}
