public import EventBus

// The resident loops. They are isolated to the component, so that its method is a plain call, and inlinable, so that they are compiled
// where the component's type is known.

extension Processor {
  @inlinable
  func serve(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    guard var turn = inputs.firstTurn else { return }
    var quantum = Quantum(inputs.parker)
    repeat {
      var room = output.room()
      if room == 0 {
        try await output.waitForRoom()
        room = output.room()
      }
      let batch = turn.inlet.nextBatch(limit: min(room, maximumBatch))
      if batch.count == 0 { continue }
      turn.inlet.begin(batch.count)
      do { try process(batch.span, into: &output) } catch {
        output.rollback()
        throw error
      }
      try await output.flush()
      turn.inlet.finish(batch.count, filtered: output.takeFiltered())
      if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
    } while try await !inputs.ended(&turn, &quantum)
  }
}

extension AsyncProcessor {
  @inlinable
  func serve(_ inputs: InletGroup<Input>, _ output: inout Outlet<Output>) async throws {
    guard var turn = inputs.firstTurn else { return }
    var quantum = Quantum(inputs.parker)
    repeat {
      let batch = turn.inlet.nextBatch(limit: maximumBatch)
      if batch.count == 0 { continue }
      turn.inlet.begin(batch.count)
      do { try await process(batch.span, into: &output) } catch {
        output.rollback()
        throw error
      }
      try await output.flush()
      turn.inlet.finish(batch.count, filtered: output.takeFiltered())
      if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
    } while try await !inputs.ended(&turn, &quantum)
  }
}

extension Sink {
  @inlinable
  func serve(_ inputs: InletGroup<Input>) async throws {
    guard var turn = inputs.firstTurn else { return }
    var quantum = Quantum(inputs.parker)
    repeat {
      let batch = turn.inlet.nextBatch(limit: maximumBatch)
      if batch.count == 0 { continue }
      turn.inlet.begin(batch.count)
      do { try await receive(batch.span) } catch {
        let taken = eventsTaken(error, of: batch.count)
        if taken > 0 { turn.inlet.finish(taken) }
        throw error
      }
      turn.inlet.finish(batch.count)
      if quantum.isSpent(batch.count) { try await yield(inputs.stop) }
    } while try await !inputs.ended(&turn, &quantum)
  }
}

/// How many events of a batch a sink has taken before it threw.
@usableFromInline
func eventsTaken(_ error: any Error, of count: Int) -> Int { min(max(0, (error as? any EnvironmentError)?.taken ?? 0), count) }

extension MultiSink {
  @inlinable
  func serve(_ handlers: [Handler<Self>.Attached], _ parker: Parker, stop: StopToken) async throws {
    var quantum = Quantum(parker)
    let inlets = handlers.map(\.inlet)
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
      if try await sleepUntilReady(inlets, parker, stop, &quantum.spinBudget) { return }
    }
  }
}
