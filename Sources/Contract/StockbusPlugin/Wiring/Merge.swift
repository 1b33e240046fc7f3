internal import EventBus

/// Orders the events of several inputs by their receipts; ties by the order of the inputs. An event is next when no input can bring an
/// earlier one any more, as its waiting event or its watermark shows. So the order does not depend on timing, unless an input has more
/// events with one receipt than its ring can hold: these are taken as they arrive.
enum Merge {
  /// The next events: the input's place, and how many of its waiting events, at most `limit`. Nil if the next event is not certain yet.
  /// The inlets follow their watermarks.
  static func next(_ inlets: [any AnyInlet], limit: Int) -> (place: Int, count: Int)? {
    guard let first = earliest(inlets) else { return nil }
    var bound = Int.max
    for (place, inlet) in inlets.enumerated() where place != first.place {
      // Of two events with the same receipt, the input listed first has the first one.
      let comesFirst = place < first.place
      if let receipt = inlet.nextReceipt() {
        bound = min(bound, comesFirst ? receipt - 1 : receipt)
      } else {
        let reached = inlet.reached
        bound = min(bound, comesFirst || reached == .max ? reached : reached + 1)
      }
    }
    if bound < first.receipt {
      // The awaited input may get its events from the same producer.
      guard isCrowded(inlets, at: first.receipt) else { return nil }
      bound = first.receipt
    }
    let count = inlets[first.place].count(receivedUpTo: bound, limit: limit)
    return count > 0 ? (first.place, count) : nil
  }

  /// True if the producer of an input whose next events have this receipt waits for room.
  private static func isCrowded(_ inlets: [any AnyInlet], at receipt: Int) -> Bool {
    for inlet in inlets where inlet.isCrowded && inlet.nextReceipt() == receipt { return true }
    return false
  }

  private static func earliest(_ inlets: [any AnyInlet]) -> (place: Int, receipt: Int)? {
    var first: (place: Int, receipt: Int)?
    for (place, inlet) in inlets.enumerated() {
      guard let receipt = inlet.nextReceipt() else { continue }
      if first.map({ receipt < $0.receipt }) ?? true { first = (place, receipt) }
    }
    return first
  }

  /// Prepares the inlets for a sleep after `next` has returned nil: an input without events wakes the reader when it has one, or when its
  /// watermark can make the next event certain. Returns the awaited time; `Int.max` if none.
  static func prepareToSleep(_ inlets: [any AnyInlet]) -> Int {
    let first = earliest(inlets)
    var wanted = Int.max
    for (place, inlet) in inlets.enumerated() {
      guard let first else {
        inlet.sleepUntil(watermark: .max, heeding: .all)
        continue
      }
      if let receipt = inlet.nextReceipt() {
        inlet.sleepUntil(watermark: .max, heeding: receipt == first.receipt ? .ifCrowded : .none)
        continue
      }
      let time = place < first.place ? first.receipt : first.receipt - 1
      // An input that has reached this time is not awaited. It must not be ready, or the reader would not sleep while it waits for another.
      let isWaitedFor = inlet.reached < time
      inlet.sleepUntil(watermark: isWaitedFor ? time : .max, heeding: .all)
      if isWaitedFor { wanted = min(wanted, time) }
    }
    return wanted
  }
}
