/// Limits the log lines of a program: some at once, and then some per second. Others are counted.
struct LineAllowance {
  static let burst = 100
  static let rate = 10

  private var left = Double(burst)
  private var refilled: Duration
  private var omitted = 0

  init(at time: Duration) { refilled = time }

  /// True if a line may be logged; `omitted` are the unlogged lines before it.
  mutating func take(at time: Duration) -> (isAllowed: Bool, omitted: Int) {
    left = min(Double(Self.burst), left + (time - refilled) / .seconds(1) * Double(Self.rate))
    refilled = time
    guard left >= 1 else {
      omitted += 1
      return (false, 0)
    }
    left -= 1
    defer { omitted = 0 }
    return (true, omitted)
  }

  /// The lines at the end that were not logged.
  mutating func takeOmitted() -> Int {
    defer { omitted = 0 }
    return omitted
  }
}
