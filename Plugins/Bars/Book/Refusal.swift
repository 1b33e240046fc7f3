internal import MarketData
internal import StockbusPlugin

/// An event that does not count for some bars, and why; it becomes a dead letter.
struct Refusal: Hashable {
  enum Reason: Hashable {
    /// Dated more than 5 s after its receipt.
    case ahead
    case negativeVolume
    /// The bar closed too long ago to be issued again.
    case late
    /// The bar's period would leave the range of times.
    case outside
    /// A bar that is longer than the one it should be a part of, or reaches beyond its end.
    case straddles
    /// A bar by trades or volume, not by time.
    case notOfTime
  }

  /// The event's place in the batch.
  var event: Int
  var reason: Reason
  /// The bar's length; unknown if the event counts for none at all.
  var length: BarLength
}

extension Refusal {
  /// Why an event does not count, in words: `it came too late for its bar of 1s, 1m`; and how far its time is from its receipt, if that is
  /// far, since a clock that is wrong from the start shows nowhere else.
  ///
  /// - Parameter leap: an event that was received after this one and came before it.
  static func text(_ refusals: some Sequence<Refusal>, time: Timestamp, received: Timestamp, after leap: BarBook.Leap?) -> String {
    var texts: [(reason: Reason, lengths: [BarLength])] = []
    for refusal in refusals {
      if let i = texts.firstIndex(where: { $0.reason == refusal.reason }) {
        texts[i].lengths.append(refusal.length)
      } else {
        texts.append((refusal.reason, [refusal.length]))
      }
    }
    let reasons = texts.compactMap { $0.reason.text($0.lengths.map { "\($0)" }.joined(separator: ", "), after: leap) }
    let limit = texts.contains { $0.reason == .ahead } ? ", more than the 5s allowed" : ""
    return (reasons + [gap(time, received, limit)].compactMap { $0 }).joined(separator: "; ")
  }

  private static func gap(_ time: Timestamp, _ received: Timestamp, _ limit: String) -> String? {
    let gap = time.ns.subtractingSaturating(received.ns)
    if gap.magnitude <= UInt64(EventClock.tolerance) { return nil }
    let isAhead = gap > 0
    return
      "it is dated \(Duration.nanoseconds(Int64(clamping: gap.magnitude)).roughText) \(isAhead ? "after" : "before") its receipt\(limit): "
      + (isAhead ? "the clock of this machine or of the sender is wrong" : "it was delayed, or one of the two clocks is wrong")
  }
}

extension Refusal.Reason {
  /// Nil if the distance from the receipt, which follows, is the reason.
  fileprivate func text(_ lengths: String, after leap: BarBook.Leap?) -> String? {
    switch self {
    case .ahead: nil
    case .negativeVolume: "its size is negative"
    case .late:
      "it came too late for its bar of \(lengths)"
        + (leap.map { ", because an event of \($0.symbol) dated \(Timestamp(ns: $0.received)) came before it" } ?? "")
    case .outside: "its bar of \(lengths) would be outside the range of times"
    case .straddles: "it is not within one bar of \(lengths)"
    case .notOfTime: "it is a bar of trades or of a volume, which cannot be part of a bar of \(lengths)"
    }
  }
}
