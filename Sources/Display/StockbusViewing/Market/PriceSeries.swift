internal import MarketData
internal import StockbusInstruments

/// The price history of a symbol: the last price and the volume of every second, of every quarter of a minute, and of every five minutes, as
/// far back as there is room. Intervals without events are not stored.
package struct PriceSeries {
  package struct Sample: Hashable {
    /// The beginning of its interval, in nanoseconds since the epoch.
    package var time: Int64
    package var price: Int64
    /// The volume that was traded in the interval.
    package var volume: Int64 = 0
  }

  /// Samples of one interval length, oldest first.
  private struct Level {
    let length: Int64
    var samples: [Sample] = []
    /// The index of the oldest sample when all places are taken.
    var first = 0
    /// True once samples were removed to make room.
    var isCut = false

    mutating func add(_ sample: Sample) {
      let time = sample.time / length * length
      let last = samples.isEmpty ? -1 : (first + samples.count - 1) % samples.count
      // A time before the newest sample is counted in the newest interval.
      if last >= 0, time <= samples[last].time {
        samples[last].price = sample.price
        samples[last].volume = samples[last].volume.addingSaturating(sample.volume)
      } else if samples.count < PriceSeries.capacity {
        samples.append(Sample(time: time, price: sample.price, volume: sample.volume))
      } else {
        samples[first] = Sample(time: time, price: sample.price, volume: sample.volume)
        first = (first + 1) % samples.count
        isCut = true
      }
    }

    mutating func forget(after time: Int64) {
      samples = ordered.filter { $0.time <= time }
      first = 0
    }

    mutating func apply(_ split: PriceSplit) {
      samples = ordered.compactMap { sample in
        split.adjust(sample.price).map { Sample(time: sample.time, price: $0, volume: sample.volume) }
      }
      first = 0
    }

    /// Removes the older half; returns the number of removed samples.
    mutating func halve() -> Int {
      let left = samples.count / 2
      let removed = samples.count - left
      samples = Array(ordered.suffix(left))
      first = 0
      isCut = isCut || removed > 0
      return removed
    }

    var bytes: Int { samples.capacity &* MemoryLayout<Sample>.stride }

    /// From which interval of `length` on no sample is missing.
    func begin(_ length: Int64) -> Int64 {
      if !isCut { return .min }
      return ordered.first.map { ($0.time + length - 1) / length * length } ?? .max
    }

    var ordered: [Sample] { Array(samples[first...] + samples[..<first]) }
  }

  /// The number of samples of each length.
  package static let capacity = 360
  private static let second: Int64 = 1_000_000_000

  package init() {}

  private var seconds = Level(length: PriceSeries.second)
  private var quarters = Level(length: 15 * PriceSeries.second)
  private var fives = Level(length: 300 * PriceSeries.second)

  /// The total volume at the end of the newest sample.
  private var counted: Int64 = 0

  /// Sets the total volume before the history begins.
  package mutating func begin(volume total: Int64) { counted = total }

  /// The volume traded since the newest sample.
  func volume(since total: Int64) -> Int64 { max(0, total &- counted) }

  /// Adds the last price of a second; `total` is the volume traded until the end of that second.
  package mutating func add(_ price: Int64, total: Int64 = 0, second: Int64) {
    let sample = Sample(time: second, price: price, volume: volume(since: total))
    counted = total
    seconds.add(sample)
    quarters.add(sample)
    fives.add(sample)
  }

  /// Removes all samples after `time`, because the clock was wrong.
  package mutating func forget(after time: Int64) {
    seconds.forget(after: time)
    quarters.forget(after: time)
    fives.forget(after: time)
  }

  /// Converts all prices to the new shares.
  mutating func apply(_ split: PriceSplit) {
    seconds.apply(split)
    quarters.apply(split)
    fives.apply(split)
  }

  /// Removes the older half of each interval length; returns the number of removed samples.
  mutating func halve() -> Int { seconds.halve() + quarters.halve() + fives.halve() }

  /// The bytes that the samples take.
  var bytes: Int { seconds.bytes &+ quarters.bytes &+ fives.bytes }

  /// The samples from which intervals of `length` can be built: the shortest ones as far back as they reach, before them longer ones of at
  /// most `length`.
  package func samples(for length: Int64) -> [Sample] {
    var end = Int64.max
    var parts: [[Sample]] = []
    let levels = [seconds, quarters, fives].filter { $0.length <= length }
    for (place, level) in levels.enumerated() {
      // An interval that has begun before the shorter samples do is taken whole from the longer ones.
      let begin = place + 1 < levels.count ? level.begin(levels[place + 1].length) : .min
      parts.append(level.ordered.filter { $0.time >= begin && $0.time < end })
      end = min(end, begin)
    }
    return parts.reversed().flatMap { $0 }
  }

  /// The last `count` prices by seconds, oldest first.
  package func last(_ count: Int) -> [Int64] { seconds.ordered.suffix(count).map(\.price) }

  /// The prices from `begin` on, with the shortest interval that reaches back so far.
  package func samples(since begin: Int64) -> [Sample] {
    for level in [seconds, quarters] {
      let samples = level.ordered
      if samples.count < Self.capacity || (samples.first?.time ?? 0) <= begin { return samples.filter { $0.time >= begin } }
    }
    return fives.ordered.filter { $0.time >= begin }
  }
}
