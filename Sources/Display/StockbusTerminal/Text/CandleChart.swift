internal import MarketData

/// The prices of a period for a chart, in any one unit.
package struct Candle: Hashable, Sendable {
  package var open: Int64
  package var high: Int64
  package var low: Int64
  package var close: Int64
  package var volume: Int64

  package init(open: Int64, high: Int64, low: Int64, close: Int64, volume: Int64 = 0) {
    self.open = open
    self.high = high
    self.low = low
    self.close = close
    self.volume = volume
  }

  /// This candle and the following ones joined into one. A volume that is out of range becomes the largest possible.
  func joined(_ next: ArraySlice<Candle>) -> Candle {
    next.reduce(self) { sum, candle in
      Candle(
        open: sum.open, high: max(sum.high, candle.high), low: min(sum.low, candle.low), close: candle.close,
        volume: sum.volume.addingSaturating(candle.volume))
    }
  }
}

/// Candles and their volumes as lines, with a price axis at the right.
package struct CandleChart: Sendable {
  package var rising = Style(.green)
  package var falling = Style(.red)
  package var axis = Style(dim: true)
  /// False where only ASCII can be shown.
  package var isUTF8 = true
  /// The rows below the prices that show the volumes.
  package var volumeRows = 3

  package init() {}

  /// The chart in `columns` by `rows` characters, volumes and labels included. If there are more candles than columns, neighbours are
  /// joined.
  ///
  /// - Parameters:
  ///   - price: the text of a price for the axis.
  ///   - ends: the texts below the left and the right end.
  package func lines(
    _ candles: [Candle], columns: Int, rows: Int, price: (Int64) -> String, ends: (String, String)
  ) -> [StyledLine] {
    let volumeRows = candles.contains { $0.volume > 0 } ? max(0, min(volumeRows, rows - 4)) : 0
    let height = max(2, rows - volumeRows - 1) + volumeRows
    // The labels depend on the scale, and the width of the picture depends on the labels.
    guard let measure = CandlePlot(candles, width: columns, step: 1, rows: height, volumeRows: volumeRows) else { return [] }
    let labels = labels(measure.scale, rows: measure.priceRows, price)
    let width = max(1, columns - (labels.map(\.displayWidth).max() ?? 0) - 1)
    let shown = Self.fitted(candles, to: width)
    let step = max(1, min(3, width / shown.count))
    guard var plot = CandlePlot(shown, width: width, step: step, rows: height, volumeRows: volumeRows) else { return [] }
    plot.isUTF8 = isUTF8
    var lines = (0..<plot.priceRows).map { row in
      var line = StyledLine()
      for index in shown.indices { line.append(padded(plot.glyph(index, row: row), step), style(shown[index])) }
      line.append(String(repeating: " ", count: max(0, width - shown.count * step) + 1))
      line.append(labels[row], axis)
      return line
    }
    lines += (0..<plot.volumeRows).map { row in
      var line = StyledLine()
      for index in shown.indices { line.append(padded(plot.volume(index, row: row), step), style(shown[index])) }
      return line
    }
    let (left, right) = ends
    let blanks = min(width, shown.count * step) - left.displayWidth - right.displayWidth
    lines.append(StyledLine(blanks > 0 ? left + String(repeating: " ", count: blanks) + right : left, axis))
    return lines.map { $0.prefix(columns: columns) }
  }

  private func padded(_ character: Character, _ step: Int) -> String { String(character) + String(repeating: " ", count: step - 1) }

  private func style(_ candle: Candle) -> Style { candle.close < candle.open ? falling : rising }

  /// At most `width` candles.
  private static func fitted(_ candles: [Candle], to width: Int) -> [Candle] {
    let size = (candles.count + width - 1) / width
    if size <= 1 { return candles }
    return stride(from: 0, to: candles.count, by: size).map { first in
      candles[first].joined(candles[(first + 1)..<min(first + size, candles.count)])
    }
  }

  /// The price labels beside the first row, the last row, and every fourth row between.
  private func labels(_ scale: PriceScale, rows: Int, _ price: (Int64) -> String) -> [String] {
    (0..<rows).map { row in
      if row == 0 { return price(scale.high) }
      if row == rows - 1 { return price(scale.low) }
      return row % 4 == 0 && row < rows - 2 ? price(scale.price(atStep: (rows - row) * 2 - 1)) : ""
    }
  }
}
