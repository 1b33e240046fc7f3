internal import StockbusPlugin

/// Sees to it that receipts never decrease on the output, as readers that work with time require.
///
/// An event that was received, or is dated where the recording has no receipts, at most `tolerance` before the one before it counts as
/// received with that one. One that is further back is left as it is: then the one before it, or it, has a wrong date.
struct ReceiptOrder {
  /// In nanoseconds; that of `EventClock`.
  private static var tolerance: Int64 { EventClock.tolerance }

  private var latest = Int64.min
  private let isNeeded: Bool

  /// - Parameter isNeeded: whether any component of the run works with time.
  init(isNeeded: Bool) { self.isNeeded = isNeeded }

  /// Sends a batch.
  @inline(__always)
  mutating func send<E: ReplayEvent & Event>(_ batch: Span<E>, into output: inout Outlet<E>) {
    if isNeeded { check(batch, into: &output) } else { output.send(contentsOf: batch) }
  }

  @inline(never)
  private mutating func check<E: ReplayEvent & Event>(_ batch: Span<E>, into output: inout Outlet<E>) {
    var latest = latest
    var place = 0
    // The index is in bounds, and the check would take as long as the comparison.
    while place < batch.count {
      let received = batch[unchecked: place].received.ns
      if received < latest { return sendOrdering(batch, into: &output) }
      latest = received
      place &+= 1
    }
    self.latest = latest
    output.send(contentsOf: batch)
  }

  @inline(never)
  private mutating func sendOrdering<E: ReplayEvent & Event>(_ batch: Span<E>, into output: inout Outlet<E>) {
    for place in batch.indices { output.send(ordered(batch[place])) }
  }

  /// The event with a receipt that is not before the last one's.
  @inline(__always)
  mutating func ordered<E: ReplayEvent>(_ event: E) -> E {
    if !isNeeded { return event }
    var event = event
    let received = event.received.ns
    // The largest time minus the smallest does not fit.
    let (behind, overflow) = latest.subtractingReportingOverflow(received)
    if received < latest, !overflow, behind <= Self.tolerance { event.received = Timestamp(ns: latest) } else { latest = received }
    return event
  }
}
