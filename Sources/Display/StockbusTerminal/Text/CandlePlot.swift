/// The positions of a chart's candles, and the characters they consist of: two steps of price to a character, eight of volume.
///
/// A rising candle is a thin bar, a falling one a full block, so they differ without colours too.
package struct CandlePlot: Sendable {
  package let candles: [Candle]
  package let low: Int64
  package let high: Int64
  /// Columns of the picture; a candle takes `step` columns and is drawn in the first of them.
  package let width: Int
  package let step: Int
  /// Rows of the prices, and below them of the volumes.
  package let priceRows: Int
  package let volumeRows: Int
  /// False where only ASCII can be shown.
  package var isUTF8 = true
  let scale: PriceScale
  private let most: Int128

  /// Nil without candles. There are no rows of volumes if no candle has a volume.
  package init?(_ candles: [Candle], width: Int, step: Int, rows: Int, volumeRows: Int) {
    guard let high = candles.map(\.high).max(), let low = candles.map(\.low).min() else { return nil }
    self.candles = candles
    self.low = low
    self.high = high
    self.width = width
    self.step = step
    self.volumeRows = candles.contains { $0.volume > 0 } ? volumeRows : 0
    priceRows = rows - self.volumeRows
    scale = PriceScale(low: low, high: high, steps: priceRows * 2)
    most = Int128(max(1, candles.map(\.volume).max() ?? 1))
  }

  /// The column of a candle if the newest is at the right end.
  package func column(of index: Int) -> Int { width - step * (candles.count - index) }

  /// The index of the candle at this column, or of the nearest one.
  package func index(at column: Int) -> Int {
    max(0, min(candles.count - 1, candles.count - 1 - (width - 1 - column) / step))
  }

  /// A candle's characters, from the top row to the bottom one: prices, then volume.
  package func characters(of index: Int) -> [Character] {
    (0..<priceRows).map { glyph(index, row: $0) } + (0..<volumeRows).map { volume(index, row: $0) }
  }

  /// The part of a candle that half a character shows.
  private enum Half { case nothing, wick, body }

  /// A candle's character in a row of the prices.
  package func glyph(_ index: Int, row: Int) -> Character {
    let candle = candles[index]
    let lower = (priceRows - 1 - row) * 2
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

  /// A candle's character in a row of the volumes, in eighths of a row; every volume above 0 is visible.
  package func volume(_ index: Int, row: Int) -> Character {
    let blocks: [Character] = isUTF8 ? [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : [" ", " ", " ", " ", "#", "#", "#", "#", "#"]
    let eighths = Int((Int128(max(0, candles[index].volume)) * Int128(volumeRows * 8) + most - 1) / most)
    return blocks[max(0, min(8, eighths - (volumeRows - 1 - row) * 8))]
  }
}

/// The steps of a price axis, from the lowest price to the highest, without floating point.
struct PriceScale: Sendable {
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
