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

  /// This one and the following ones as one. A volume that is out of range stays at the largest.
  func joined(_ next: ArraySlice<Candle>) -> Candle {
    next.reduce(self) { sum, candle in
      let (volume, overflow) = sum.volume.addingReportingOverflow(candle.volume)
      return Candle(
        open: sum.open, high: max(sum.high, candle.high), low: min(sum.low, candle.low), close: candle.close,
        volume: overflow ? .max : volume)
    }
  }
}

/// Candles and their volumes, made of characters: two steps of price to a character, eight of volume.
///
/// A rising candle is a thin bar, a falling one a full block, so they differ without colours too.
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
    guard let high = candles.map(\.high).max(), let low = candles.map(\.low).min() else { return [] }
    let volumeRows = candles.contains { $0.volume > 0 } ? max(0, min(volumeRows, rows - 4)) : 0
    let priceRows = max(2, rows - volumeRows - 1)
    let scale = PriceScale(low: low, high: high, steps: priceRows * 2)
    let labels = labels(scale, rows: priceRows, price)
    let labelWidth = labels.map(\.displayWidth).max() ?? 0
    let width = max(1, columns - labelWidth - 1)
    let shown = Self.fitted(candles, to: width)
    let step = max(1, min(3, width / shown.count))
    var lines = (0..<priceRows).map { row in
      var line = StyledLine()
      for candle in shown {
        let glyph = glyph(candle, scale, row: row, of: priceRows)
        line.append(glyph + String(repeating: " ", count: step - 1), candle.close < candle.open ? falling : rising)
      }
      line.append(String(repeating: " ", count: max(0, width - shown.count * step) + 1))
      line.append(labels[row], axis)
      return line
    }
    lines += volumes(shown, step: step, rows: volumeRows)
    let (left, right) = ends
    let blanks = min(width, shown.count * step) - left.displayWidth - right.displayWidth
    lines.append(StyledLine(blanks > 0 ? left + String(repeating: " ", count: blanks) + right : left, axis))
    return lines.map { $0.prefix(columns: columns) }
  }

  /// At most `width` candles.
  private static func fitted(_ candles: [Candle], to width: Int) -> [Candle] {
    let size = (candles.count + width - 1) / width
    if size <= 1 { return candles }
    return stride(from: 0, to: candles.count, by: size).map { first in
      candles[first].joined(candles[(first + 1)..<min(first + size, candles.count)])
    }
  }

  /// The prices beside the first row, the last row, and each fourth one between.
  private func labels(_ scale: PriceScale, rows: Int, _ price: (Int64) -> String) -> [String] {
    (0..<rows).map { row in
      if row == 0 { return price(scale.high) }
      if row == rows - 1 { return price(scale.low) }
      return row % 4 == 0 && row < rows - 2 ? price(scale.price(atStep: (rows - row) * 2 - 1)) : ""
    }
  }

  /// What half a character shows.
  private enum Half { case nothing, wick, body }

  private func glyph(_ candle: Candle, _ scale: PriceScale, row: Int, of rows: Int) -> String {
    let lower = (rows - 1 - row) * 2
    func half(_ step: Int) -> Half {
      if step < scale.step(of: candle.low) || step > scale.step(of: candle.high) { return .nothing }
      let body = (min(candle.open, candle.close), max(candle.open, candle.close))
      return step < scale.step(of: body.0) || step > scale.step(of: body.1) ? .wick : .body
    }
    let falls = candle.close < candle.open
    let pair = (half(lower + 1), half(lower))
    if !isUTF8 {
      if pair.0 == .body || pair.1 == .body { return falls ? "#" : "H" }
      return pair == (.nothing, .nothing) ? " " : "|"
    }
    switch pair {
    case (.nothing, .nothing): return " "
    case (.wick, .wick): return "│"
    case (.wick, .nothing): return "╵"
    case (.nothing, .wick): return "╷"
    case (.body, .body): return falls ? "█" : "┃"
    case (.body, .nothing): return falls ? "▀" : "╹"
    case (.nothing, .body): return falls ? "▄" : "╻"
    case (.body, .wick): return falls ? "▀" : "╿"
    case (.wick, .body): return falls ? "▄" : "╽"
    }
  }

  private func volumes(_ candles: [Candle], step: Int, rows: Int) -> [StyledLine] {
    let blocks: [String] = isUTF8 ? [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : [" ", " ", " ", " ", "#", "#", "#", "#", "#"]
    let most = Int128(max(1, candles.map(\.volume).max() ?? 1))
    return (0..<rows).map { row in
      var line = StyledLine()
      for candle in candles {
        let eighths = Int((Int128(max(0, candle.volume)) * Int128(rows * 8) + most - 1) / most)
        let part = blocks[max(0, min(8, eighths - (rows - 1 - row) * 8))]
        line.append(part + String(repeating: " ", count: step - 1), candle.close < candle.open ? falling : rising)
      }
      return line
    }
  }
}

/// The steps of a price axis, from the lowest price to the highest, without floating point.
private struct PriceScale {
  let low: Int64
  let high: Int64
  let steps: Int

  /// The step of a price, from 0 to `steps - 1`; rounded to the nearest.
  func step(of price: Int64) -> Int {
    let span = Int128(high) - Int128(low)
    if span == 0 { return steps / 2 }
    return Int(((Int128(price) - Int128(low)) * Int128(steps - 1) * 2 + span) / (span * 2))
  }

  func price(atStep step: Int) -> Int64 {
    Int64(clamping: Int128(low) + (Int128(high) - Int128(low)) * Int128(step) / Int128(max(1, steps - 1)))
  }
}
