internal import EventBus

/// The events of several inputs in the order of their receipts; ties in the order of the inputs. An event is next when no input can still
/// bring an earlier one, which its waiting event or its watermark says. So the order does not depend on timing, unless an input has more
/// events at one receipt than its ring holds: these are taken as they come.
enum Merge {
  /// The next events: the input's place, and how many of its waiting events, at most `limit`. Nil if the next event is not certain yet.
  /// The inlets follow their watermarks.
  static func next(_ inlets: [any AnyInlet], limit: Int) -> (place: Int, count: Int)? {
    guard let first = earliest(inlets) else { return nil }
    var bound = Int.max
    for (place, inlet) in inlets.enumerated() where place != first.place {
      // At the same receipt the input that is listed first comes first.
      let comesFirst = place < first.place
      if let receipt = inlet.nextReceipt() {
        bound = min(bound, comesFirst ? receipt - 1 : receipt)
      } else {
        let reached = inlet.reached
        bound = min(bound, comesFirst || reached == .max ? reached : reached + 1)
      }
    }
    let inlet = inlets[first.place]
    // With more events at one receipt than a ring holds, waiting for the others could last for ever.
    let count = inlet.count(receivedUpTo: inlet.isCrowded ? max(bound, first.receipt) : bound, limit: limit)
    return count > 0 ? (first.place, count) : nil
  }

  private static func earliest(_ inlets: [any AnyInlet]) -> (place: Int, receipt: Int)? {
    var first: (place: Int, receipt: Int)?
    for (place, inlet) in inlets.enumerated() {
      guard let receipt = inlet.nextReceipt() else { continue }
      if first.map({ receipt < $0.receipt }) ?? true { first = (place, receipt) }
    }
    return first
  }

  /// Prepares the inlets for a sleep after `next` has returned nil: inputs without events wake the reader when they have one, or when their
  /// watermarks make the next event certain. Returns the time that is waited for; `Int.max` if none.
  static func prepareToSleep(_ inlets: [any AnyInlet]) -> Int {
    let first = earliest(inlets)
    var wanted = Int.max
    for (place, inlet) in inlets.enumerated() {
      guard let first else {
        inlet.sleepUntil(watermark: .max, isMuted: false)
        continue
      }
      if inlet.nextReceipt() != nil {
        inlet.sleepUntil(watermark: .max, isMuted: true)
      } else {
        let time = place < first.place ? first.receipt : first.receipt - 1
        inlet.sleepUntil(watermark: time, isMuted: false)
        if inlet.reached < time { wanted = min(wanted, time) }
      }
    }
    return wanted
  }
}
