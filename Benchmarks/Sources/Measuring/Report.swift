/// The report of one repetition for the runner: a line of JSON on standard output.
///
/// All compared programs print the same lines, so that the runner checks them in the same way.
public struct Report: Sendable {
  private var members: [String] = []

  public init() {}

  public mutating func add(_ name: String, _ value: Int) { members.append("\"\(name)\":\(value)") }
  public mutating func add(_ name: String, _ value: Double) { members.append("\"\(name)\":\(value)") }
  public mutating func add(_ name: String, _ value: Bool) { members.append("\"\(name)\":\(value)") }

  public func print() { Swift.print("{\(members.joined(separator: ","))}") }
}

/// The times of round trips; the first quarter is the warm-up and is left out.
public struct Latencies: Sendable {
  private var nanoseconds: [Int64] = []

  public init(capacity: Int) { nanoseconds.reserveCapacity(capacity) }

  public var count: Int { nanoseconds.count }

  public mutating func add(_ value: Int64) { nanoseconds.append(value) }

  /// Median and tails, without the first quarter.
  public func report() -> Report {
    let sorted = nanoseconds[(nanoseconds.count / 4)...].sorted()
    var report = Report()
    report.add("trips", nanoseconds.count)
    report.add("p50", Int(sorted[sorted.count / 2]))
    report.add("p99", Int(sorted[sorted.count * 99 / 100]))
    report.add("p999", Int(sorted[sorted.count * 999 / 1000]))
    return report
  }
}
