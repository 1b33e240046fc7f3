/// The counts of a file's rows; blank lines and the header are not counted.
struct ReplayCounts: Hashable, Sendable {
  /// Rows that gave events which were returned.
  var events = 0
  /// Well-formed rows before `from` or not before `until`.
  var outside = 0
  var malformed = 0
  /// Messages of raw captures of unknown kinds.
  var unknown = 0

  static func += (a: inout ReplayCounts, b: ReplayCounts) {
    a.events += b.events
    a.outside += b.outside
    a.malformed += b.malformed
    a.unknown += b.unknown
  }
}
