internal import EventBus

/// Orders the events of several inputs by their receipts; ties by the order of the inputs. An event is next when no input can bring an
/// earlier one any more, as its waiting event or its watermark shows. So the order does not depend on timing, unless an input has more
/// events with one receipt than its ring can hold: these are taken as they arrive.
struct Merge: Sendable {
  private let inlets: [any AnyInlet]
  /// The same inlets, which are not retained for each event.
  private let readers: [Unmanaged<Reader>]

  init(_ inlets: [any AnyInlet]) {
    self.inlets = inlets
    readers = inlets.map { Unmanaged.passUnretained($0) }
  }

  /// The next events: the input's place, and how many of its waiting events, at most `limit`. Nil if the next event is not certain yet.
  /// The inlets follow their watermarks.
  func next(limit: Int) -> (place: Int, count: Int)? {
    var first: (place: Int, receipt: Int)?
    // The earliest receipts that inputs listed before and behind the first one may bring.
    var (before, behind) = (Int.max, Int.max)
    for place in readers.indices {
      let receipt = readers[place]._withUnsafeGuaranteedRef { $0.nextReceipt() }
      if let receipt, receipt < first?.receipt ?? .max {
        before = min(before, behind, first?.receipt ?? .max)
        behind = .max
        first = (place, receipt)
      } else {
        behind = min(behind, receipt ?? inlets[place].unreached)
      }
    }
    guard let first else { return nil }
    // Of two events with the same receipt, the input listed first has the first one.
    var bound = min(before == .max ? .max : before - 1, behind)
    if bound < first.receipt {
      // The awaited input may get its events from the same producer.
      guard isCrowded(at: first.receipt) else { return nil }
      bound = first.receipt
    }
    let count = readers[first.place]._withUnsafeGuaranteedRef { $0.count(receivedUpTo: bound, limit: limit) }
    return count > 0 ? (first.place, count) : nil
  }

  /// True if the producer of an input whose next events have this receipt waits for room.
  private func isCrowded(at receipt: Int) -> Bool {
    for inlet in inlets where inlet.isCrowded && inlet.nextReceipt() == receipt { return true }
    return false
  }

  private var earliest: (place: Int, receipt: Int)? {
    var first: (place: Int, receipt: Int)?
    for (place, inlet) in inlets.enumerated() {
      guard let receipt = inlet.nextReceipt() else { continue }
      if first.map({ receipt < $0.receipt }) ?? true { first = (place, receipt) }
    }
    return first
  }

  /// Prepares the inlets for a sleep after `next` has returned nil: an input without events wakes the reader when it has one, or when its
  /// watermark can make the next event certain. Returns the awaited time; `Int.max` if none.
  func prepareToSleep() -> Int {
    let first = earliest
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
