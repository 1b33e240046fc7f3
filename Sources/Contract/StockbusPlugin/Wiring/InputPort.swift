package import EventBus
internal import Synchronization

/// One input of a component: its present inlet, and the counts of the previous inlets.
package final class InputPort: Sendable {
  private struct State {
    var inlet: any AnyInlet
    var archive = EdgeCounts()
    /// True if the component no longer reads this input, so that only the archive counts.
    var isRetired = false
  }

  private let state: Mutex<State>

  convenience init(_ edge: Edge, _ parker: Parker) {
    self.init(edge.topic.attachReader(parker, options: edge.options, waiting: edge.waiting))
  }

  init(_ inlet: any AnyInlet) { state = Mutex(State(inlet: inlet)) }

  @usableFromInline package var inlet: any AnyInlet { state.withLock { $0.inlet } }
  /// The topic's name.
  package var name: String { inlet.name }

  /// The counts of all events of this input.
  package var counts: EdgeCounts {
    state.withLock { state in
      var counts = state.archive
      if !state.isRetired { counts += state.inlet.counts }
      return counts
    }
  }

  /// Ends the input because the component reads another topic from now on. Waiting events are dropped, and later ones are not counted.
  func retire() {
    state.withLock { state in
      if state.isRetired { return }
      state.inlet.detach()
      state.archive += state.inlet.counts
      state.isRetired = true
    }
  }

  /// Continues with other options at the same event. Only the reader may call, between two batches, or any task while no instance runs.
  func reattach(options: SubscriptionOptions) {
    state.withLock { state in
      if state.inlet.options == options { return }
      let old = state.inlet
      state.inlet = old.reattach(options: options)
      state.archive += old.counts
    }
  }
}

/// An input to be attached: a topic, and how to read it.
package struct Edge: Sendable {
  package let topic: any AnyTopic
  package let options: SubscriptionOptions
  /// Events of an earlier run, which come before those of the topic; nil if there are none.
  package let waiting: WaitingEvents?

  package init(_ topic: any AnyTopic, options: SubscriptionOptions = SubscriptionOptions(), waiting: WaitingEvents? = nil) {
    self.topic = topic
    self.options = options
    self.waiting = waiting
  }
}
