package import StockbusPlugin

/// The numbers of values that did not fit into their events; the events were kept.
package struct KeptValues: Hashable, Sendable {
  /// Sizes with more than nine decimals, which were cut.
  package var cut = 0
  /// Sizes that are 0 in the event, because they are out of range or not defined.
  package var unfit = 0
  /// Prices with more than nine decimals, which were rounded.
  package var rounded = 0

  package init() {}

  package static func += (a: inout KeptValues, b: KeptValues) {
    a.cut += b.cut
    a.unfit += b.unfit
    a.rounded += b.rounded
  }

  package static func - (a: KeptValues, b: KeptValues) -> KeptValues {
    var difference = a
    difference.cut -= b.cut
    difference.unfit -= b.unfit
    difference.rounded -= b.rounded
    return difference
  }
}

extension Context {
  /// Counts the misfitting values of a reader of messages, and logs a remark about the first of each kind.
  package func report(_ kept: (counts: KeptValues, remarks: [String]), of origin: String) {
    count(kept.counts)
    for remark in kept.remarks { logger.warning("\(origin): \(visible(remark, limit: 400))") }
  }

  /// Adds to the counters of values that did not fit; these are shown if any value did not.
  package func count(_ kept: KeptValues) {
    if kept.cut > 0 { counter("cut", "Sizes with more than nine decimals, which were cut after the ninth.").add(kept.cut) }
    if kept.unfit > 0 { counter("unfit", "Sizes that are 0 in their event, because they are out of range or undefined.").add(kept.unfit) }
    if kept.rounded > 0 { counter("rounded", "Prices with more than nine decimals, which were rounded.").add(kept.rounded) }
  }
}
