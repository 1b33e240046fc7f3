public import EventBus

/// A component's inputs of one event type: inlets that share a parker.
@usableFromInline package struct InletGroup<E: Event>: Sendable {
  @usableFromInline package let inlets: [Inlet<E>]
  @usableFromInline let parker: Parker
  @usableFromInline let stop: StopToken
  /// The same inlets without their type.
  @usableFromInline let erased: [any AnyInlet]

  @inlinable
  init(_ inlets: [any AnyInlet], _ parker: Parker, stop: StopToken) {
    self.parker = parker
    self.stop = stop
    erased = inlets
    self.inlets = inlets.map { inlet in
      guard let inlet = inlet as? Inlet<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return inlet
    }
  }

  /// A turn for the first inlet; nil if there is none.
  @inlinable
  var firstTurn: Turn<E>? { inlets.first.map { Turn($0) } }

  /// Passes the turn to the next inlet that is ready. While none is, spins a little and then sleeps. Returns true when all inputs have
  /// ended or the reader is to hand over.
  @inlinable @inline(__always)
  nonisolated(nonsending) func ended(_ turn: inout Turn<E>, _ quantum: inout Quantum) async throws(CancellationError) -> Bool {
    repeat {
      if inlets.count > 1 { pass(&turn) }
      if turn.inlet.isReady { return false }
      turn.inlet.prefetch()
    } while quantum.spinBudget.spins()
    return try await sleepUntilReady(erased, parker, stop, &quantum.spinBudget)
  }

  /// Passes the turn to the next inlet that is ready, which may be the same one; if none is, to the next.
  @inlinable
  func pass(_ turn: inout Turn<E>) {
    for _ in inlets.indices {
      turn.place = turn.place + 1 < inlets.count ? turn.place + 1 : 0
      if inlets[turn.place].isReady { break }
    }
    turn.inlet = inlets[turn.place]
  }
}

/// Sleeps until one of the inlets is ready. Returns true when all have ended or the reader is to hand over; throws if the reader is cut off
/// or the task is cancelled.
@inline(never)
@usableFromInline
nonisolated(nonsending) func sleepUntilReady(
  _ inlets: [any AnyInlet], _ parker: Parker, _ stop: StopToken, _ spinBudget: inout SpinBudget
) async throws(CancellationError) -> Bool {
  if stop.isCutOff || Task.isCancelled { throw CancellationError() }
  // Checked first: a reader that is to hand over returns without waiting for the end of its inputs.
  if stop.isQuiescing || areFinished(inlets) { return true }
  for inlet in inlets { inlet.announce() }
  parker.fence()
  var hasNews = areFinished(inlets)
  for inlet in inlets where inlet.isReady { hasNews = true }
  spinBudget.gaveUp(inVain: !hasNews)
  if !hasNews { await parker.sleep() }
  for inlet in inlets { inlet.retract() }
  return false
}

/// Yields the thread after a slice of time; throws if the reader was cut off or the task was cancelled meanwhile.
@inline(never)
@usableFromInline
nonisolated(nonsending) func yield(_ stop: StopToken) async throws(CancellationError) {
  await Task.yield()
  if stop.isCutOff || Task.isCancelled { throw CancellationError() }
}

// Loops, because closures and key paths over existentials allocate, and this runs at every sleep.
private func areFinished(_ inlets: [any AnyInlet]) -> Bool {
  for inlet in inlets where !inlet.isFinished { return false }
  return true
}
