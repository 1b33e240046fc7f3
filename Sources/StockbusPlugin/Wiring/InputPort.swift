public import EventBus
internal import Synchronization

/// One input of a component: the inlet through which it reads now, and what was counted on those before it.
public final class InputPort: Sendable {
  private struct State {
    var inlet: any AnyInlet
    var archive = EdgeCounts()
    /// Nobody reads here any more: the archive is all there will be.
    var isRetired = false
  }

  private let state: Mutex<State>

  init(_ edge: Edge, _ parker: Parker) { state = Mutex(State(inlet: edge.topic.attachReader(parker, options: edge.options))) }

  public var inlet: any AnyInlet { state.withLock { $0.inlet } }
  /// The topic's name.
  public var name: String { inlet.name }

  /// What became of all events of this input.
  public var counts: EdgeCounts {
    state.withLock { state in
      var counts = state.archive
      if !state.isRetired { counts += state.inlet.counts }
      return counts
    }
  }

  /// The component reads elsewhere from now on: what waits is dropped, and what its topic publishes later is none of its business.
  func retire() {
    state.withLock { state in
      if state.isRetired { return }
      state.inlet.detach()
      state.archive += state.inlet.counts
      state.isRetired = true
    }
  }

  /// Goes on with other options at the very event where the input is. Only the reader may call, between two batches.
  func reattach(options: InletOptions) {
    state.withLock { state in
      if state.inlet.options == options { return }
      let old = state.inlet
      state.inlet = old.reattach(options: options)
      state.archive += old.counts
    }
  }
}

/// What a component is to read: a topic, and how.
public struct Edge: Sendable {
  public let topic: any AnyTopic
  public let options: InletOptions

  public init(_ topic: any AnyTopic, options: InletOptions = InletOptions()) {
    self.topic = topic
    self.options = options
  }
}
