internal import CCounting
internal import Measuring

/// The same work, done in several ways.
struct Contest {
  /// How many frames or updates a round has.
  let units: Int
  /// Makes the work of the next round; not measured.
  let prepare: () -> Void
  let contestants: [Contestant]
}

struct Contestant {
  let name: String
  /// Does a round; returns a digest of the results, which is the same for all contestants.
  let run: () -> UInt64
}

extension Contest {
  /// Prints what callgrind's count has to be divided by. The first round, in which memory is allocated, is not counted.
  func count(_ name: String, rounds: Int) {
    guard let contestant = contestants.first(where: { $0.name == name }) else { return print("no contestant \(name)") }
    var digest: UInt64 = 0
    for round in 0...rounds {
      prepare()
      if round > 0 { stockbus_start_counting() }
      let result = contestant.run()
      stockbus_stop_counting()
      digest = digest &* 31 &+ result
    }
    var report = Report()
    report.add("units", units * rounds)
    report.add("digest", Int(digest >> 1))
    report.add("can_count", stockbus_can_count())
    report.print()
  }

  /// Lets all do each round, another one first each time, and prints what a unit takes of the processor's time: medians, and the median and
  /// quartiles of the ratios to the first contestant, round by round.
  func time(seconds: Double) {
    var times = [[Double]](repeating: [], count: contestants.count)
    let end = monotonicNanoseconds() + Int64(seconds * 1e9)
    var round = 0
    while monotonicNanoseconds() < end {
      prepare()
      var digests: [UInt64] = []
      for step in contestants.indices {
        let index = (round + step) % contestants.count
        let began = processorNanoseconds()
        digests.append(contestants[index].run())
        // The first two rounds warm up.
        if round > 1 { times[index].append(Double(processorNanoseconds() - began) / Double(units)) }
      }
      precondition(Set(digests).count == 1, "the contestants come to different results")
      round += 1
    }
    var report = Report()
    report.add("rounds", times[0].count)
    for (index, contestant) in contestants.enumerated() {
      let ratios = zip(times[index], times[0]).map { $0 / $1 }.sorted()
      report.add("\(contestant.name)_ns", times[index].sorted()[times[index].count / 2])
      for (name, part) in [("low", 1), ("ratio", 2), ("high", 3)] {
        report.add("\(contestant.name)_\(name)", ratios[min(ratios.count * part / 4, ratios.count - 1)])
      }
    }
    report.print()
  }
}
