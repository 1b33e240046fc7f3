package import MarketData

/// A position from its first fill until it is closed: a trade in everyday language.
package struct RoundTrip: Hashable, Sendable {
  package var symbol: Symbol
  /// `buy` if the position was long.
  package var side: Side
  /// The times of the first fill and of the closing one; the latter is nil while the trip is open.
  package var opened: Timestamp
  package var closed: Timestamp?
  /// The largest position.
  package var quantity: Quantity
  package var fills: Int
  package var realised: Amount
  package var fees: Amount

  /// The profit or loss.
  package var profit: Amount { realised.subtractingClamped(fees) }
}

/// Builds round trips from fills.
///
/// A fill through zero closes one trip and opens the next; its fee belongs to the closed one.
struct RoundTripBuilder {
  private(set) var closed: [RoundTrip] = []
  private var open: [Symbol: RoundTrip] = [:]

  /// The open round trips, in the order of their opening.
  var stillOpen: [RoundTrip] { open.values.sorted { ($0.opened, $0.symbol) < ($1.opened, $1.symbol) } }

  mutating func take(_ fill: Fill) {
    let signed = fill.side == .buy ? fill.quantity.raw : -fill.quantity.raw
    let after = fill.position.raw
    let (before, overflow) = after.subtractingReportingOverflow(signed)
    if overflow { return }
    let isClosed = after == 0 || (after > 0) != (before > 0)
    var fee = fill.fee
    if before != 0 {
      // Fills that begin in the middle of a position also form a trip.
      var trip = open[fill.symbol] ?? trip(fill, before)
      trip.fills += 1
      trip.realised = trip.realised.addingClamped(fill.realised)
      trip.fees = trip.fees.addingClamped(fee)
      let largest = isClosed ? before.magnitude : max(before.magnitude, after.magnitude)
      trip.quantity = max(trip.quantity, Quantity(raw: Int64(clamping: largest)))
      fee = .zero
      open[fill.symbol] = isClosed ? nil : trip
      if isClosed {
        trip.closed = fill.time
        closed.append(trip)
      }
    }
    if after != 0, before == 0 || isClosed {
      var trip = trip(fill, after)
      trip.fills = 1
      trip.fees = fee
      open[fill.symbol] = trip
    }
  }

  /// A new round trip with this position.
  private func trip(_ fill: Fill, _ position: Int64) -> RoundTrip {
    RoundTrip(
      symbol: fill.symbol, side: position > 0 ? .buy : .sell, opened: fill.time, closed: nil,
      quantity: Quantity(raw: Int64(clamping: position.magnitude)), fills: 0, realised: .zero, fees: .zero)
  }
}
