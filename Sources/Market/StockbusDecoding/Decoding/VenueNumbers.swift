package import MarketData
package import StockbusPlugin

/// The last numbers of a venue's trades in a recording, by which its feed goes on behind it.
package struct VenueNumbers: Sendable, Codable {
  package struct Last: Sendable, Codable, Hashable {
    /// The name of the series, such as `trade`.
    package let series: String
    package let symbol: Symbol
    package let number: Int64

    package init(series: String, symbol: Symbol, number: Int64) { (self.series, self.symbol, self.number) = (series, symbol, number) }
  }

  package private(set) var last: [Last]

  package init(_ last: [Last] = []) { self.last = last }

  package var isEmpty: Bool { last.isEmpty }

  /// Of two recordings the higher number counts.
  package mutating func add(_ other: VenueNumbers) {
    struct Owner: Hashable {
      let series: String
      let symbol: Symbol
    }
    let known = Dictionary(last.enumerated().map { (Owner(series: $1.series, symbol: $1.symbol), $0) }) { first, _ in first }
    for number in other.last {
      guard let place = known[Owner(series: number.series, symbol: number.symbol)] else {
        last.append(number)
        continue
      }
      if last[place].number < number.number { last[place] = number }
    }
  }

  package static var memory: MemoryKey<VenueNumbers> { MemoryKey(PastEnd.numbers, whenOptionsChange: .keep) }
}

extension MessageReader {
  /// The last numbers of the series that count the items of each symbol one by one.
  package var numbers: VenueNumbers {
    var others: Set<Int> = []
    for i in 0..<book.names.count {
      let sequence = book.rules[i].sequence
      if sequence.isShared || sequence.step == .rising { others.insert(Int(sequence.series)) }
    }
    return VenueNumbers(
      sequences.perSymbol.filter { !others.contains($0.series) }.map {
        VenueNumbers.Last(series: book.series[$0.series], symbol: names.symbol(at: $0.place), number: $0.number)
      })
  }
}
