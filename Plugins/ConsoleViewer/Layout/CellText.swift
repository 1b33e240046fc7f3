internal import StockbusPlugin
internal import StockbusViewing

/// The texts of the table's cells.
enum CellText {
  static func text(_ column: Column, _ row: Row, zone: DisplayZone) -> String {
    let decimals = Int(row.decimals)
    switch column {
    case .rank: return row.rank > 0 ? "\(row.rank)" : ""
    case .symbol: return row.symbol.description
    case .price: return row.price.formatted(decimals: decimals)
    case .change: return PlainText.signed(row.change, decimals)
    case .percent: return PlainText.signed(row.percent)
    case .high: return row.high.formatted(decimals: decimals)
    case .low: return row.low.formatted(decimals: decimals)
    case .volume: return PlainText.amount(row.volume)
    case .bid: return row.bid.raw == 0 ? "" : row.bid.formatted(decimals: decimals)
    case .ask: return row.ask.raw == 0 ? "" : row.ask.formatted(decimals: decimals)
    case .spread: return row.spread.map { $0.formatted(decimals: decimals) } ?? ""
    case .open: return row.reference.formatted(decimals: decimals)
    case .updates: return "\(row.updates)"
    case .time: return seconds(row.time, zone: zone)
    case .trend, .beside: return ""
    }
  }

  /// The text of a row of a market; empty where a column beside the events has no value.
  static func text(_ column: Column, _ at: Int, of market: Market, zone: DisplayZone) -> String {
    guard case .beside(let name) = column else { return text(column, market.rows[at], zone: zone) }
    return market.beside?.value(name, of: at).map { $0.kind.text($0.value, zone: zone) } ?? ""
  }

  /// A number of events, or of events per second: `1203`, `4.1M`.
  static func count(_ number: Double) -> String {
    let units: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e4, "k")]
    guard let unit = units.first(where: { number >= $0.0 }) else { return "\(Int(number.rounded()))" }
    let tenths = Int((number / (unit.1 == "k" ? 1e3 : unit.0) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)\(unit.1)"
  }

  /// A duration in about three digits: `850µs`, `1.2ms`, `3s`, `2m`.
  static func duration(_ ns: Int64) -> String { ColumnKind.duration(ns) }

  /// The age of a row's price, by the machine's clock: `18h ago`, or `18h` where there is less room.
  static func age(_ row: Row, at wall: Timestamp, width: Int = .max) -> String {
    let (ns, overflow) = wall.ns.subtractingReportingOverflow(row.time.ns)
    let seconds = overflow ? Int64.max / 1_000_000_000 : max(0, ns / 1_000_000_000)
    let age =
      switch seconds {
      case ..<120: "\(seconds)s"
      case ..<7200: "\(seconds / 60)m"
      case ..<172_800: "\(seconds / 3600)h"
      default: "\(seconds / 86_400)d"
      }
    return age.count + 4 <= width ? age + " ago" : age
  }

  /// Hours and minutes in the display zone, and the zone's name: `09:37 New York`.
  static func clock(_ time: Timestamp, zone: DisplayZone) -> String { zone.timeOfDay(time).prefix(5) + " " + zone.shortName }

  /// The date in the display zone.
  static func date(_ time: Timestamp, zone: DisplayZone) -> String {
    let (local, overflow) = time.ns.addingReportingOverflow(Int64(zone.offset(at: time)) * 1_000_000_000)
    return String(Timestamp(ns: overflow ? time.ns : local).description.prefix(10))
  }

  /// Hours, minutes and seconds in the display zone.
  static func seconds(_ time: Timestamp, zone: DisplayZone) -> String { String(zone.timeOfDay(time).prefix(8)) }
}
