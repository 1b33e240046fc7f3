internal import StockbusPlugin

// Columns beside events, as the protocol has them.

extension ColumnLayout {
  /// As in `hello`: the columns in their order.
  var json: JSONValue { .array(columns.map { ["name": .string($0.name), "kind": .string($0.kind.rawValue)] }) }

  /// Nil if the value is no list of columns; no columns if there is none.
  init?(json: JSONValue?) {
    guard case .array(let items) = json ?? [] else { return nil }
    var columns: [ColumnInfo] = []
    for item in items {
      guard let name = item["name"]?.text, let kind = item["kind"]?.text.flatMap(ColumnKind.init(rawValue:)) else { return nil }
      columns.append(ColumnInfo(name, kind))
    }
    self.init(columns)
  }
}
