/// How many events ahead the cache lines that an event needs are prefetched.
enum PrefetchDistance {
  /// For its bar: as many events as take the time of an access to the memory behind the second cache.
  static var bar: Int { 8 }
  /// For the event itself, long before its symbol is read to find the bar. A processor fetches the next lines of a ring by itself, but not
  /// beyond the end of a page, nor as far ahead as another core or the memory is away.
  static var event: Int { 64 }
}
