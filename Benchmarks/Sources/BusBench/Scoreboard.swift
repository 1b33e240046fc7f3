internal import Measuring
internal import Synchronization

/// Records when the first event of a repetition was sent and when the last one had arrived everywhere.
final class Scoreboard: Sendable {
  static let shared = Scoreboard()

  struct Scores {
    var began: Int64 = 0
    var ended: Int64 = 0
    var tallies: [Tally] = []
  }

  private let scores = Mutex(Scores())

  /// Clears the record for the next repetition.
  func reset() { scores.withLock { $0 = Scores() } }

  func begin() { scores.withLock { $0.began = monotonicNanoseconds() } }

  /// Called when a reader has got its last event.
  func finish(_ tally: Tally) {
    let now = monotonicNanoseconds()
    scores.withLock {
      $0.ended = max($0.ended, now)
      $0.tallies.append(tally)
    }
  }

  /// The line for the runner; if the readers' sums differ, it is one that no check accepts.
  var report: Report {
    let scores = scores.withLock { $0 }
    var report = Report()
    report.add("seconds", Double(scores.ended - scores.began) / 1e9)
    report.add("readers", scores.tallies.count)
    let differing = scores.tallies.filter { $0.sum != scores.tallies[0].sum || $0.count != scores.tallies[0].count }.count
    report.add("differing", differing)
    scores.tallies.first?.add(to: &report)
    report.add("misplaced_anywhere", scores.tallies.reduce(0) { $0 + $1.misplaced })
    return report
  }
}
