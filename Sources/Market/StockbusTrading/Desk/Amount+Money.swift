package import MarketData

extension Price {
  /// For people: at least two decimals, and more if the price has more; never rounded.
  package var money: String { formatted(decimals: 2) }
}

extension Amount {
  /// For people: at least two decimals, and more if the amount has more; never rounded.
  package var money: String {
    let text = description
    guard let point = text.firstIndex(of: ".") else { return text + ".00" }
    return text.distance(from: point, to: text.endIndex) == 2 ? text + "0" : text
  }
}
