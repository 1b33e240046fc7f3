import StockbusConfig
import StockbusFiles
import StockbusPlugin

/// Something that goes wrong during a test, at a time since its start.
struct TestFault: Sendable {
  enum Kind: Sendable, Hashable {
    /// The events of a source do not come.
    case disconnect
    /// They come at the end of the time, all at once.
    case stall
    /// They cannot be read.
    case malformed
    /// They come twice.
    case duplicate
    /// They come at the end of the time, the last one first.
    case reorder
    /// The instance of a component fails.
    case crash
    /// Nothing can be written to files.
    case fullDisk
    /// The time of day is set forward or back.
    case clock(Duration)
  }

  let kind: Kind
  /// The component; nil for the machine.
  let component: String?
  /// From the first to before the second; both are the same for what takes no time.
  let from: Duration
  let until: Duration
  let mark: ConfigNode.Mark

  func isOn(at moment: Duration) -> Bool { from <= moment && moment < until }

  private static let words: [(word: String, kind: Kind)] = [
    ("disconnect", .disconnect), ("stall", .stall), ("malformed", .malformed), ("duplicate", .duplicate), ("reorder", .reorder),
    ("crash", .crash),
  ]

  /// Reads `{ at: 3m, trades: disconnect, for: 20s }`, `{ at: 5m, disk: full, for: 10s }` or `{ at: 1h, clock: -2h }`.
  static func read(_ node: ConfigNode, _ problems: inout Problems) -> TestFault? {
    guard case .map(let entries) = node.value else {
      problems.add("a fault is a mapping such as { at: 3m, trades: disconnect, for: 20s }, got \(node.kind)", at: node.mark)
      return nil
    }
    let subjects = entries.filter { $0.key != "at" && $0.key != "for" }
    guard let at = node["at"].flatMap({ TestInput.offset($0, "at", &problems) }), subjects.count == 1, let subject = subjects.first else {
      if node["at"] == nil { problems.add("the fault has no 'at': the time since the start of the test, such as 3m", at: node.mark) }
      if subjects.count != 1 { problems.add("a fault names one component, 'disk' or 'clock', and what is wrong with it", at: node.mark) }
      return nil
    }
    guard let kind = kind(of: subject, &problems) else { return nil }
    var length = Duration.zero
    if kind.takesTime {
      guard let written = node["for"] else {
        problems.add("the fault has no 'for': how long it lasts, such as 20s", at: node.mark)
        return nil
      }
      guard let read = TestInput.offset(written, "for", &problems) else { return nil }
      length = read
    } else if let written = node["for"] {
      problems.add("this fault has no 'for': it takes no time", at: written.mark)
    }
    let isOfMachine = subject.key == "disk" || subject.key == "clock"
    return TestFault(kind: kind, component: isOfMachine ? nil : subject.key, from: at, until: at + length, mark: subject.mark)
  }

  private static func kind(of subject: ConfigNode.Entry, _ problems: inout Problems) -> Kind? {
    let word = subject.value.word ?? ""
    switch subject.key {
    case "disk":
      if word == "full" { return .fullDisk }
      problems.add("'disk' can be full, got \(subject.value.kind)", at: subject.value.mark)
    case "clock":
      let text = word.first == "-" || word.first == "+" ? String(word.dropFirst()) : word
      if let step = try? Duration(option: text) { return .clock(word.first == "-" ? .zero - step : step) }
      problems.add("'clock' must be how far it is set, such as 2h or -90s, got \(subject.value.kind)", at: subject.value.mark)
    default:
      if let found = words.first(where: { $0.word == word }) { return found.kind }
      let known = words.map(\.word)
      problems.add(
        "unknown fault \(subject.value.kind)\(didYouMean(word, among: known, otherwise: "; there are \(known.joined(separator: ", "))"))",
        at: subject.value.mark)
    }
    return nil
  }
}

extension TestFault.Kind {
  /// True if it lasts for some time.
  var takesTime: Bool {
    switch self {
    case .crash, .clock: false
    case .disconnect, .stall, .malformed, .duplicate, .reorder, .fullDisk: true
    }
  }

  /// True if it happens to a source.
  var isOfSource: Bool {
    switch self {
    case .disconnect, .stall, .malformed, .duplicate, .reorder: true
    case .crash, .fullDisk, .clock: false
    }
  }
}

/// When things happen in a test, for its sources.
struct TestScript: Service {
  static let fallback = TestScript(start: Timestamp(ns: 0), faults: [], end: .zero, isTimed: false)

  let start: Timestamp
  let faults: [TestFault]
  /// When the sources end, if their events have ended before.
  let end: Duration
  /// False if events come as fast as they are read.
  let isTimed: Bool

  /// How long before the test the run begins: its regular work then never coincides with events at whole seconds, so that the order is always
  /// the same.
  static let lead = Duration.microseconds(500)

  /// The time since the start of the test, if the clock is not set.
  func moment(of time: Timestamp) -> Duration { .nanoseconds(time.ns.subtractingSaturating(start.ns)) }
}
