public import EventBus

extension Blueprint {
  @inlinable
  public static func source<P: Source>(_: P.Type) -> Blueprint {
    Blueprint(.source, P.self, inputs: [], output: P.Output.self, topic: makeTopic(P.Output.self)) { settings, context, _, output in
      let topic = typed(output, P.Output.self)
      let current = CurrentComponent()
      return Node(context.id, inlets: [], output: topic, parkers: [topic.producer], current: current) {
        let component = try P(settings, context)
        var outlet = Outlet(topic, waitsWhenCancelled: true)
        try await live(component, current) { try await run(component, &outlet) }
      }
    }
  }

  /// A source that is fed by an input: what it receives goes out to the world, what comes back is published. As a sink it says
  /// what it has done, and need not be read.
  @inlinable
  public static func relay<P: Source & Sink>(_: P.Type, as kind: Kind = .source) -> Blueprint {
    Blueprint(kind, P.self, inputs: [P.Input.self], output: P.Output.self, topic: makeTopic(P.Output.self)) {
      settings, context, edges, output in
      let topic = typed(output, P.Output.self)
      let parker = Parker(context.waiting)
      let inbox = Inbox<P.Input>(edges, parker)
      let current = CurrentComponent()
      return Node(context.id, inlets: inbox.inlets, output: topic, parkers: [parker, topic.producer], current: current) {
        let component = try P(settings, context)
        try await live(component, current) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              var outlet = Outlet(topic, waitsWhenCancelled: true)
              try await run(component, &outlet)
            }
            group.addTask {
              // Asleep for the next event it would not notice that the other half has failed.
              try await withTaskCancellationHandler {
                try await component.serve(inbox)
              } onCancel: {
                parker.wake()
              }
              do { try await component.drain() } catch { throw DrainError.of(error) }
            }
            // Not `waitForAll`, which waits for the other half too before it throws what one has thrown.
            while try await group.next() != nil {}
          }
        }
      }
    }
  }

  @inlinable
  public static func processor<P: Processor>(_: P.Type) -> Blueprint {
    Blueprint(.processor, P.self, inputs: [P.Input.self], output: P.Output.self, topic: makeTopic(P.Output.self)) {
      settings, context, edges, output in
      let topic = typed(output, P.Output.self)
      let inbox = Inbox<P.Input>(edges, topic.producer)
      let current = CurrentComponent()
      return Node(context.id, inlets: inbox.inlets, output: topic, parkers: [topic.producer], current: current) {
        let component = try P(settings, context)
        var outlet = Outlet(topic, waitsWhenCancelled: true)
        try await live(component, current) {
          try await component.serve(inbox, &outlet)
          do { try await component.drain(into: &outlet) } catch { throw DrainError.of(error) }
          try await outlet.flush()
        }
      }
    }
  }

  @inlinable
  public static func asyncProcessor<P: AsyncProcessor>(_: P.Type) -> Blueprint {
    Blueprint(.processor, P.self, inputs: [P.Input.self], output: P.Output.self, topic: makeTopic(P.Output.self)) {
      settings, context, edges, output in
      let topic = typed(output, P.Output.self)
      let inbox = Inbox<P.Input>(edges, topic.producer)
      let current = CurrentComponent()
      return Node(context.id, inlets: inbox.inlets, output: topic, parkers: [topic.producer], current: current) {
        let component = try P(settings, context)
        var outlet = Outlet(topic, waitsWhenCancelled: true)
        try await live(component, current) {
          try await component.serve(inbox, &outlet)
          do { try await component.drain(into: &outlet) } catch { throw DrainError.of(error) }
          try await outlet.flush()
        }
      }
    }
  }

  @inlinable
  public static func sink<P: Sink>(_: P.Type) -> Blueprint {
    Blueprint(.sink, P.self, inputs: [P.Input.self], output: nil, topic: nil) { settings, context, edges, _ in
      let parker = Parker(context.waiting)
      let inbox = Inbox<P.Input>(edges, parker)
      let current = CurrentComponent()
      return Node(context.id, inlets: inbox.inlets, output: nil, parkers: [parker], current: current) {
        let component = try P(settings, context)
        try await live(component, current) {
          try await component.serve(inbox)
          do { try await component.drain() } catch { throw DrainError.of(error) }
        }
      }
    }
  }

  @inlinable
  public static func sink<P: MultiSink>(_: P.Type) -> Blueprint {
    Blueprint(.sink, P.self, inputs: P.handlers.map(\.type), output: nil, topic: nil) { settings, context, edges, _ in
      let parker = Parker(context.waiting)
      let attached = edges.compactMap { edge in
        P.handlers.first { $0.type == edge.topic.eventType }?.attach(edge.topic, parker, edge.options)
      }
      precondition(attached.count == edges.count, "the wiring gave a topic of another type")
      let current = CurrentComponent()
      return Node(context.id, inlets: attached.map(\.inlet), output: nil, parkers: [parker], current: current) {
        let component = try P(settings, context)
        try await live(component, current) {
          try await component.serve(attached, parker)
          do { try await component.drain() } catch { throw DrainError.of(error) }
        }
      }
    }
  }

  @inlinable
  static func makeTopic<E: Event>(_: E.Type) -> @Sendable (TopicPlan) -> any AnyTopic {
    { Topic<E>($0.name, capacity: $0.capacity, keepsLatest: $0.keepsLatest, memory: $0.memory, producer: Parker($0.waiting)) }
  }

  /// A source's work: whatever ends it, what it has sent is delivered.
  @inlinable
  static nonisolated(nonsending) func run<P: Source>(_ component: P, _ outlet: inout Outlet<P.Output>) async throws {
    do { try await component.run(into: &outlet) } catch {
      try? await outlet.flush()
      throw error
    }
    try await outlet.flush()
  }
}
