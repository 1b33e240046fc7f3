internal import MarketData

/// What somebody has typed behind `/`: words, any of which is part of a symbol's name.
struct RowFilter: Hashable {
  let text: String
  private let words: [String]

  init(_ text: String = "") {
    self.text = text
    words = text.uppercased().split { $0 == " " || $0 == "," }.map(String.init)
  }

  var isEmpty: Bool { words.isEmpty }

  /// What is wrong with it, in a few words.
  var problem: String? { nil }

  func matches(_ row: Row) -> Bool {
    if words.isEmpty { return true }
    let name = row.symbol.description.uppercased()
    return words.contains { name.contains($0) }
  }
}
