internal import MarketData

/// A message's place among all that writers have put into the stream, in the header `Stockbus-Position`: `WRITER NUMBER [PLACE]`.
///
/// `NUMBER` counts the stream's messages from 0, `PLACE` those of the message's own subject. `WRITER` is a new word each time a writer
/// begins.
struct StreamPosition: Sendable, Hashable {
  var writer: String
  var number: Int64
  var place: Int64?

  init(writer: String, number: Int64, place: Int64?) {
    self.writer = writer
    self.number = number
    self.place = place
  }

  /// Nil if the text is malformed.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, (1...32).contains(parts[0].utf8.count), let number = Self.count(parts[1]) else {
      return nil
    }
    writer = String(parts[0])
    self.number = number
    if parts.count == 3 {
      guard let place = Self.count(parts[2]) else { return nil }
      self.place = place
    }
  }

  /// Larger numbers are malformed, so that counting can continue from any number without leaving the range.
  static let limit = Int64.max / 2

  private static func count(_ text: Substring) -> Int64? {
    guard let value = Int64(text), value >= 0, value < limit else { return nil }
    return value
  }
}
