public import EventBus
public import MarketData

// The resident loops. They are isolated to the component, so that its method is a plain call, and inlinable, so that they are compiled
// where the component's type is known.

extension Processor {
  @inlinable
  func serve(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    try await inputs.serve(into: &output) { batch, _, output in try process(batch, into: &output) }
  }
}

extension LaneProcessor {
  @inlinable
  func serve(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    attend(to: inputs.inlets.map(\.name))
    try await inputs.serve(into: &output) { batch, place, output in try process(batch, from: place, into: &output) }
  }
}

extension InletGroup {
  /// Calls `process` with each batch and the place of its inlet, and publishes what it sends, until the inputs have ended.
  @inlinable @inline(__always)
  nonisolated(nonsending) func serve<Output: Event>(
    into output: inout Outlet<Output>, _ process: (Span<E>, Int, inout Outlet<Output>) throws -> Void
  ) async throws {
    guard var turn = firstTurn else { return }
    var quantum = Quantum(parker)
    repeat {
      let room = try await output.someRoom()
      let batch = turn.inlet.nextBatch(limit: min(room, turn.limit))
      if batch.count == 0 { continue }
      turn.inlet.begin(batch)
      memory.mark()
      do { try process(batch.span, turn.place, &output) } catch { throw output.rolledBack(memory, error) }
      try await output.flush()
      turn.inlet.finish(batch.count, filtered: output.takeFiltered())
      if quantum.isSpent(batch.count) { try await yield(stop) }
    } while try await nextTurn(&turn, &quantum)
  }
}

extension TimedProcessor {
  @inlinable
  func serveTimed(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    try await inputs.serveTimed(into: &output, due: { due }, advance: { time, output in try advance(to: time, into: &output) }) {
      batch, _, output in try process(batch, into: &output)
    }
  }
}

extension TimedLaneProcessor {
  @inlinable
  func serveTimed(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    attend(to: inputs.inlets.map(\.name))
    try await inputs.serveTimed(into: &output, due: { due }, advance: { time, output in try advance(to: time, into: &output) }) {
      batch, place, output in try process(batch, from: place, into: &output)
    }
  }
}

extension InletGroup {
  /// As `serve`; also calls `advance` when time has advanced and no event waits.
  @inlinable @inline(__always)
  nonisolated(nonsending) func serveTimed<Output: Event>(
    into output: inout Outlet<Output>, due: () -> Timestamp?, advance: (Timestamp, inout Outlet<Output>) throws -> Void,
    _ process: (Span<E>, Int, inout Outlet<Output>) throws -> Void
  ) async throws {
    guard var turn = firstTurn else { return }
    var quantum = Quantum(parker)
    var reported = Int.min
    while true {
      if hasNext(&turn) {
        let room = try await output.someRoom()
        let batch = turn.inlet.nextBatch(limit: min(room, turn.limit))
        if batch.count == 0 { continue }
        turn.inlet.begin(batch)
        memory.mark()
        do { try process(batch.span, turn.place, &output) } catch { throw output.rolledBack(memory, error) }
        try await output.flush()
        turn.inlet.finish(batch.count, filtered: output.takeFiltered())
        if quantum.isSpent(batch.count) { try await yield(stop) }
        continue
      }
      // No event waits, but time may have advanced.
      if let time = clock.timeToReport(after: reported) {
        reported = time
        try await output.advance(time, memory, advance)
        continue
      }
      if quantum.spinBudget.spins() { continue }
      if try await clock.sleepUntilReady(parker, stop, due: due(), &quantum.spinBudget) { return }
    }
  }
}

extension MultiProcessor {
  /// - Parameters:
  ///   - settle: `SettlingProcessor.settle`; nil for other processors, since a call that may wait costs as much as a short batch.
  ///   - join: see `JoiningProcessor.turn`.
  @inlinable
  func serve(
    _ handlers: [InputHandler<Self>.Attached], _ clock: InputClock, _ slot: Slot, _ output: inout Outlet<Output>,
    settling settle: Settling?, joining join: Turn?
  ) async throws {
    var quantum = Quantum(slot.parker)
    var reported = Int.min
    let held = handlers.map { Unmanaged.passUnretained($0) }
    defer { withExtendedLifetime(handlers) {} }
    while true {
      if let join {
        let count = join(self, try await output.someRoom(), &output)
        if count > 0 {
          try await output.flush()
          if quantum.isSpent(count) { try await yield(slot.stop) }
          continue
        }
      }
      if let next = clock.next(limit: maximumBatch) {
        let room = try await output.someRoom()
        let handler = held[next.place]
        let count: Int
        slot.context.memory.mark()
        do {
          count = try handler._withUnsafeGuaranteedRef { try $0.process(self, min(room, next.count), &output) }
          if let settle { try await settle(self, &output) }
        } catch { throw output.rolledBack(slot.context.memory, error) }
        try await output.flush()
        let filtered = output.takeFiltered()
        handler._withUnsafeGuaranteedRef { $0.finish(count, filtered) }
        if quantum.isSpent(count) { try await yield(slot.stop) }
        continue
      }
      if let time = clock.timeToReport(after: reported) {
        reported = time
        try await output.advance(time, slot.context.memory) { time, output in
          try advance(to: time, into: &output)
          if let settle { try await settle(self, &output) }
        }
        continue
      }
      if quantum.spinBudget.spins() { continue }
      if try await clock.sleepUntilReady(slot.parker, slot.stop, due: due, &quantum.spinBudget) { return }
    }
  }
}

