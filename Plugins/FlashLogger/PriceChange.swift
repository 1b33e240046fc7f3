internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// A change of a symbol's price.
struct PriceChange: Hashable, Sendable {
  let symbol: Symbol
  let old: Price
  let new: Price
  let decimals: UInt8
  let time: Timestamp
  /// The columns beside the event, and its row.
  var columns = ColumnLayout()
  var row: [Int64] = []

  var isUp: Bool { new > old }
  /// New minus old, or the nearest value that fits.
  var change: Price { Price(raw: new.raw.subtractingSaturating(old.raw)) }
  var percent: Percent? { Percent.change(from: old, to: new) }

  /// `09:30:00.401-04:00 ▲ AIG 48.80 → 48.90 +0.10 (+0.20%)`, and behind it the columns that have a value: ` vwap=48.75`.
  func text(in zone: DisplayZone) -> String {
    let sign = isUp ? "+" : ""
    let share = percent.map { " (\(sign)\($0.rounded(to: 2))%)" } ?? ""
    return "\(zone.stamp(time)) \(isUp ? "▲" : "▼") \(symbol) \(old.formatted(decimals: Int(decimals))) → "
      + "\(new.formatted(decimals: Int(decimals))) \(sign)\(change.formatted(decimals: Int(decimals)))\(share)"
      + zip(columns.columns, row).map { $1 == ColumnLayout.missing ? "" : " \($0.name)=\($0.kind.text($1, zone: zone))" }.joined()
  }

  /// One JSON object without a line end.
  func encode(to out: inout ByteWriter) {
    out.reserve(512)
    out.append("{\"time\":\"")
    out.reserve(40)
    out.put(iso8601: time, form: .shortest)
    out.append("\",\"symbol\":\"\(symbol)\",\"direction\":\"\(isUp ? "up" : "down")\",\"old\":\(old.formatted(decimals: Int(decimals)))")
    out.append(",\"new\":\(new.formatted(decimals: Int(decimals))),\"change\":\(change.formatted(decimals: Int(decimals)))")
    out.append(",\"percent\":\(percent.map(\.description) ?? "null")")
    for (column, value) in zip(columns.columns, row) {
      let quote = value != ColumnLayout.missing && column.kind == .time ? "\"" : ""
      out.append(",\"\(column.name)\":\(quote)")
      if value == ColumnLayout.missing { out.append("null") } else { column.kind.write(value, .iso8601(.shortest), to: &out) }
      out.append(quote)
    }
    out.append("}")
  }

  /// The object as text.
  var json: String {
    var out = ByteWriter(capacity: 256)
    encode(to: &out)
    return out.string
  }

  /// On a terminal: bright and inverse at first, then bright, then plain colour, then dim.
  func line(age: Duration, fade: Duration, zone: DisplayZone) -> StyledLine {
    let part = fade > .zero ? age / fade : 1
    let color: Color = isUp ? .green : .red
    let bright: Color = isUp ? .brightGreen : .brightRed
    let style: Style =
      switch part {
      case ..<0.25: Style(bright, bold: true, inverse: true)
      case ..<0.5: Style(bright, bold: true)
      case ..<1: Style(color)
      default: Style(color, dim: true)
      }
    return StyledLine(text(in: zone), style)
  }
}
