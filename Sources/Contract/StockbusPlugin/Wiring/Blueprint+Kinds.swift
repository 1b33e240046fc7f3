public import EventBus

extension Blueprint {
  @inlinable
  public static func source<P: Source>(_: P.Type) -> Blueprint {
    Blueprint(.source, P.self, inputs: [], output: P.Output.self, topic: makeTopic(P.Output.self)) { settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      var outlet = slot.outlet(of: P.Output.self)
      return try await live(component, in: slot) {
        do { try await send(component, &outlet, in: slot) } catch  where isHandOver(error, slot) {}
        return isHandingOver(slot) ? .handedOver : .ended
      }
    }
  }

  /// A source with an input: it sends what it receives to the outside and publishes what comes back. As a sink it publishes what it has
  /// done; its output need not be read.
  @inlinable
  public static func relay<P: Source & Sink>(_: P.Type, as kind: Kind = .source) -> Blueprint {
    relay(P.self, as: kind, isTimed: false) { component, _, slot in try await component.serveAll(slot) }
  }

  /// The same, with time where its settings need it.
  @inlinable
  public static func relay<P: Source & TimedSink>(_: P.Type, as kind: Kind = .source) -> Blueprint {
    relay(P.self, as: kind, isTimed: true) { component, settings, slot in
      try await component.serveAll(slot, isTimed: P.worksWithTime(settings))
    }
  }

