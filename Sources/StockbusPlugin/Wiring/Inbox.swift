public import EventBus

/// The inputs of one component of one event type: inlets that share a sleeping place.
public struct Inbox<E: Event>: Sendable {
  public let inlets: [Inlet<E>]
  @usableFromInline let parker: Parker
  /// The same without their type; made once, because converting an array allocates one.
  @usableFromInline let erased: [any AnyInlet]

  @inlinable
  public init(_ edges: [Edge], _ parker: Parker) {
    self.parker = parker
    inlets = edges.map { edge in
      guard let topic = edge.topic as? Topic<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return topic.attach(parker, options: edge.options)
    }
    erased = inlets
  }

  /// Called after a round without work: spins a little, then sleeps until there is something. True when all inputs have ended.
  @inlinable @inline(__always)
  nonisolated(nonsending) func ended(_ quantum: inout Quantum) async throws(CancellationError) -> Bool {
    for inlet in inlets where inlet.isReady { return false }
    if quantum.patience.spins() { return false }
    return try await sleepUntilReady(erased, parker, &quantum.patience)
  }
}

/// Sleeps until one of the inlets is ready. True when all have ended; throws where the parker was released or the task cancelled.
@inline(never)
@usableFromInline
nonisolated(nonsending) func sleepUntilReady(
  _ inlets: [any AnyInlet], _ parker: Parker, _ patience: inout SpinBudget
) async throws(CancellationError) -> Bool {
  if parker.isReleased || Task.isCancelled { throw CancellationError() }
  if areFinished(inlets) { return true }
  for inlet in inlets { inlet.announce() }
  parker.fence()
  var hasNews = areFinished(inlets)
  for inlet in inlets where inlet.isReady { hasNews = true }
  patience.gaveUp(inVain: !hasNews)
  if !hasNews { await parker.sleep() }
  for inlet in inlets { inlet.retract() }
  return false
}

// Loops, because closures and key paths over existentials allocate, and this runs at every sleep.
private func areFinished(_ inlets: [any AnyInlet]) -> Bool {
  for inlet in inlets where !inlet.isFinished { return false }
  return true
}

/// One input of a component before it is attached.
public struct Edge: Sendable {
  public let topic: any AnyTopic
  public let options: InletOptions

  public init(_ topic: any AnyTopic, options: InletOptions = InletOptions()) {
    self.topic = topic
    self.options = options
  }
}