extension Outlet {
  /// The number of events for which there is room, at least one; waits until there is room.
  @inlinable @inline(__always)
  nonisolated(nonsending) mutating func someRoom() async throws(CancellationError) -> Int {
    let room = room()
    if room > 0 { return room }
    try await waitForRoom()
    return self.room()
  }

  /// Discards the events sent and the values remembered in a call that threw, because its events may be delivered again; returns the error.
  @usableFromInline
  mutating func rolledBack(_ memory: Memory, _ error: any Error) -> any Error {
    rollback()
    memory.rollBack()
    return error
  }

  /// Sends the events that a component emits because time has advanced to `time`; none if it throws.
  @inlinable @inline(__always)
  nonisolated(nonsending) mutating func advance(
    _ time: Int, _ memory: Memory, _ advance: (Timestamp, inout Outlet<E>) async throws -> Void
  ) async throws {
    memory.mark()
    do { try await advance(Timestamp(ns: Int64(time)), &self) } catch { throw rolledBack(memory, error) }
    try await flush()
    _ = takeFiltered()
  }
}

extension AsyncProcessor {
  @inlinable
  func serve(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    guard var turn = inputs.firstTurn else { return }
    var quantum = Quantum(inputs.parker)
    repeat {
      let batch = turn.inlet.nextBatch(limit: turn.limit)
      if batch.count == 0 { continue }
      turn.inlet.begin(batch)
      do { try await process(batch.span, into: &output) } catch {
        output.rollback()
        throw error
      }
      try await output.flush()
      turn.inlet.finish(batch.count, filtered: output.takeFiltered())
      if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
    } while try await inputs.nextTurn(&turn, &quantum)
  }
}

extension Sink {
  @inlinable
  func serve(_ inputs: InletGroup<Input>) async throws {
    guard var turn = inputs.firstTurn else { return }
    // Merged inputs limit each turn to the events that are certain.
    if !inputs.isMerged, self is any RemoteSink { turn.limit = .max }
    var quantum = Quantum(inputs.parker)
    repeat {
      let batch = turn.inlet.nextBatch(limit: turn.limit)
      if batch.count == 0 { continue }
      turn.inlet.begin(batch)
      do { try await receive(batch.span) } catch {
        let taken = eventsTaken(error, of: batch.count)
        if taken > 0 { turn.inlet.finish(taken) }
        throw error
      }
      turn.inlet.finish(batch.count)
      if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
    } while try await inputs.nextTurn(&turn, &quantum)
  }
}

extension TimedSink {
  @inlinable
  func serveTimed(_ inputs: InletGroup<Input>) async throws {
    guard var turn = inputs.firstTurn else { return }
    var quantum = Quantum(inputs.parker)
    var reported = Int.min
    while true {
      if inputs.hasNext(&turn) {
        let batch = turn.inlet.nextBatch(limit: turn.limit)
        if batch.count == 0 { continue }
        turn.inlet.begin(batch)
        do { try await receive(batch.span) } catch {
          let taken = eventsTaken(error, of: batch.count)
          if taken > 0 { turn.inlet.finish(taken) }
          throw error
        }
        turn.inlet.finish(batch.count)
        if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
        continue
      }
      // No event waits, but time may have advanced.
      if let time = inputs.clock.timeToReport(after: reported) {
        reported = time
        try await advance(to: Timestamp(ns: Int64(time)))
        continue
      }
      if quantum.spinBudget.spins() { continue }
      if try await inputs.clock.sleepUntilReady(inputs.parker, inputs.stop, due: due, &quantum.spinBudget) { return }
    }
  }
}

/// The number of events of a batch that a sink took before it threw.
@usableFromInline
func eventsTaken(_ error: any Error, of count: Int) -> Int { min(max(0, (error as? any EnvironmentError)?.taken ?? 0), count) }

extension MultiSink {
  @inlinable
  func serve(_ handlers: [Handler<Self>.Attached], _ clock: InputClock, _ parker: Parker, stop: StopToken) async throws {
    var quantum = Quantum(parker)
    while true {
      var worked = false
      for handler in handlers {
        let n = try handler.drain(self)
        if n == 0 { continue }
        worked = true
        if quantum.isSpent(n) { try await yield(stop) }
      }
      if worked {
        try await settle()
        continue
      }
      if quantum.spinBudget.spins() { continue }
      if try await clock.sleepUntilReady(parker, stop, due: nil, &quantum.spinBudget) { return }
    }
  }
}