  /// A relay whose receiving half is `serve`.
  @inlinable
  static func relay<P: Source & Sink>(
    _: P.Type, as kind: Kind, isTimed: Bool, serving serve: @escaping @Sendable (P, P.Settings, Slot) async throws -> Ending
  ) -> Blueprint {
    Blueprint(kind, P.self, inputs: [P.Input.self], output: P.Output.self, isTimed: isTimed, topic: makeTopic(P.Output.self)) {
      settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      return try await live(component, in: slot) {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
          group.addTask {
            var outlet = slot.outlet(of: P.Output.self)
            try await send(component, &outlet, in: slot)
            return nil
          }
          group.addTask {
            // Without this, a half that sleeps for the next event would not notice that the other half has failed.
            try await withTaskCancellationHandler {
              try await serve(component, settings, slot)
            } onCancel: {
              slot.parker.wake()
            }
          }
          var ending = Ending.ended
          // Not `waitForAll`, which would wait for both halves before it rethrows the error of one.
          while let half = await group.nextResult() {
            switch half {
            case .success(let served?):
              ending = served
              // No more events are received, so the other half need not wait for replies.
              if ending == .handedOver, slot.isLeaving { group.cancelAll() }
            case .success(nil): break
            case .failure(let error): if ending == .ended || !(error is CancellationError) { throw error }
            }
          }
          return ending
        }
      }
    }
  }

  @inlinable
  public static func processor<P: Processor>(_: P.Type) -> Blueprint {
    processor(P.self, from: P.Input.self, to: P.Output.self, serving: { try await $0.serve($1, &$2) }) {
      try await $1 == .ended ? $0.drain(into: &$2) : $0.handOver(into: &$2)
    }
  }

  @inlinable
  package static func processor<P: LaneProcessor>(_: P.Type) -> Blueprint {
    processor(P.self, from: P.Input.self, to: P.Output.self, isTimed: P.mergesInputs, serving: { try await $0.serve($1, &$2) }) {
      try await $1 == .ended ? $0.drain(into: &$2) : $0.handOver(into: &$2)
    }
  }

  @inlinable
  package static func processor<P: TimedLaneProcessor>(_: P.Type) -> Blueprint {
    processor(P.self, from: P.Input.self, to: P.Output.self, isTimed: true, serving: { try await $0.serveTimed($1, &$2) }) {
      try await $1 == .ended ? $0.drain(into: &$2) : $0.handOver(into: &$2)
    }
  }

  @inlinable
  public static func processor<P: TimedProcessor>(_: P.Type) -> Blueprint {
    processor(P.self, from: P.Input.self, to: P.Output.self, isTimed: true, serving: { try await $0.serveTimed($1, &$2) }) {
      try await $1 == .ended ? $0.drain(into: &$2) : $0.handOver(into: &$2)
    }
  }

  /// A processor of one type of events: `serve` until they end, then `finish`, then what is left in the outlet is published.
  @inlinable
  static func processor<P: Component, Input: Event, Output: Event>(
    _: P.Type, from _: Input.Type, to _: Output.Type, isTimed: Bool = false,
    serving serve: @escaping @Sendable (P, InletGroup<Input>, inout Outlet<Output>) async throws -> Void,
    finishing finish: @escaping @Sendable (P, Ending, inout Outlet<Output>) async throws -> Void
  ) -> Blueprint {
    Blueprint(.processor, P.self, inputs: [Input.self], output: Output.self, isTimed: isTimed, topic: makeTopic(Output.self)) {
      settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      var outlet = slot.outlet(of: Output.self)
      return try await live(component, in: slot) {
        let ending = try await slot.serve(Input.self, isTimed: isTimed) { inputs in try await serve(component, inputs, &outlet) }
        try await drained { try await finish(component, ending, &outlet) }
        try await outlet.flush()
        return ending
      }
    }
  }

  @inlinable
  public static func processor<P: MultiProcessor>(_: P.Type) -> Blueprint { multiProcessor(P.self, settling: nil, joining: nil) }

  @inlinable
  public static func processor<P: SettlingProcessor>(_: P.Type) -> Blueprint {
    multiProcessor(P.self, settling: { component, output in try await component.settle(into: &output) }, joining: nil)
  }

  @inlinable
  package static func processor<P: JoiningProcessor>(_: P.Type) -> Blueprint {
    multiProcessor(P.self, settling: nil, joining: { P.turn(of: $0) })
  }

  @inlinable
  static func multiProcessor<P: MultiProcessor>(
    _: P.Type, settling settle: P.Settling?, joining join: (@Sendable ([any AnyInlet]) -> P.Turn?)?
  ) -> Blueprint {
    let types = P.handlers.map(\.type)
    return Blueprint(.processor, P.self, inputs: types, output: P.Output.self, isTimed: true, topic: makeTopic(P.Output.self)) {
      settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      var outlet = slot.outlet(of: P.Output.self)
      return try await live(component, in: slot) { try await component.serveAll(slot, &outlet, settling: settle, joining: join) }
    }
  }

  @inlinable
  public static func asyncProcessor<P: AsyncProcessor>(_: P.Type) -> Blueprint {
    processor(P.self, from: P.Input.self, to: P.Output.self, serving: { try await $0.serve($1, &$2) }) {
      try await $1 == .ended ? $0.drain(into: &$2) : $0.handOver(into: &$2)
    }
  }

  @inlinable
  public static func sink<P: Sink>(_: P.Type) -> Blueprint {
    Blueprint(.sink, P.self, inputs: [P.Input.self], output: nil, topic: nil) { settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      return try await live(component, in: slot) { try await component.serveAll(slot) }
    }
  }

  @inlinable
  public static func sink<P: TimedSink>(_: P.Type) -> Blueprint {
    Blueprint(.sink, P.self, inputs: [P.Input.self], output: nil, isTimed: true, topic: nil) { settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      return try await live(component, in: slot) { try await component.serveAll(slot, isTimed: P.worksWithTime(settings)) }
    }
  }

  @inlinable
  public static func sink<P: MultiSink>(_: P.Type) -> Blueprint {
    Blueprint(.sink, P.self, inputs: P.handlers.map(\.type), output: nil, topic: nil) { settings, slot in
      let component = try P(settings, slot.contextOfInstance)
      return try await live(component, in: slot) { try await component.serveAll(slot) }
    }
  }

  @inlinable
  static func makeTopic<E: Event>(_: E.Type) -> @Sendable (TopicPlan) -> any AnyTopic {
    {
      Topic<E>(
        $0.name, capacity: $0.capacity, keepsLatest: $0.keepsLatest, memory: $0.memory, columns: $0.columns, producer: Parker($0.waiting))
    }
  }

  /// A source's work. However it ends, events sent so far are delivered.
  @inlinable
  static nonisolated(nonsending) func send<P: Source>(_ component: P, _ outlet: inout Outlet<P.Output>, in slot: Slot) async throws {
    guard try await slot.joins() else { return }
    do { try await component.run(into: &outlet) } catch {
      try? await outlet.flush()
      throw error
    }
    try await outlet.flush()
  }
}
