public import EventBus
public import MarketData

// One instance of a component and its work in its slot, from start to end. Inlinable, so that the resident loops are compiled where the
// component's type is known.

/// How an instance has ended without failing.
@usableFromInline package enum Ending: Sendable, Hashable {
  /// All inputs have ended, or a source has no more events.
  case ended
  /// Another instance is to continue in its place.
  case handedOver
}

/// The life of an instance: start, work, and stop, whatever happens.
@inlinable
nonisolated(nonsending) func live<P: Component>(_ component: P, in slot: Slot, _ work: () async throws -> Ending) async throws -> Ending {
  guard let executor = ownExecutor(of: component, in: slot) else { return try await liveHere(component, in: slot, work) }
  return try await withTaskExecutorPreference(executor) { try await liveHere(component, in: slot, work) }
}

@inlinable
nonisolated(nonsending) func liveHere<P: Component>(
  _ component: P, in slot: Slot, _ work: () async throws -> Ending
) async throws -> Ending {
  let ending: Ending
  await component.countTime(of: slot)
  do {
    try await component.start()
    slot.began(component)
    let background = startBackground(component, in: slot)
    do { ending = try await work() } catch {
      await endBackground(background)
      throw error
    }
    await endBackground(background)
  } catch {
    slot.ended()
    await component.stop()
    throw error
  }
  slot.ended()
  await component.stop()
  return ending
}

extension Component {
  /// Isolated, because only a job of an executor knows on which executor it runs.
  @usableFromInline
  func countTime(of slot: Slot) { BlockingExecutor.count(in: slot.context.busy) }
}

/// Unstructured only in form: `live` starts this task and awaits its end on every path.
@usableFromInline
func startBackground(_ component: any Component, in slot: Slot) -> Task<Void, Never>? {
  guard let component = component as? any BackgroundComponent else { return nil }
  let executor: (any TaskExecutor)? = (component as? any ThreadedComponent)?.ownExecutor ?? slot.context.helpers
  return Task(executorPreference: executor) { await component.background() }
}

/// The executor of a component's tasks, which counts their time from now on; nil if they run on the run's workers, which count it anyway.
@usableFromInline
func ownExecutor(of component: any Component, in slot: Slot) -> (any TaskExecutor)? {
  let executor = (component as? any ThreadedComponent)?.ownExecutor
  executor?.count(in: slot.context.busy)
  return executor
}

@usableFromInline
func endBackground(_ background: Task<Void, Never>?) async {
  background?.cancel()
  await background?.value
}

/// Runs `body`, which sends the events held back. Wraps its error as a `DrainError`, because these events are then lost.
@inlinable
nonisolated(nonsending) func drained(_ body: () async throws -> Void) async throws {
  do { try await body() } catch { throw DrainError.of(error) }
}

extension Slot {
  /// Takes the writing end of the component's output.
  @inlinable
  func outlet<E: Event>(of _: E.Type) -> Outlet<E> {
    Outlet(topic(of: E.self), waitsWhenCancelled: true, stop: stop, passing: columns)
  }

  /// The output with its type; the same blueprint has created it.
  @inlinable
  func topic<E: Event>(of _: E.Type) -> Topic<E> {
    guard let topic = output as? Topic<E> else { preconditionFailure("the wiring gave a topic of another type") }
    return topic
  }

  /// - Parameter passesOn: the watermark of the inputs is also that of the output.
  @usableFromInline
  func inputClock(
    _ inlets: [any AnyInlet], isTimed: Bool, passesOn: Bool, relay: (@Sendable (Timestamp) -> Void)? = nil
  ) -> InputClock {
    // Inputs that were rewired since are new.
    let columns = columns
    if !columns.layout.isEmpty {
      columns.forgetTopic()
      for inlet in inlets { inlet.columns = columns }
    }
    return InputClock(
      inlets, output: passesOn ? output : nil, isTimed: isTimed, isMerging: isTimed || mergesInputs, context, relay: relay)
  }

