/// The number of attempts left, by key: buckets that fill again with time.
///
/// A full bucket is removed. If there are too many, those that have waited longest are removed first, as they are the fullest.
struct AttemptLimits<Key: Hashable> {
  private struct Bucket {
    var left: Int
    /// The time at which `left` was counted.
    var since: Duration
  }

  private let size: Int
  private let refill: Duration
  private let mostKeys: Int
  private var buckets: [Key: Bucket] = [:]

  /// - Parameters:
  ///   - size: the attempts of a full bucket.
  ///   - refill: the time after which one more attempt is allowed.
  init(_ size: Int, refill: Duration, mostKeys: Int = 10_000) {
    self.size = size
    self.refill = refill
    self.mostKeys = mostKeys
  }

  /// Takes an attempt. Returns nil, or the time until the next attempt is allowed.
  mutating func take(_ key: Key, now: Duration) -> Duration? {
    var bucket = present(key, now)
    if bucket.left == 0 { return bucket.since + refill - now }
    if bucket.left == size { bucket.since = now }
    bucket.left -= 1
    if buckets[key] == nil, buckets.count >= mostKeys { forget(now) }
    buckets[key] = bucket
    return nil
  }

  /// Gives an attempt back that is not to be counted.
  mutating func giveBack(_ key: Key, now: Duration) {
    var bucket = present(key, now)
    bucket.left += 1
    buckets[key] = bucket.left >= size ? nil : bucket
  }

  private func present(_ key: Key, _ now: Duration) -> Bucket {
    guard var bucket = buckets[key] else { return Bucket(left: size, since: now) }
    let gained = Int((now - bucket.since) / refill)
    bucket.left = min(size, bucket.left + gained)
    bucket.since += refill * gained
    return bucket
  }

  private mutating func forget(_ now: Duration) {
    buckets = buckets.filter { present($0.key, now).left < size }
    if buckets.count < mostKeys { return }
    for (key, _) in buckets.sorted(by: { $0.value.since < $1.value.since }).prefix(max(1, mostKeys / 10)) { buckets[key] = nil }
  }
}
