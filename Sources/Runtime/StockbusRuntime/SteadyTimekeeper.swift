package import StockbusPlugin

/// The clock of a run: its time of day never goes back.
///
/// It follows the machine's clock. When that is set back, `now` continues from its last value, at the pace of `uptime`, and is ahead of the
/// machine's clock until that is set forward again or the run ends. When the machine's clock is set forward, `now` follows. The log reports
/// each step once. A step of at most `tolerance` is not logged, and `now` stands still for as long.
package final class SteadyTimekeeper: Timekeeper {
  private struct State: Sendable {
    /// The last time of day, in nanoseconds since the epoch.
    var now: Int64
    /// The machine's time of day minus `uptime`, which only a step changes: time services correct both alike while they adjust the pace.
    var offset: Int64
    /// How far `now` is ahead of the machine's clock.
    var lead: Int64 = 0
  }

  /// A leap second, or a correction that is not worth a warning; in nanoseconds.
  static let tolerance: Int64 = 1_500_000_000

  package let machine: any Timekeeper
  private let logger: Logger
  private let state: Guarded<State>

  /// - Parameter machine: a clock whose `now` may be set back, but not its `uptime`.
  package init(_ machine: any Timekeeper, _ logger: Logger) {
    self.machine = machine
    self.logger = logger
    let (time, offset) = Self.read(machine)
    state = Guarded(State(now: time, offset: offset))
  }

  package var uptime: Duration { machine.uptime }
  package var wall: Timestamp { machine.now }

  package func sleep(until deadline: Duration) async throws(CancellationError) { try await machine.sleep(until: deadline) }

  package var now: Timestamp {
    let (now, text) = state.withLock { state -> (Int64, String?) in
      var (time, offset) = Self.read(machine)
      var step = offset &- state.offset
      if step.magnitude > Self.tolerance.magnitude {
        // A thread that was delayed between the two readings sees a step where there is none.
        (time, offset) = Self.read(machine)
        step = offset &- state.offset
      }
      state.offset = offset
      var text: String?
      if step.magnitude > Self.tolerance.magnitude {
        let lead = max(0, state.lead &- step)
        text = Self.text(step, to: time, leads: state.lead, lead)
        state.lead = lead
      }
      state.now = max(state.now, time &+ state.lead)
      return (state.now, text)
    }
    if let text { logger.warning("\(text)") }
    return Timestamp(ns: now)
  }

  private static func read(_ machine: any Timekeeper) -> (time: Int64, offset: Int64) {
    let uptime = machine.uptime.wholeNanoseconds
    let time = machine.now.ns
    return (time, time &- uptime)
  }

  private static func text(_ step: Int64, to time: Int64, leads before: Int64, _ lead: Int64) -> String {
    func rough(_ nanoseconds: Int64) -> String { Duration.nanoseconds(nanoseconds).roughText }
    let moment = Timestamp(ns: time / 1_000_000_000 * 1_000_000_000)
    let start = "the machine's clock was set \(step < 0 ? "back" : "forward") by \(rough(abs(step))), to \(moment)"
    if lead > tolerance {
      return start + "; receive times stay \(rough(lead)) ahead of it, until it is set forward or the run is restarted"
    }
    if before > 0 { return start + "; receive times follow it again" }
    return start + ", or the machine was suspended; receive times follow, so everything that was due in between is due now"
  }
}
