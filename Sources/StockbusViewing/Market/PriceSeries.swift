internal import StockbusInstruments

/// The price history of a symbol: the last price of every second, of every quarter of a minute, and of every five minutes, as far back as
/// there is room. Intervals without events are not stored.
package struct PriceSeries {
  package struct Sample: Hashable {
    /// The beginning of its interval, in nanoseconds since the epoch.
    package var time: Int64
    package var price: Int64
  }

  /// Samples of one interval length, oldest first.
  private struct Level {
    let length: Int64
    var samples: [Sample] = []
    /// The index of the oldest sample when all places are taken.
    var first = 0

    mutating func add(_ sample: Sample) {
      let time = sample.time / length * length
      let last = samples.isEmpty ? -1 : (first + samples.count - 1) % samples.count
      // A time before the newest sample is counted in the newest interval.
      if last >= 0, time <= samples[last].time {
        samples[last].price = sample.price
      } else if samples.count < PriceSeries.capacity {
        samples.append(Sample(time: time, price: sample.price))
      } else {
        samples[first] = Sample(time: time, price: sample.price)
        first = (first + 1) % samples.count
      }
    }

    mutating func forget(after time: Int64) {
      samples = ordered.filter { $0.time <= time }
      first = 0
    }

    mutating func apply(_ split: PriceSplit) {
      samples = ordered.compactMap { sample in split.adjust(sample.price).map { Sample(time: sample.time, price: $0) } }
      first = 0
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

  /// Adds the last price of a second.
  package mutating func add(_ price: Int64, second: Int64) {
    let sample = Sample(time: second, price: price)
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

  /// Makes all prices those of the new shares.
  mutating func apply(_ split: PriceSplit) {
    seconds.apply(split)
    quarters.apply(split)
    fives.apply(split)
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
