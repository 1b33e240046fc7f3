internal import StockbusFiles
package import StockbusInstruments
public import StockbusPlugin

/// `runtime:` at the top of a configuration.
package struct RunSettings: Options {
  @Setting(
    "How long a graceful stop may take before what is late is named and cut off; at the end of the data it is only named.",
    in: .milliseconds(1) ... .seconds(86_400))
  package var drainDeadline = Duration.seconds(10)
  @Setting("Seeds whatever draws random numbers and has no seed of its own.")
  package var seed = 42
  @Setting(
    """
    What a component does that waits for another: park (it sleeps, and is woken on the core where its events were written) or spin \
    (it stays awake for a moment: the shortest way from core to core, at the price of the cores).
    """)
  package var wait = WaitStrategy.park
  @Setting(
    "Different symbols that one source may bring from outside; what it tells of further ones is set aside. All together have at most 4,194,303.",
    in: 1...(Symbol.limit - 1))
  package var symbolsPerSource = SymbolIntake.usualLimit
  @Setting(
    """
    The time zone of the times that people are shown, such as America/New_York or UTC; unless told, the machine's. What is written \
    for machines is UTC. Bars of a day or more that begin at its midnight are those of that date, of symbols without a calendar.
    """, length: 1...100)
  package var zone: String?

  package init() {}

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

/// `supervision:` of a component.
package struct SupervisionPolicy: Options {
  @Setting("Failures in a row, without progress between them, after which the component has failed for good.", in: 0...1_000_000)
  package var restarts = 5
  @Setting(
    "The longest wait before the second restart in a row, doubled with every further one; each wait is drawn from the upper half below it.",
    in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.milliseconds(100)
  @Setting("The longest wait of all.", in: .milliseconds(1) ... .seconds(86_400))
  package var maxBackoff = Duration.seconds(10)
  @Setting(
    "How long events may wait without one being finished until it counts as degraded, as it seems to hang.",
    in: .seconds(1) ... .seconds(86_400))
  package var stall = Duration.seconds(10)
  @Setting("What happens when it has failed for good: isolate (the others go on) or stop (the run stops).")
  package var onFailure = OnFailure.isolate

  package init() {}
}

/// `output:` of a component.
package struct OutputSettings: Options {
  @Setting("Events its ring holds, rounded up to a power of two.", in: 2...(1 << 24))
  package var capacity = 1 << 13
  @Setting(
    "Bytes of text its waiting events may hold, for events with texts; where there is more, the producer waits. One event may be larger.",
    in: .kibibytes(1) ... .gibibytes(64))
  package var memory = ByteSize(bytes: SubscriptionOptions.defaultMemory)

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
    "Events that may wait. Readers that block share one ring: more than the input's output has enlarges it for all of them, less has no effect.",
    in: 1...(1 << 24))
  package var capacity: Int?
  @Setting("Begins with the last event of every symbol.")
  package var initial = false
  @Setting(
    "Bytes of text the events that wait for it may hold, for events with texts, where it is lossy; otherwise that is its input's output.",
    in: .kibibytes(1) ... .gibibytes(64))
  package var memory = ByteSize(bytes: SubscriptionOptions.defaultMemory)

  package init() {}

  /// These settings as the bus takes them.
  package var subscription: SubscriptionOptions {
    SubscriptionOptions(overflow: overflow, capacity: capacity ?? 4096, initial: initial, memory: memory.bytes)
  }
}
