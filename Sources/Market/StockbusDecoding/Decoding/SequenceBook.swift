internal import MarketData

/// A break in a venue's sequence numbers.
package struct SequenceGap: Hashable, Sendable {
  /// The name of the sequence, which is counted separately, such as `trade BTCUSDT`.
  package let stream: String
  /// The expected number.
  package let expected: Int64
  /// The received number; below `expected` if it was repeated or the venue went back.
  package let got: Int64
}

/// The last number of every series, for each symbol or for the connection.
struct SequenceBook {
  private var last: [[Int64]]
  private var isPerSymbol: [Bool]
  /// For series whose number several items share: the last message in which each symbol occurred.
  private var messages: [[UInt64]]

  init(series: Int) {
    last = Array(repeating: [], count: series)
    messages = Array(repeating: [], count: series)
    isPerSymbol = Array(repeating: true, count: series)
  }

  /// Resets the series that count a connection's messages.
  mutating func reconnected() {
    for i in last.indices where !isPerSymbol[i] { last[i].removeAll() }
  }

  /// The last numbers of the series with numbers for each symbol.
  var perSymbol: [(series: Int, place: Int, number: Int64)] {
    last.indices.filter { isPerSymbol[$0] }.flatMap { series in
      last[series].enumerated().filter { $1 != .min }.map { (series, $0, $1) }
    }
  }

  /// True if this is the symbol's first item in the message. Messages are numbered from 1.
  mutating func isFirst(of message: UInt64, _ rule: CompiledSequence, place: Int) -> Bool {
    let series = Int(rule.series)
    if place >= messages[series].count { messages[series].grow(toHold: place, filling: 0) }
    defer { messages[series][place] = message }
    return messages[series][place] != message
  }

  /// Records a number. If it breaks the rule's `step`, returns the number expected after the last one; otherwise nil, as for the first
  /// number. `place` is the symbol's; 0 for the connection.
  @inline(__always)
  mutating func take(_ number: Int64, _ rule: CompiledSequence, place: Int) -> Int64? {
    let series = Int(rule.series)
    if place >= last[series].count { grow(series, place, rule) }
    let before = last[series][place]
    last[series][place] = number
    if before == .min { return nil }
    let next = before &+ 1
    let isRight =
      switch rule.step {
      case .next: number == next
      case .resume: number == next || number == before
      case .rising: number > before
      }
    return isRight ? nil : next
  }

  private mutating func grow(_ series: Int, _ place: Int, _ rule: CompiledSequence) {
    isPerSymbol[series] = rule.isPerSymbol
    last[series].grow(toHold: place, filling: .min)
  }
}
