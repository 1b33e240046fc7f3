internal import StockbusDecoding

/// The counts of a file's rows; blank lines and the header are not counted.
struct ReplayCounts: Hashable, Sendable {
  /// Rows that gave events which were returned.
  var events = 0
  /// Well-formed rows before `from` or not before `until`.
  var outside = 0
  var malformed = 0
  /// Messages of raw captures of unknown kinds.
  var unknown = 0
  /// Values that did not fit into the returned events.
  var kept = KeptValues()

  static func - (a: ReplayCounts, b: ReplayCounts) -> ReplayCounts {
    ReplayCounts(
      events: a.events - b.events, outside: a.outside - b.outside, malformed: a.malformed - b.malformed, unknown: a.unknown - b.unknown,
      kept: a.kept - b.kept)
  }

  static func += (a: inout ReplayCounts, b: ReplayCounts) {
    a.events += b.events
    a.outside += b.outside
    a.malformed += b.malformed
    a.unknown += b.unknown
    a.kept += b.kept
  }
}
