internal import StockbusViewing

/// Charts of prices, made of characters.
enum Charts {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The prices scaled between the lowest and the highest, in eighths of a character.
  static func sparkline(_ prices: [Int64]) -> String {
    guard let low = prices.min(), let high = prices.max(), low < high else { return String(repeating: "▄", count: prices.count) }
    let span = Double(high) - Double(low)
    return String(prices.map { blocks[min(7, Int((Double($0) - Double(low)) / span * 8))] })
  }

  /// A line through points of time and price in braille dots, two by four to a character; rows from the top.
  ///
  /// `times` gives the times of the left and right edge, `prices` the prices of the lower and upper edge.
  static func line(
    _ points: [PriceSeries.Sample], columns: Int, rows: Int, times: ClosedRange<Int64>, prices: ClosedRange<Int64>
  ) -> [String] {
    guard columns > 0, rows > 0 else { return [] }
    let (width, height) = (columns * 2, rows * 4)
    var dots = [UInt8](repeating: 0, count: columns * rows)
    func set(_ x: Int, _ y: Int) {
      guard x >= 0, x < width, y >= 0, y < height else { return }
      // The dots of U+2800 and following: 1 to 3 and 7 go down the left column, 4 to 6 and 8 down the right.
      let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
      dots[y / 4 * columns + x / 2] |= bits[x % 2][y % 4]
    }
    func place(_ value: Int64, in range: ClosedRange<Int64>, _ steps: Int) -> Int {
      let span = Double(range.upperBound) - Double(range.lowerBound)
      if span <= 0 { return steps / 2 }
      let part = max(0, min(1, (Double(value) - Double(range.lowerBound)) / span))
      return Int((part * Double(steps - 1)).rounded())
    }
    var last: (x: Int, y: Int)?
    for point in points {
      let x = place(point.time, in: times, width)
      let y = height - 1 - place(point.price, in: prices, height)
      if let last { connect(last, (x, y), set) } else { set(x, y) }
      last = (x, y)
    }
    return (0..<rows).map { row in
      // A cell without dots is a blank, because terminals differ in how they draw U+2800.
      String(
        String.UnicodeScalarView(
          dots[row * columns..<(row + 1) * columns].map { $0 == 0 ? " " : UnicodeScalar(0x2800 + UInt32($0)) ?? " " }))
    }
  }

  /// Bresenham, "Algorithm for computer control of a digital plotter" (1965).
  private static func connect(_ a: (x: Int, y: Int), _ b: (x: Int, y: Int), _ set: (Int, Int) -> Void) {
    let (dx, dy) = (abs(b.x - a.x), -abs(b.y - a.y))
    let (sx, sy) = (a.x < b.x ? 1 : -1, a.y < b.y ? 1 : -1)
    var (x, y, error) = (a.x, a.y, dx + dy)
    while true {
      set(x, y)
      if x == b.x, y == b.y { return }
      let double = 2 * error
      if double >= dy {
        error += dy
        x += sx
      }
      if double <= dx {
        error += dx
        y += sy
      }
    }
  }
}
