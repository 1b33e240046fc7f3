/// How many updates ahead each cache line of an update is prefetched in a large order.
///
/// Each line's address is in the line before it, so a step has to be as long as the latency of memory: eight updates, some hundred
/// nanoseconds.
enum Lookahead {
  static var place: Int { 8 }
  static var record: Int { 16 }
  /// For callers that have to look up an entry's number first.
  static var entry: Int { 24 }
}
