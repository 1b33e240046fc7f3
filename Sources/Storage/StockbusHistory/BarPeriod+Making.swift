package import MarketData

extension BarPeriod {
  /// One bar for each period, made of shorter bars in order of time, as exact as these are. Bars that belong to no period, such as those by
  /// trades, stay as they are.
  package func bars(of parts: some Sequence<Bar>) -> [Bar] {
    var made: [Bar] = []
    var sum: BarSum?
    for part in parts {
      guard let start = start(of: part.time) else {
        made.append(part)
        continue
      }
      if sum?.bar.time == start {
        sum?.add(part)
        continue
      }
      if let sum { made.append(sum.result) }
      sum = BarSum(part, start: start, length: length)
    }
    if let sum { made.append(sum.result) }
    return made
  }
}
