public import EventBus

/// A component's inputs of one event type: inlets that share a parker.
@usableFromInline package struct InletGroup<E: Event>: Sendable {
  @usableFromInline package let inlets: [Inlet<E>]
  @usableFromInline let parker: Parker
  @usableFromInline let stop: StopToken
  /// The same inlets without their type, and their handling of time.
  @usableFromInline let clock: InputClock
  /// True if the events of all inlets come in the order of their receipts.
  @usableFromInline let isMerged: Bool
  /// The component's memory between instances.
  @usableFromInline let memory: Memory

  /// - Parameter clock: the clock of the same inlets.
  @inlinable
  init(_ inlets: [any AnyInlet], _ parker: Parker, stop: StopToken, clock: InputClock, memory: Memory) {
    self.memory = memory
    self.parker = parker
    self.stop = stop
    self.clock = clock
    isMerged = clock.isMerging
    self.inlets = inlets.map { inlet in
      guard let inlet = inlet as? Inlet<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return inlet
    }
  }

  /// A turn for the first inlet; nil if there is none. If the inputs are merged, its batch is empty.
  @inlinable
  var firstTurn: Turn<E>? { inlets.first.map { Turn($0, limit: isMerged ? 0 : maximumBatch) } }

  /// Passes the turn to the next ready inlet. While none is ready, spins a little and then sleeps. Returns false when all inputs have ended
  /// or the reader is to hand over.
  @inlinable @inline(__always)
  nonisolated(nonsending) func nextTurn(_ turn: inout Turn<E>, _ quantum: inout Quantum) async throws(CancellationError) -> Bool {
    repeat {
      if hasNext(&turn) { return true }
      turn.inlet.prefetch()
    } while quantum.spinBudget.spins()
    return try await !clock.sleepUntilReady(parker, stop, due: nil, &quantum.spinBudget)
  }

  /// Passes the turn to the next inlet, if there are several; returns true if a batch waits.
  @inlinable @inline(__always)
  func hasNext(_ turn: inout Turn<E>) -> Bool {
    if inlets.count > 1 {
      if isMerged { return merge(&turn) }
      pass(&turn)
    }
    return turn.inlet.isReady
  }

  /// Passes the turn to the inlet with the earliest event, if that is certain.
  @usableFromInline
  func merge(_ turn: inout Turn<E>) -> Bool {
    guard let next = clock.merge.next(limit: maximumBatch) else {
      turn.limit = 0
      return false
    }
    turn.place = next.place
    turn.inlet = inlets[next.place]
    turn.limit = next.count
    return true
  }

  /// Passes the turn to the next ready inlet, which may be the same one; if none is ready, to the next inlet.
  @inlinable
  func pass(_ turn: inout Turn<E>) {
    for _ in inlets.indices {
      turn.place = turn.place + 1 < inlets.count ? turn.place + 1 : 0
      if inlets[turn.place].isReady { break }
    }
    turn.inlet = inlets[turn.place]
  }
}

/// Yields the thread after a slice of time; throws if the reader was cut off or the task was cancelled meanwhile.
@inline(never)
@usableFromInline
nonisolated(nonsending) func yield(_ stop: StopToken) async throws(CancellationError) {
  await Task.yield()
  if stop.isCutOff || Task.isCancelled { throw CancellationError() }
}
