public import EventBus

/// A component type with its event types, type-erased. The code behind the closures is specialised where `P` is concrete.
public struct Blueprint: Sendable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case source, processor, sink
  }

  package let kind: Kind
  /// The component's type.
  let component: any Component.Type
  /// The event types it takes; empty for a source that is not a relay.
  package let inputs: [any Event.Type]
  /// The event type it emits; nil for a sink.
  package let output: (any Event.Type)?
  /// The type of its options, for documentation, schema and decoding.
  package private(set) var options: any Options.Type
  /// The commands that the component takes. Not stored, because a cast to a protocol searches all conformances of the program.
  package var commands: [CommandInfo] { presented ?? (component as? any CommandableComponent.Type)?.commands ?? [] }
  /// The commands of the component that it stands in for.
  private var presented: [CommandInfo]?
  /// True if it may have a past.
  package var takesPast: Bool { component is any LiveSource.Type }
  /// The types of the doors that its components offer.
  package var doors: [DoorID] { (component as? any OfferingComponent.Type)?.doorIDs ?? [] }
  /// True if it gets watermarks, and several inputs in the order of their receipts; of a timed sink its settings decide
  /// (`Assembly.isTimed`).
  package let isTimed: Bool
  /// True if `merge: received` is possible: for events of one type.
  package var canMerge: Bool { isTimed || inputs.count == 1 }
  /// True if it tells its inputs apart, so that it decides itself what their order means.
  package var hasLanes: Bool { component is any LaneProcessor.Type }
  /// How many inputs it needs at least; 0 for a source without inputs.
  package var leastInputs: Int { inputs.isEmpty ? 0 : (component as? any LaneProcessor.Type)?.leastInputs ?? 1 }
  private let topic: (@Sendable (TopicPlan) -> any AnyTopic)?
  /// Decodes the options and returns an assembly.
  private var decode: @Sendable (ConfigNode?, ConfigNode.Mark, ColumnLayout) throws(Problems) -> Assembly

  /// The parameters for making a topic.
  @usableFromInline package struct TopicPlan: Sendable {
    @usableFromInline package var name: String
    @usableFromInline package var capacity: Int
    @usableFromInline package var keepsLatest: Bool
    /// Bytes of text that its events may hold until all readers have passed them.
    @usableFromInline package var memory = SubscriptionOptions.defaultMemory
    /// The columns beside its events.
    @usableFromInline package var columns = ColumnLayout()
    /// How its producer waits for room.
    @usableFromInline package var waiting = Waiting()

    package init(name: String, capacity: Int = 1 << 13, keepsLatest: Bool = false) {
      self.name = name
      self.capacity = capacity
      self.keepsLatest = keepsLatest
    }
  }

  /// A blueprint with decoded options, which can be run in a slot any number of times.
  package struct Assembly: Sendable {
    /// The symbols of all events that it makes; nil if its settings do not determine them.
    package let knownSymbols: @Sendable () -> [String]?
    /// The symbols that its settings name, with their places.
    package let namedSymbols: @Sendable () -> [(name: String, mark: ConfigNode.Mark)]
    /// The files that its options name.
    package let files: [PlacedFile]
    /// What is wrong with the contents of one of its files, as far as the file's beginning shows; see `Component.fault(in:_:)`.
    package let fault: @Sendable (FileUse) -> String?
    /// What is allowed but probably unintended in them; see `Component.doubt(about:_:)`.
    package let doubt: @Sendable (FileUse) -> String?
    /// Runs one instance in a slot, from start to end.
    let run: @Sendable (Slot) async throws -> Ending
    /// True if it gets watermarks, and several inputs in the order of their receipts.
    package let isTimed: Bool
    /// The component's type and its settings.
    package let component: any Component.Type
    package let settings: any Options
    /// The columns of its inputs.
    package private(set) var reads = ColumnLayout()
    /// The columns of its output.
    package private(set) var columns = ColumnLayout()
    /// The same without effects outside of the run.
    package let withoutEffects: @Sendable () -> Assembly
    /// The same, or what it stands in for.
    private(set) var declared: (component: any Component.Type, settings: any Options)
    /// Copies what still holds from the memory of an instance with the settings `before` into the new memory.
    let carryOver: @Sendable (Memory, _ before: any Options, Memory) -> Void

    /// The same with these columns of its inputs and its output.
    func reading(_ reads: ColumnLayout, emitting columns: ColumnLayout) -> Assembly {
      var copy = self
      (copy.reads, copy.columns) = (reads, columns)
      return copy
    }

    /// The same instances, for which the configuration's check finds what `original` names.
    func presenting(_ original: Assembly) -> Assembly {
      var copy = Assembly(
        component, settings, isTimed: isTimed, knownSymbols: original.knownSymbols, namedSymbols: original.namedSymbols,
        files: original.files, fault: original.fault, doubt: original.doubt, carryOver: carryOver, withoutEffects: original.withoutEffects,
        run)
      copy.declared = original.declared
      return copy.reading(reads, emitting: columns)
    }

    /// The same instances, each of which fails with `error` as soon as `moment` returns, unless it has ended. `moment` gets the component's
    /// context at the beginning of the instance.
    package func failing(_ error: any Error, when moment: @escaping @Sendable (Context) async throws -> Void) -> Assembly {
      var copy = Assembly(
        component, settings, isTimed: isTimed, knownSymbols: knownSymbols, namedSymbols: namedSymbols, files: files, fault: fault,
        doubt: doubt, carryOver: carryOver, withoutEffects: withoutEffects
      ) { slot in
        try await withThrowingTaskGroup(of: Ending.self) { group in
          group.addTask {
            // An instance that sleeps for the next event would not notice that it has been cancelled.
            try await withTaskCancellationHandler {
              try await run(slot)
            } onCancel: {
              slot.parker.wake()
            }
          }
          group.addTask {
            try await moment(slot.context)
            throw error
          }
          defer { group.cancelAll() }
          guard let ending = try await group.next() else { throw CancellationError() }
          return ending
        }
      }
      copy.declared = declared
      return copy.reading(reads, emitting: columns)
    }

    /// Instances that end at once, without an event.
    package func silent() -> Assembly {
      var copy = Assembly(
        component, settings, isTimed: isTimed, knownSymbols: knownSymbols, namedSymbols: namedSymbols, files: [], fault: { _ in nil },
        doubt: { _ in nil }, carryOver: carryOver, withoutEffects: withoutEffects
      ) { _ in .ended }
      copy.declared = declared
      return copy.reading(reads, emitting: columns)
    }

    /// Prepares the memory of a slot in which `old` has run for an instance of this assembly; returns the former contents. Call it only if
    /// the options or the plugin have changed, and while no instance runs.
    package func succeed(_ old: Assembly, in slot: Slot) -> Memory.Contents {
      let memory = slot.context.memory
      let before = memory.contents
      if component == old.component { carryOver(memory.dropDependent(), old.settings, memory) } else { memory.removeAll() }
      return before
    }

    init(
      _ component: any Component.Type, _ settings: any Options, isTimed: Bool, knownSymbols: @escaping @Sendable () -> [String]?,
      namedSymbols: @escaping @Sendable () -> [(name: String, mark: ConfigNode.Mark)], files: [PlacedFile],
      fault: @escaping @Sendable (FileUse) -> String?, doubt: @escaping @Sendable (FileUse) -> String?,
      carryOver: @escaping @Sendable (Memory, any Options, Memory) -> Void, withoutEffects: @escaping @Sendable () -> Assembly,
      _ run: @escaping @Sendable (Slot) async throws -> Ending
    ) {
      self.component = component
      self.settings = settings
      self.isTimed = isTimed
      declared = (component, settings)
      self.knownSymbols = knownSymbols
      self.namedSymbols = namedSymbols
      self.files = files
      self.fault = fault
      self.doubt = doubt
      self.carryOver = carryOver
      self.withoutEffects = withoutEffects
      self.run = run
    }
  }

  /// Not inlinable: its work is done once per component, when a configuration is checked.
  @usableFromInline
  init<P: Component>(
    _ kind: Kind, _: P.Type, inputs: [any Event.Type], output: (any Event.Type)?, isTimed: Bool = false,
    topic: (@Sendable (TopicPlan) -> any AnyTopic)?, run: @escaping @Sendable (P.Settings, Slot) async throws -> Ending
  ) {
    self.kind = kind
    component = P.self
    self.inputs = inputs
    self.output = output
    self.topic = topic
    options = P.Settings.self
    self.isTimed = isTimed
    decode = { node, mark, columns throws(Problems) in
      let settings = try P.Settings.decode(node, at: mark)
      var problems = Problems()
      for fault in P.faults(in: settings) { problems.add(fault.message, at: node?.deepest(on: fault.option)?.mark ?? mark) }
      add(P.textFaults(in: settings, reading: columns), node, mark, &problems)
      guard problems.isEmpty else { throw problems }
      return Self.assembly(P.self, settings, node, mark, columns, isTimed: isTimed, run)
    }
  }

  private static func assembly<P: Component>(
    _: P.Type, _ settings: P.Settings, _ node: ConfigNode?, _ mark: ConfigNode.Mark, _ columns: ColumnLayout, isTimed: Bool,
    _ run: @escaping @Sendable (P.Settings, Slot) async throws -> Ending
  ) -> Assembly {
    Assembly(
      P.self, settings, isTimed: isTimed && needsTime(P.self, settings), knownSymbols: { P.knownSymbols(settings) },
      namedSymbols: { P.namedSymbols(settings).map { ($0.name, $0.mark(in: node, else: mark)) } },
      files: PlacedFile.of(settings.files, node, mark), fault: { P.fault(in: $0, settings) }, doubt: { P.doubt(about: $0, settings) },
      carryOver: { old, before, memory in
        if let before = before as? P.Settings { P.carryOver(old, from: before, to: settings, into: memory) }
      }, withoutEffects: { assembly(P.self, P.withoutEffects(settings), node, mark, columns, isTimed: isTimed, run) }
    ) { try await run(settings, $0) }
    .reading(columns, emitting: P.columns(settings, reading: columns))
  }

  /// The same component under other options: those of `options`, from which `adapt` makes the component's own.
  package func adapted(
    options: any Options.Type, _ adapt: @escaping @Sendable (ConfigNode?, ConfigNode.Mark) throws(Problems) -> ConfigNode
  ) -> Blueprint {
    var copy = self
    copy.options = options
    copy.decode = { [decode] node, mark, columns throws(Problems) in try decode(adapt(node, mark), mark, columns) }
    return copy
  }

  /// The same component, of which help says that it takes these commands.
  func presenting(_ commands: [CommandInfo]) -> Blueprint {
    var copy = self
    copy.presented = commands
    return copy
  }

  /// Makes the topic of its output; nil for a sink.
  package func makeTopic(_ plan: TopicPlan) -> (any AnyTopic)? { topic?(plan) }

  /// Decodes the options; throws all problems at once.
  ///
  /// - Parameter columns: the columns of its inputs.
  package func assembly(
    _ options: ConfigNode?, at mark: ConfigNode.Mark, reading columns: ColumnLayout = ColumnLayout()
  ) throws(Problems) -> Assembly { try decode(options, mark, columns) }
}

private func add(_ faults: [TextFault], _ node: ConfigNode?, _ mark: ConfigNode.Mark, _ problems: inout Problems) {
  for fault in faults { fault.report(in: node, else: mark, &problems) }
}

/// True if a component whose form has time needs it with these settings.
private func needsTime<P: Component>(_: P.Type, _ settings: P.Settings) -> Bool {
  (P.self as? any TimedSink.Type)?.needsTime(settings) ?? true
}

extension TimedSink {
  fileprivate static func needsTime(_ settings: any Options) -> Bool { (settings as? Settings).map(worksWithTime) ?? true }
}
