internal import StockbusPlugin

/// A channel, with its writers and readers.
package struct ChannelPlan: Sendable {
  package struct End: Sendable {
    /// The configuration, counted from 0.
    package let run: Int
    package let node: PlannedNode
    /// The event type of the channel; empty if unknown.
    package let eventName: String
    /// The parts that are written or read: `ticks.0, ticks.1`; empty for all of them.
    package let parts: String
  }

  /// `NATS stream TICKS`.
  package let title: String
  package let writers: [End]
  package let readers: [End]
}

extension OriginCheck {
  /// The channels of these configurations, in the order of their first mention.
  package var channels: [ChannelPlan] {
    var groups: [[(end: End, isWriter: Bool)]] = []
    for end in writers.map({ ($0, true) }) + readers.map({ ($0, false) }) {
      if let known = groups.firstIndex(where: { $0.contains { $0.end.use.isOfSame(end.0.use) } }) {
        groups[known].append(end)
      } else {
        groups.append([end])
      }
    }
    return groups.compactMap { group in
      // The name, preferably from a configuration that does not take it from a variable.
      let names = group.map { $0.end.redacted(visible($0.end.use.name)) }
      guard let first = group.first?.end.use, let name = names.first(where: { $0 == visible(first.name) }) ?? names.first else {
        return nil
      }
      func ends(_ areWriters: Bool) -> [ChannelPlan.End] {
        group.filter { $0.isWriter == areWriters }.map { end, _ in
          ChannelPlan.End(
            run: end.place.run, node: end.node, eventName: end.type?.eventName ?? "", parts: end.redacted(Self.shortened(end.use.parts)))
        }
      }
      return ChannelPlan(title: "\(first.kind) \(name)", writers: ends(true), readers: ends(false))
    }
  }

  private static func shortened(_ parts: [String]?) -> String {
    guard let parts else { return "" }
    let names = parts.map { visible($0) }
    return names.count > 4 ? "\(names[0]) … \(names[names.count - 1])" : names.joined(separator: ", ")
  }
}
