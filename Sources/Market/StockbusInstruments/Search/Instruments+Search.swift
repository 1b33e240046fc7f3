internal import MarketData

extension Instruments {
  /// The indices in `all` of the instruments that match every word of `text`, best first, at most `limit`.
  ///
  /// A word matches without regard to case, in this order: the whole symbol, the start of the symbol, the start of a word of the name, the
  /// start of a word of the industry, inside of the symbol, of the name, of the industry. Several words are ordered by the worst match,
  /// then by the sum, then by the symbol. Text without words matches nothing.
  package func search(_ text: String, limit: Int) -> [Int] {
    let words = text.lowercased().split { $0.isWhitespace }.prefix(8).map { Array($0.utf8) }
    guard !words.isEmpty, limit > 0 else { return [] }
    var found: [(rank: Int, place: Int)] = []
    instruments: for place in all.indices {
      var (worst, sum) = (0, 0)
      for word in words {
        guard let rank = texts.rank(word, of: place) else { continue instruments }
        worst = max(worst, rank)
        sum += rank
      }
      found.append((worst * 100 + sum, place))
    }
    found.sort { a, b in
      if a.rank != b.rank { return a.rank < b.rank }
      let (x, y) = (all[a.place].symbol.utf8, all[b.place].symbol.utf8)
      return x.count != y.count ? x.count < y.count : all[a.place].symbol < all[b.place].symbol
    }
    return found.prefix(limit).map(\.place)
  }
}
