package import StockbusPlugin

extension ColumnKind {
  /// A value of a column as people read it: a number in about seven digits, `+1.25%`, `1.2ms`, a time of day, `yes`.
  package func text(_ value: Int64, zone: DisplayZone) -> String {
    switch self {
    case .number: Self.number(Price(raw: value))
    case .percent: Self.signed(Percent(raw: value))
    case .duration: value < 0 ? "-" + Self.duration(value == .min ? .max : -value) : Self.duration(value)
    case .time: String(zone.timeOfDay(Timestamp(ns: value)).prefix(8))
    case .flag: value == 0 ? "no" : "yes"
    }
  }

  /// With the digits that are there, rounded to seven; those before the point and the first one of all are never lost.
  private static func number(_ number: Price) -> String {
    let whole = String(number.raw.magnitude / 1_000_000_000).count
    var text = number.rounded(to: max(0, 7 - whole))
    if text.contains(".") {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    return text == "0" && number.raw != 0 ? number.description : text
  }

  /// Two decimals, rounded: `+1.25%`.
  package static func signed(_ percent: Percent) -> String {
    let text = percent.rounded(to: 2)
    return (text == "0.00" || percent.raw < 0 ? "" : "+") + text + "%"
  }

  /// A duration in about three digits: `850µs`, `1.2ms`, `3s`, `2m`.
  package static func duration(_ ns: Int64) -> String {
    switch ns {
    case ..<1_000_000: "\(max(0, ns) / 1000)µs"
    case ..<10_000_000: "\(ns / 1_000_000).\(ns / 100_000 % 10)ms"
    case ..<1_000_000_000: "\(ns / 1_000_000)ms"
    case ..<120_000_000_000: "\(ns / 1_000_000_000)s"
    case ..<7_200_000_000_000: "\(ns / 60_000_000_000)m"
    default: "\(ns / 3_600_000_000_000)h"
    }
  }
}
