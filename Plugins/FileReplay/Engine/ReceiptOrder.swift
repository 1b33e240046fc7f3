internal import StockbusPlugin

/// Ensures that receipt times never decrease on the output, as readers that work with time require.
///
/// An event whose receipt time (or whose own time, where the recording has no receipt times) is at most `tolerance` before that of the
/// previous event gets the previous receipt time. One that is further back is left unchanged: then its time or the previous one is wrong.
struct ReceiptOrder {
  /// The tolerance of `EventClock`, in nanoseconds.
  private static var tolerance: Int64 { EventClock.tolerance }

  private var latest = Int64.min
  private let isNeeded: Bool

  /// - Parameter isNeeded: true if any component of the run works with time.
  init(isNeeded: Bool) { self.isNeeded = isNeeded }

  /// Sends a batch with its columns, one row behind the other.
  @inline(__always)
  mutating func send<E: ReplayEvent & Event>(_ batch: Span<E>, _ rows: Span<Int64>, into output: inout Outlet<E>) {
    if !rows.isEmpty { return sendRows(batch, rows, into: &output) }
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
  private mutating func sendRows<E: ReplayEvent & Event>(_ batch: Span<E>, _ rows: Span<Int64>, into output: inout Outlet<E>) {
    var events: [E] = []
    events.reserveCapacity(batch.count)
    for place in batch.indices { events.append(ordered(batch[place])) }
    output.send(events.span, rows: rows)
  }

  @inline(never)
  private mutating func sendOrdering<E: ReplayEvent & Event>(_ batch: Span<E>, into output: inout Outlet<E>) {
    for place in batch.indices { output.send(ordered(batch[place])) }
  }

  /// The event with a receipt time that is not before the last one's.
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