  /// Serves the inputs, all of one type, until they have ended or another instance is to continue. If the slot is rewired, it continues
  /// with the new inputs.
  @inlinable
  nonisolated(nonsending) func serve<E: Event>(
    _: E.Type, isTimed: Bool = false, passesOn: Bool = true, relay: (@Sendable (Timestamp) -> Void)? = nil,
    _ body: (InletGroup<E>) async throws -> Void
  ) async throws -> Ending {
    while true {
      let inlets = inlets
      let clock = inputClock(inlets, isTimed: isTimed, passesOn: passesOn, relay: relay)
      try await body(InletGroup(inlets, parker, stop: stop, clock: clock, memory: context.memory))
      switch try await pause() {
      case .ended: return .ended
      case .leaving: return .handedOver
      case .servingOn: continue
      }
    }
  }
}

/// Passes the time to a relay; nil for a component that passes no time on. Called on the component's own executor.
@usableFromInline
func relayOfTime(_ component: any Component) -> (@Sendable (Timestamp) -> Void)? {
  guard let relay = component as? any TimedRelay else { return nil }
  return { time in relay.assumeIsolated { $0.advance(to: time) } }
}

extension Sink {
  /// A sink's work, and the receiving half of a relay's.
  @inlinable
  nonisolated(nonsending) func serveAll(_ slot: Slot) async throws -> Ending {
    let relay = relayOfTime(self)
    let ending = try await slot.serve(Input.self, passesOn: relay != nil, relay: relay) { inputs in try await serve(inputs) }
    try await drained { ending == .ended ? try await drain() : try await handOver() }
    return ending
  }
}

extension TimedSink {
  /// The work of a sink that gets time if its settings need it.
  @inlinable
  nonisolated(nonsending) func serveAll(_ slot: Slot, isTimed: Bool) async throws -> Ending {
    if !isTimed { return try await serveAll(slot) }
    let ending = try await slot.serve(Input.self, isTimed: true, passesOn: false) { inputs in try await serveTimed(inputs) }
    try await drained { ending == .ended ? try await drain() : try await handOver() }
    return ending
  }
}

extension MultiProcessor {
  @inlinable
  nonisolated(nonsending) func serveAll(
    _ slot: Slot, _ output: inout Outlet<Output>, settling settle: Settling?, joining join: (@Sendable ([any AnyInlet]) -> Turn?)?
  ) async throws -> Ending {
    while true {
      var attached = slot.inlets.compactMap { inlet in Self.handlers.first { $0.type == inlet.eventType }?.attach(inlet) }
      precondition(attached.count == slot.inlets.count, "the wiring gave a topic of another type")
      if join != nil, let first = Self.handlers.first?.type {
        attached = attached.filter { $0.inlet.eventType == first } + attached.filter { $0.inlet.eventType != first }
      }
      let clock = slot.inputClock(attached.map(\.inlet), isTimed: true, passesOn: true)
      try await serve(attached, clock, slot, &output, settling: settle, joining: join?(slot.inlets))
      let pause = try await slot.pause()
      if pause == .servingOn { continue }
      try await drained {
        if pause == .ended { try await drain(into: &output) } else { try await handOver(into: &output) }
        if let settle { try await settle(self, &output) }
      }
      try await output.flush()
      return pause == .ended ? .ended : .handedOver
    }
  }
}

extension MultiSink {
  @inlinable
  nonisolated(nonsending) func serveAll(_ slot: Slot) async throws -> Ending {
    while true {
      let attached = slot.inlets.compactMap { inlet in Self.handlers.first { $0.type == inlet.eventType }?.attach(inlet) }
      precondition(attached.count == slot.inlets.count, "the wiring gave a topic of another type")
      let clock = slot.inputClock(attached.map(\.inlet), isTimed: false, passesOn: false)
      try await serve(attached, clock, slot.parker, stop: slot.stop)
      let pause = try await slot.pause()
      if pause == .servingOn { continue }
      try await drained { pause == .ended ? try await drain() : try await handOver() }
      return pause == .ended ? .ended : .handedOver
    }
  }
}

/// True if a source is cancelled because another instance is to continue, and not because the run stops.
@usableFromInline
func isHandingOver(_ slot: Slot) -> Bool { slot.isLeaving && Task.isCancelled }

@usableFromInline
func isHandOver(_ error: any Error, _ slot: Slot) -> Bool { error is CancellationError && isHandingOver(slot) }
