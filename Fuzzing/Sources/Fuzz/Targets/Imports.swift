internal import MarketData
@testable import StockbusHistory
internal import StockbusPlugin

extension Target {
  /// Files of daily bars: each row gives a bar whose prices fit together, or a reason; and the bar, written as a row again, is the same.
  static let imports = Target(
    "imports", "CSV files of daily bars", limit: 2048,
    words: [
      "date,symbol,open,high,low,close,volume\n", "2013-10-08", "1677-01-01", "2262-12-31", "2013-02-30", "AAPL", ",", "\n", "\r\n", "\"",
      "\"\"",
      "480.94", "9223372036.854775807", "-1", "1e3", "\u{feff}", " ", "volume", "date",
    ],
    seeds: [
      "date,symbol,open,high,low,close,volume\n2013-10-08,AAPL,489.94,490.64,480.54,480.94,10393331\n",
      "Volume, close ,low,high,open,\"symbol\",date,other\n1.5,2,1,3,2.50,\"A\"\"B\",2014-02-29,x\n",
    ].map { Array($0.utf8) }, budget: 300
  ) { bytes in
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: true).map { $0.last == 13 ? $0.dropLast() : $0 }
    guard let header = lines.first else { return }
    let columns: DailyColumns
    do throws(DailyRowError) { columns = try DailyColumns(header: Array(header)) } catch {
      law(!error.reason.isEmpty, "no reason")
      return
    }
    let intake = SymbolIntake(limit: 1000)
    var numbers = DailyNumbers()
    for line in lines.dropFirst() {
      do throws(DailyRowError) {
        let bar = try columns.bar(line, intake, &numbers).bar
        law(
          bar.high >= max(bar.open, bar.close) && bar.low <= min(bar.open, bar.close) && bar.low <= bar.high,
          "prices that do not fit: \(bar)")
        law(bar.volume.raw >= 0 && bar.length == .day && bar.time.ns % Timestamp.day == 0, "no day: \(bar)")
        let row =
          "\(bar.time),\"\(bar.symbol.description.replacing("\"", with: "\"\""))\",\(bar.open),\(bar.high),\(bar.low),\(bar.close),\(bar.volume)"
        var plain = DailyNumbers()
        var again = try plainColumns.bar(Array(row.replacing("T00:00:00Z", with: "").utf8)[...], intake, &plain).bar
        (again.priceDecimals, again.sizeDecimals) = (bar.priceDecimals, bar.sizeDecimals)
        law(again == bar, "\(row) is read as \(again)")
      } catch { law(!error.reason.isEmpty, "no reason") }
    }
  }

  private static let plainColumns = try! DailyColumns(header: Array(DailyColumns.names.joined(separator: ",").utf8))
}
