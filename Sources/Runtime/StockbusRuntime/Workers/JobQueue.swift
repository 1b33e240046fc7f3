/// Jobs in the order of their arrival, each with the time at which it began to wait, in nanoseconds of the monotonic clock.
struct JobQueue<Job> {
  struct Entry {
    let job: Job
    let since: Int64
  }

  private var entries: [Entry?] = []
  /// Entries before `first` have been taken.
  private var first = 0

  var isEmpty: Bool { first == entries.count }
  var count: Int { entries.count - first }

  /// When the oldest job began to wait; nil if there is none.
  var oldest: Int64? { isEmpty ? nil : entries[first]?.since }

  mutating func append(_ job: Job, since: Int64) { entries.append(Entry(job: job, since: since)) }

  mutating func popFirst() -> Job? {
    if isEmpty { return nil }
    let job = entries[first]?.job
    entries[first] = nil
    first += 1
    if isEmpty {
      entries.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= 64, first * 2 >= entries.count {
      entries.removeSubrange(..<first)
      first = 0
    }
    return job
  }
}
