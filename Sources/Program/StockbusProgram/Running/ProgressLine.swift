import StockbusPlugin
import StockbusRuntime

/// `prices 42% · 1,203,311 events · 4.1M/s · 3 s left`, for sources that have an end; only on a terminal, and only after one second.
struct ProgressLine: Sendable {
  private let pipeline: Pipeline

  init(_ pipeline: Pipeline) { self.pipeline = pipeline }

  /// Shows the line until the task is cancelled, then removes it.
  func show() async {
    guard Console.canShowProgress else { return }
    let clock = SystemTimekeeper()
    let began = clock.uptime
    while (try? await clock.sleep(for: .milliseconds(500))) != nil {
      let elapsed = clock.uptime - began
      let parts = pipeline.progress.map {
        Self.text($0.component, $0.progress.done, $0.progress.total, events: $0.events, elapsed: elapsed)
      }
      if elapsed > .seconds(1), !parts.isEmpty { Console.show(progress: parts.joined(separator: "   ")) }
    }
    Console.show(progress: nil)
  }

  static func text(_ component: String, _ done: Int, _ total: Int?, events: Int, elapsed: Duration) -> String {
    let seconds = max(0.001, elapsed / .seconds(1))
    var text = component
    if let total, total > 0 { text += " \(min(100, done * 100 / total))%" }
    text += " · \(Ledger.grouped(events)) events · \(rate(Double(events) / seconds))/s"
    if let total, done > 0, done < total {
      let left = seconds / Double(done) * Double(total - done)
      text += " · " + (left < 90 ? "\(Int(left.rounded())) s left" : "\(Int((left / 60).rounded())) min left")
    }
    return text
  }

  static func rate(_ perSecond: Double) -> String {
    let units: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
    guard let (unit, letter) = units.first(where: { perSecond >= $0.0 }) else { return "\(Int(perSecond.rounded()))" }
    let tenths = Int((perSecond / unit * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)\(letter)"
  }
}
