import EventBus
import MarketData
import StockbusHistory
import StockbusProgram
import StockbusTerminal

/// Bars as text.
enum BarText {
  static func table(_ bars: [Bar], _ period: BarPeriod) -> String {
    let decimals = Int(bars.map(\.priceDecimals).max() ?? 0)
    let head = ["TIME", "OPEN", "HIGH", "LOW", "CLOSE", "VOLUME", "VWAP", "TRADES", ""]
    let rows = bars.map { bar in
      let prices = [bar.open, bar.high, bar.low, bar.close].map { $0.formatted(decimals: decimals) }
      // Without a turnover the average price is not known.
      let vwap = bar.turnover.raw == 0 ? "" : bar.vwap.formatted(decimals: decimals)
      return [time(of: bar, period)] + prices
        + [bar.volume.formatted(decimals: Int(bar.sizeDecimals)), vwap, bar.count == 0 ? "" : "\(bar.count)"]
        + [bar.status == .partial ? "partial" : ""]
    }
    return aligned([head] + rows).joined(separator: "\n")
  }

  /// The first and the last column begin at the left, numbers end at the right; columns without any text are left out.
  private static func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows[0].indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, width) in zip(columns, widths) {
        let blanks = String(repeating: " ", count: width - row[column].count)
        line += (line.isEmpty ? "" : "  ") + (column == 0 || column == row.count - 1 ? row[column] + blanks : blanks + row[column])
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  static func csv(_ bars: [Bar]) -> String {
    let encoder = EventEncoder<Bar>()
    return ([encoder.csvHeader] + lines(bars, encoder.encodeCSV)).joined(separator: "\n")
  }

  static func json(_ bars: [Bar]) -> String { lines(bars, EventEncoder<Bar>().encodeJSON).joined(separator: "\n") }

  private static func lines(_ bars: [Bar], _ encode: (Bar, inout ByteWriter) -> Void) -> [String] {
    var out = ByteWriter(capacity: 512)
    return bars.map { bar in
      out.clear()
      encode(bar, &out)
      return out.string
    }
  }

  static func chart(_ bars: [Bar], _ period: BarPeriod, size: TerminalSize, isUTF8: Bool) -> [StyledLine] {
    guard let first = bars.first, let last = bars.last else { return [] }
    let candles = bars.map {
      Candle(open: $0.open.raw, high: $0.high.raw, low: $0.low.raw, close: $0.close.raw, volume: $0.volume.raw)
    }
    let decimals = Int(bars.map(\.priceDecimals).max() ?? 0)
    var chart = CandleChart()
    chart.isUTF8 = isUTF8
    let number = bars.count == 1 ? "1 bar" : "\(bars.count) bars"
    let title = StyledLine("\(first.symbol)", Style(bold: true)) + StyledLine("  \(period)  \(number)")
    // One row for the title, and one for the shell's next line.
    return [title.prefix(columns: size.columns)]
      + chart.lines(
        candles, columns: size.columns, rows: max(6, min(40, size.rows - 2)), price: { Price(raw: $0).rounded(to: decimals) },
        ends: (time(of: first, period), time(of: last, period)))
  }

  /// The start of a bar: only the date if all bars of this period begin at midnight.
  private static func time(of bar: Bar, _ period: BarPeriod) -> String {
    let text = bar.time.description
    switch period {
    case .month, .year: return String(text.prefix(10))
    case .length(let length):
      return (length.nanoseconds ?? 1) % BarLength.day.raw == 0 && text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
    }
  }
}
