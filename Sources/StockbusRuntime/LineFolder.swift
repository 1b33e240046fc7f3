internal import Logging
internal import StockbusPlugin

/// Decides which lines of a log are shown: of lines that are alike, the first; how many followed within `window` is told when that time is
/// over. `Sender` is what tells it. Critical lines are all shown.
struct LineFolder<Sender> {
  struct Line: Hashable {
    let level: Logger.Level
    let component: String?
    let message: String
  }

  /// What is to be told of a line: that it came so often again, within so long.
  struct Sum {
    let line: Line
    let times: Int
    let within: Duration
    let sender: Sender

    /// `2 more times in 7s: cannot write 'prices.csv'`
    var text: String {
      let span = within < .seconds(1) ? "" : " in \(within.roughText)"
      return "\(times) more \(times == 1 ? "time" : "times")\(span): \(line.message)"
    }
  }

  private struct Entry {
    let shown: Duration
    var times = 0
    var last: Duration
    let sender: Sender
  }

  static var window: Duration { .seconds(10) }
  /// The most lines that are remembered.
  static var limit: Int { 256 }

  private var entries: [Line: Entry] = [:]

  /// Notes a line; returns true if it is to be shown. `sender` tells the sum of it.
  mutating func take(_ line: Line, at time: Duration, from sender: Sender) -> Bool {
    if let times = entries[line]?.times {
      entries[line]?.times = times + 1
      entries[line]?.last = time
      return false
    }
    if line.level == .critical { return true }
    // With more different lines than that nothing is gained by remembering them.
    if entries.count < Self.limit { entries[line] = Entry(shown: time, last: time, sender: sender) }
    return true
  }

  /// Forgets the lines whose time is over, or all, and returns what there is to tell of them, in the order in which they were shown.
  mutating func settle(at time: Duration, all: Bool = false) -> [Sum] {
    let over = entries.filter { all || time >= $0.value.shown + Self.window }.sorted { $0.value.shown < $1.value.shown }
    for (line, _) in over { entries[line] = nil }
    return over.compactMap { line, entry in
      entry.times == 0
        ? nil : Sum(line: line, times: entry.times, within: min(Self.window, entry.last - entry.shown), sender: entry.sender)
    }
  }

  /// When there will be something to tell; nil if no line has come again.
  var due: Duration? { entries.values.filter { $0.times > 0 }.map { $0.shown + Self.window }.min() }
}
