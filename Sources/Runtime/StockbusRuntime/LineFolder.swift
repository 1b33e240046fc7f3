internal import StockbusPlugin

/// Decides which lines of a log are shown: the first of lines with the same text, the first few of lines that differ only in their numbers,
/// or between which their component has said something of another level, such as that it works again.
/// The number of further lines is logged by `Sender` after `window`. All critical lines are shown.
struct LineFolder<Sender> {
  struct Line: Hashable {
    let level: Logger.Level
    let component: String?
    var message: String

    /// The line without its numbers.
    fileprivate var shape: Line {
      var shape = self
      shape.message = ""
      var isNumber = false
      for character in message.unicodeScalars {
        let isDigit = ("0"..."9").contains(character)
        if !(isDigit && isNumber) { shape.message.unicodeScalars.append(isDigit ? "0" : character) }
        isNumber = isDigit
      }
      return shape
    }
  }

  /// The summary of repeated lines: how many, and within which time.
  struct Sum {
    /// The last of the repeated lines.
    let line: Line
    let times: Int
    let within: Duration
    /// True if the repeated lines differ from each other.
    let differ: Bool
    let sender: Sender

    /// `2 more times in 7s: cannot write 'prices.csv'`, or `41 more like this in 9s: order 4711 was refused`.
    var text: String {
      let span = within < .seconds(1) ? "" : " in \(within.roughText)"
      let what = differ ? "more like this" : times == 1 ? "more time" : "more times"
      return "\(times) \(what)\(span): \(line.message)"
    }
  }

  private struct Entry {
    let shown: Duration
    /// The texts that were shown.
    var texts: [String]
    var times = 0
    /// The last line that was not shown, and its time.
    var line: Line
    var last: Duration
    var differ = false
    let sender: Sender
  }

  static var window: Duration { .seconds(10) }
  /// The most lines that are remembered, by their words.
  static var limit: Int { 256 }
  /// How many lines that differ only in their numbers are shown.
  static var variants: Int { 5 }

  /// By the text of lines without their numbers.
  private var entries: [Line: Entry] = [:]
  /// The level of the last shown line of each component.
  private var latest: [String?: Logger.Level] = [:]

  /// Notes a line; returns true if it is to be shown. `sender` logs the summary of its repetitions.
  mutating func take(_ line: Line, at time: Duration, from sender: Sender) -> Bool {
    let isShown = shows(line, at: time, from: sender)
    if isShown { latest[line.component] = line.level }
    return isShown
  }

  private mutating func shows(_ line: Line, at time: Duration, from sender: Sender) -> Bool {
    if line.level == .critical { return true }
    let shape = line.shape
    guard var entry = entries[shape] else {
      // With more different lines than that, remembering them is useless.
      if entries.count < Self.limit {
        entries[shape] = Entry(shown: time, texts: [line.message], line: line, last: time, sender: sender)
      }
      return true
    }
    defer { entries[shape] = entry }
    let isNews = latest[line.component] != line.level || !entry.texts.contains(line.message)
    if isNews, entry.texts.count < Self.variants {
      entry.texts.append(line.message)
      return true
    }
    entry.differ = entry.differ || entry.times > 0 && entry.line != line
    entry.times += 1
    entry.line = line
    entry.last = time
    return false
  }

  /// Forgets the lines whose time is over, or all lines, and returns their summaries, in the order in which the lines last came.
  mutating func settle(at time: Duration, all: Bool = false) -> [Sum] {
    let over = entries.filter { all || time >= $0.value.shown + Self.window }.sorted { $0.value.last < $1.value.last }
    for (shape, _) in over { entries[shape] = nil }
    if entries.isEmpty { latest = [:] }
    return over.compactMap { _, entry in
      entry.times == 0
        ? nil
        : Sum(
          line: entry.line, times: entry.times, within: min(Self.window, entry.last - entry.shown), differ: entry.differ,
          sender: entry.sender)
    }
  }

  /// When the next summary is due; nil if no line was repeated.
  var due: Duration? { entries.values.filter { $0.times > 0 }.map { $0.shown + Self.window }.min() }
}
