internal import MarketData

/// How fast a replay runs.
enum ReplaySpeed: Hashable, Sendable {
  /// As fast as downstream accepts the events.
  case max
  /// A multiple of the speed of the recording; above 0.
  case times(Quantity)

  /// `max`, `1x`, `2.5x`; nil for anything else.
  init?(_ text: String) {
    if text == "max" {
      self = .max
      return
    }
    guard text.hasSuffix("x"), let factor = try? Quantity(String(text.dropLast())), factor.raw > 0 else { return nil }
    self = .times(factor)
  }
}

/// Computes when events are due; the caller waits.
struct Pacing: Hashable, Sendable {
  let speed: ReplaySpeed
  /// The time of the first event; the others are due relative to it.
  let first: Timestamp

  /// How long after the start an event is due; zero at full speed and for events before the first.
  func due(_ time: Timestamp) -> Duration {
    guard case .times(let factor) = speed, time > first else { return .zero }
    let elapsed = Int128(time.ns) - Int128(first.ns)
    // A century stands for an unlimited time, and adding it to a clock does not overflow.
    let ns = min(elapsed * 1_000_000_000 / Int128(factor.raw), 100 * 366 * 86_400 * 1_000_000_000)
    return .nanoseconds(ns)
  }

  /// How long to wait before an event when `elapsed` has passed since the start; zero if the event is due or late.
  func wait(before time: Timestamp, elapsed: Duration) -> Duration {
    let due = due(time)
    return due > elapsed ? due - elapsed : .zero
  }
}
