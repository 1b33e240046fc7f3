internal import MarketData
internal import StockbusInstruments

/// The trades in the last `count` buckets of time, for each symbol and bucket in which it was traded: 64 bytes each.
///
/// A bucket is a length of time; buckets are counted from the epoch. When everything up to a time T has been received, the window consists
/// of the bucket that contains T − wait and the `count` buckets before it, so it is at least `count` buckets long, and at most one bucket
/// and `wait` longer. Within that its sums are exact, and so is the price before it.
struct RollingWindow {
  /// The trades of one symbol in one bucket.
  struct Slot: BitwiseCopyable, Codable, Sendable {
    var entry: UInt32
    /// The symbol's slot in an earlier bucket; meaningless if that is no longer in the window.
    var previousIndex: UInt32
    var previousBucket: Int64
    /// The price with the latest event time, and that time.
    var price: Int64
    var time: Int64
    var volume: Int128
    var turnover: Int128
  }

  struct Bucket: Codable, Sendable {
    var number: Int64
    var slots: [Slot] = []
  }

  /// Where a symbol's newest slot is.
  struct Last: BitwiseCopyable, Codable, Sendable {
    var bucket = Int64.min
    var index: UInt32 = 0
  }

  let width: Int64
  let count: Int64
  let wait: Int64
  /// By number, ascending; buckets without trades are left out.
  private(set) var buckets: [Bucket] = []
  private(set) var last: ContiguousArray<Last> = []

  /// - Parameters:
  ///   - width: the length of a bucket, in nanoseconds; positive.
  ///   - count: the buckets of a window besides the one that is being filled; positive.
  init(width: Int64, count: Int64, wait: Int64) {
    self.width = width
    self.count = count
    self.wait = wait
  }

  mutating func extend(to symbols: Int) {
    if symbols > last.count { last.append(contentsOf: repeatElement(Last(), count: symbols - last.count)) }
  }

  /// Takes the place of an earlier window.
  mutating func put(_ buckets: [Bucket], _ last: ContiguousArray<Last>) { (self.buckets, self.last) = (buckets, last) }

  func number(of time: Int64) -> Int64 {
    let (quotient, rest) = time.quotientAndRemainder(dividingBy: width)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// The first bucket of the window once everything before `received` has been received.
  func start(at received: Int64) -> Int64 {
    let (now, overflow) = received.subtractingReportingOverflow(wait)
    return number(of: overflow || now == .min ? .min + 1 : now - 1) - count
  }

  /// When that bucket begins.
  func startTime(at received: Int64) -> Int64 { Int64(clamping: Int128(start(at: received)) * Int128(width)) }

  /// When the oldest bucket leaves the window; `Int64.max` if there is none.
  var due: Int64 {
    guard let first = buckets.first else { return .max }
    return Int64(clamping: (Int128(first.number) + 1 + Int128(count)) * Int128(width) + Int128(wait))
  }

  /// Where the next bucket begins.
  func end(of bucket: Int64) -> Int64 { Int64(clamping: (Int128(bucket) + 1) * Int128(width)) }

  /// Counts an event whose time is in the window; returns true if `due` may have changed.
  mutating func add(_ entry: Int, _ sample: MoverBoard.Sample, at time: Int64) -> Bool {
    let number = number(of: time)
    let place = last[entry]
    guard place.bucket == number, !buckets.isEmpty, buckets[buckets.count - 1].number == number else {
      addElsewhere(entry, sample, time, number)
      return true
    }
    buckets[buckets.count - 1].slots[Int(place.index)].take(sample, at: time)
    return false
  }

  @inline(never)
  private mutating func addElsewhere(_ entry: Int, _ sample: MoverBoard.Sample, _ time: Int64, _ number: Int64) {
    // Goes back to the symbol's slot in this bucket, or to the last one before it.
    var newer: (at: Int, index: Int)?
    var place = last[entry]
    while place.bucket > number, let at = at(place.bucket) {
      newer = (at, Int(place.index))
      let slot = buckets[at].slots[Int(place.index)]
      place = Last(bucket: slot.previousBucket, index: slot.previousIndex)
    }
    if place.bucket == number, let at = at(number) { return buckets[at].slots[Int(place.index)].take(sample, at: time) }
    var slot = Slot(
      entry: UInt32(truncatingIfNeeded: entry), previousIndex: place.index, previousBucket: place.bucket, price: sample.price, time: .min,
      volume: 0, turnover: 0)
    slot.take(sample, at: time)
    let link = Last(bucket: number, index: UInt32(truncatingIfNeeded: at(number).map { buckets[$0].slots.count } ?? 0))
    if let newer {
      buckets[newer.at].slots[newer.index].previousBucket = link.bucket
      buckets[newer.at].slots[newer.index].previousIndex = link.index
    } else {
      last[entry] = link
    }
    if let at = at(number) {
      buckets[at].slots.append(slot)
    } else {
      buckets.insert(Bucket(number: number, slots: [slot]), at: buckets.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0)
    }
  }

  /// The index of a bucket; nil if there is none with this number.
  private func at(_ number: Int64) -> Int? {
    var (low, high) = (0, buckets.count)
    while low < high {
      let middle = (low + high) / 2
      if buckets[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < buckets.count && buckets[low].number == number ? low : nil
  }

  /// Removes the oldest bucket.
  mutating func removeFirst() -> Bucket { buckets.removeFirst() }

  /// True if the symbol has been traded after this bucket.
  func isTraded(_ entry: Int, after bucket: Int64) -> Bool { last[entry].bucket > bucket }

  /// Adjusts the prices of a symbol from before a split.
  mutating func apply(_ split: PriceSplit, to entry: Int) {
    var place = last[entry]
    while let at = at(place.bucket) {
      let slot = buckets[at].slots[Int(place.index)]
      if slot.time < split.time, let adjusted = split.adjust(slot.price) { buckets[at].slots[Int(place.index)].price = adjusted }
      place = Last(bucket: slot.previousBucket, index: slot.previousIndex)
    }
  }
}

extension RollingWindow.Slot {
  fileprivate mutating func take(_ sample: MoverBoard.Sample, at now: Int64) {
    if sample.countsForLast, now >= time { (price, time) = (sample.price, now) }
    volume.addSaturating(sample.volume)
    turnover.addSaturating(sample.turnover)
  }
}
