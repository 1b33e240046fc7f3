/// What became of a file's rows; blank lines and the header are none.
struct ReplayCounts: Hashable, Sendable {
  /// Handed out.
  var events = 0
  /// Well-formed, but before `from` or not before `until`.
  var outside = 0
  var malformed = 0
  /// Messages of raw captures of a kind that nobody knows.
  var unknown = 0

  static func += (a: inout ReplayCounts, b: ReplayCounts) {
    a.events += b.events
    a.outside += b.outside
    a.malformed += b.malformed
    a.unknown += b.unknown
  }
}
