internal import MarketData

/// How fast a replay runs.
enum ReplaySpeed: Hashable, Sendable {
  /// As fast as its events are taken.
  case max
  /// So many times as fast as it was recorded; above 0.
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

/// When events are due, as a calculation: the waiting is the caller's.
struct Pacing: Hashable, Sendable {
  let speed: ReplaySpeed
  /// The first event's time, from which the others are counted.
  let first: Timestamp

  /// How long after the start an event is due; zero at full speed and for events before the first.
  func due(_ time: Timestamp) -> Duration {
    guard case .times(let factor) = speed, time > first else { return .zero }
    let elapsed = Int128(time.ns) - Int128(first.ns)
    // A century is for ever, and adding it to a clock overflows nothing.
    let ns = min(elapsed * 1_000_000_000 / Int128(factor.raw), 100 * 366 * 86_400 * 1_000_000_000)
    return .nanoseconds(ns)
  }

  /// How long to wait before an event when `elapsed` has gone by since the start; zero where it is due or late.
  func wait(before time: Timestamp, elapsed: Duration) -> Duration {
    let due = due(time)
    return due > elapsed ? due - elapsed : .zero
  }
}
