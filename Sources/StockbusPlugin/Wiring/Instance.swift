public import EventBus

// One instance of a component: what it does in its slot, from start to end. Inlinable, so that the resident loops are compiled where the
// component's type is known.

/// How an instance has ended without failing.
@usableFromInline package enum Ending: Sendable, Hashable {
  /// All inputs have ended, or a source has no more events.
  case ended
  /// Another instance is to continue in its place.
  case handedOver
}

/// The life of an instance: start, work, and stop whatever happened.
@inlinable
nonisolated(nonsending) func live<P: Component>(_ component: P, in slot: Slot, _ work: () async throws -> Ending) async throws -> Ending {
  let ending: Ending
  do {
    try await component.start()
    slot.began(component)
    let background = startBackground(component)
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

/// Unstructured only in form: `live` starts this task and awaits its end on every path.
@usableFromInline
func startBackground(_ component: any Component) -> Task<Void, Never>? {
  guard let component = component as? any BackgroundComponent else { return nil }
  return Task { await component.background() }
}

@usableFromInline
func endBackground(_ background: Task<Void, Never>?) async {
  background?.cancel()
  await background?.value
}

/// Runs `body`, which sends what was held back. Wraps its error as a `DrainError`, because what was held back is then lost.
@inlinable
nonisolated(nonsending) func drained(_ body: () async throws -> Void) async throws {
  do { try await body() } catch { throw DrainError.of(error) }
}

extension Slot {
  /// Takes the writing end of its output.
  @inlinable
  func outlet<E: Event>(of _: E.Type) -> Outlet<E> { Outlet(topic(of: E.self), waitsWhenCancelled: true, stop: stop) }

  /// The output with its type; it was made by the same blueprint.
  @inlinable
  func topic<E: Event>(of _: E.Type) -> Topic<E> {
    guard let topic = output as? Topic<E> else { preconditionFailure("the wiring gave a topic of another type") }
    return topic
  }

  /// Serves the inputs, all of one type, until they have ended or another instance is to continue. If the slot is rewired, it goes on with
  /// the new inputs.
  @inlinable
  nonisolated(nonsending) func serve<E: Event>(_: E.Type, _ body: (InletGroup<E>) async throws -> Void) async throws -> Ending {
    while true {
      try await body(InletGroup(inlets, parker, stop: stop))
      switch pause() {
      case .ended: return .ended
      case .leaving: return .handedOver
      case .servingOn: continue
      }
    }
  }
}

extension Sink {
  /// A sink's work, and the receiving half of a relay's.
  @inlinable
  nonisolated(nonsending) func serveAll(_ slot: Slot) async throws -> Ending {
    let ending = try await slot.serve(Input.self) { inputs in try await serve(inputs) }
    try await drained { ending == .ended ? try await drain() : try await handOver() }
    return ending
  }
}

extension MultiSink {
  @inlinable
  nonisolated(nonsending) func serveAll(_ slot: Slot) async throws -> Ending {
    while true {
      let attached = slot.inlets.compactMap { inlet in Self.handlers.first { $0.type == inlet.eventType }?.attach(inlet) }
      precondition(attached.count == slot.inlets.count, "the wiring gave a topic of another type")
      try await serve(attached, slot.parker, stop: slot.stop)
      let pause = slot.pause()
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
