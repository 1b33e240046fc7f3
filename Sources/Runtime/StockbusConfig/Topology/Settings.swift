internal import StockbusFiles
package import StockbusInstruments
public import StockbusPlugin

/// `runtime:` at the top of a configuration.
package struct RunSettings: Options {
  @Setting(
    "How long a graceful stop may take before late components are named and cut off; at the end of the data they are only named.",
    in: .milliseconds(1) ... .seconds(86_400))
  package var drainDeadline = Duration.seconds(10)
  @Setting("The seed of the random numbers of all components without their own 'seed'.")
  package var seed = 42
  @Setting(
    """
    What a component does while it waits for events: park (it sleeps, and is woken on the core where its events were written) or spin \
    (it stays awake for a moment: the lowest latency, but it keeps cores busy).
    """)
  package var wait = WaitStrategy.park
  @Setting(
    "The most different symbols from one source; events of further symbols become dead letters. All sources together have at most 4,194,303.",
    in: 1...(Symbol.limit - 1))
  package var symbolsPerSource = SymbolIntake.usualLimit
  @Setting(
    """
    The time zone of displayed times, such as America/New_York or UTC; by default the machine's. Machine-readable output is in \
    UTC. For symbols without a calendar, bars of a day or more that begin at its midnight are bars of that date.
    """, length: 1...100)
  package var zone: String?

  @Setting(
    """
    The file with what the components remember from one run to the next: a run that was stopped goes on where it was. By default \
    nothing outlives a run.
    """, length: 1...4096)
  package var memory: String?

  package init() {}

  package var files: [FileUse] { memory.map { [.keeping($0, at: "memory")] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    guard let zone else { return }
    do throws(ZoneProblem) { _ = try DisplayZone(named: zone) } catch { problems.add("'zone': \(error.message)", at: "zone") }
  }

  /// The zone that was named, or the machine's.
  package var displayZone: DisplayZone { zone.flatMap { try? DisplayZone(named: $0) } ?? .system }

  /// The named zone, never the machine's: the dates of bars may begin in it.
  package var dateZone: ExchangeClock? { zone.flatMap { try? ExchangeClock(zone: $0) } }
}

extension WaitStrategy: Choice {}

/// What happens if a component has failed permanently.
package enum OnFailure: String, Choice {
  /// The component ends, and the others continue.
  case isolate
  /// The whole run stops gracefully.
  case stop
}

extension Context.Shared {
  /// For a run with these settings.
  package init(_ settings: RunSettings, clock: any Timekeeper, logger: Logger, notices: any NoticePublisher) {
    self.init(clock: clock, logger: logger, seed: UInt64(bitPattern: Int64(settings.seed)), notices: notices)
    (symbolLimit, zone) = (settings.symbolsPerSource, settings.displayZone)
  }
}

/// `supervision:` of a component.
package struct SupervisionPolicy: Options {
  @Setting(
    "The number of failures in a row, without progress between them, after which the component has failed for good.", in: 0...1_000_000)
  package var restarts = 5
  @Setting(
    "The upper limit of the pause before the second restart in a row; it doubles with every further one, and each pause is random in its upper half.",
    in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.milliseconds(100)
  @Setting("The upper limit of all pauses.", in: .milliseconds(1) ... .seconds(86_400))
  package var maxBackoff = Duration.seconds(10)
  @Setting(
    "How long events may wait without any being finished before the component counts as degraded, because it seems to hang.",
    in: .seconds(1) ... .seconds(86_400))
  package var stall = Duration.seconds(10)
  @Setting("What happens when it has failed for good: isolate (the others continue) or stop (the run stops).")
  package var onFailure = OnFailure.isolate

  package init() {}
}

/// `output:` of a component.
package struct OutputSettings: Options {
  @Setting("The number of events in its ring buffer, rounded up to a power of two.", in: 2...(1 << 24))
  package var capacity = 1 << 13
  @Setting(
    "The most bytes of text in its waiting events, for events with texts; beyond it the producer waits. A single event may be larger.",
    in: .kibibytes(1) ... .gibibytes(64))
  package var memory = ByteSize(bytes: SubscriptionOptions.defaultMemory)

  package init() {}
}

/// `past:` of a live source.
package struct PastSettings: Options {
  @Setting(
    "The recordings: raw captures of the source's messages, or files of rows, merged by time. In the name of a file '*' stands for anything.",
    count: 1...1000)
  package var from: [String]
  @Setting(
    "How far back from now they are played, e.g. 2d; by default from their beginning.", in: .seconds(1) ... .seconds(3660 * 86_400))
  package var last: Duration?

  package init() {}
}

/// `merge:` of a component: the order in which it gets the events of several inputs.
package enum MergeOrder: String, Choice {
  /// As they arrive: the order depends on timing.
  case arrival
  /// In the order of their receipt times; ties in the order of the inputs. An event waits until no input can deliver an earlier one.
  case received
}

extension Overflow: Choice {}

/// An input's own options, written as `{ from: ranked, overflow: conflate }`.
package struct EdgeSettings: Options {
  @Setting("When the reader is slower: block (wait), drop_oldest, drop_newest or conflate (keep the latest of every symbol).")
  package var overflow = Overflow.block
  @Setting(
    "The most events that wait. Readers that block share one ring: a larger number than that of the input's 'output' enlarges it for all of them, a smaller one has no effect.",
    in: 1...(1 << 24))
  package var capacity: Int?
  @Setting("Begins with the last event of each symbol.")
  package var initial = false
  @Setting(
    "At most one event of each symbol in this time: the first at once, then the latest of each interval, and the last always. A component of the plugin 'sample' stands in between."
  )
  package var sample: Duration?
  @Setting(
    "The most bytes of text in the events that wait for this reader, for events with texts, if it is lossy; otherwise 'output' of its input counts.",
    in: .kibibytes(1) ... .gibibytes(64))
  package var memory = ByteSize(bytes: SubscriptionOptions.defaultMemory)

  package init() {}

  /// These settings as the bus takes them.
  package var subscription: SubscriptionOptions {
    SubscriptionOptions(overflow: overflow, capacity: capacity ?? 4096, initial: initial, memory: memory.bytes)
  }
}
