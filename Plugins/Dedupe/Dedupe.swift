public import StockbusPlugin

extension Plugin {
  /// Passes the events of a feed once that is received twice.
  public static let dedupe = Plugin(
    "dedupe",
    "Passes each event of a feed once that several inputs bring, from whichever input has it first. What comes again on one input is a real repeat: the second of two equal events on one line is a copy of the second one on another, and not of the first. Its inputs are read in the order of their receipts, so a replay gives what the live run gave.",
    DedupePlugin.self,
    hot: [
      .processor(Dedupe<Trade>.self), .processor(Dedupe<Quote>.self), .processor(Dedupe<Bar>.self), .processor(Dedupe<Ranked>.self),
    ]
  ).example("within: 2s")
}

enum DedupePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(Dedupe<E>.self) }
}

/// Passes each event that several lines bring from the line that has it first.
///
/// `Occurrences`, and Documentation/use/feeds.md for users, describe which events are copies of which.
actor Dedupe<E: Event>: LaneProcessor, OriginDependent {
  static var mergesInputs: Bool { true }
  static var leastInputs: Int { 2 }

  private let context: Context
  private var occurrences: Occurrences<E>

  static func textFaults(in settings: DedupeSettings, reading columns: ColumnLayout) -> [TextFault] { settings.faults(for: E.self) }

  static func faults(in settings: DedupeSettings, behind inputs: [InputOrigin]) -> [InputFault] {
    if inputs.count > 1 { return [] }
    return [InputFault(input: 0, "is the only one, and what one line brings twice happened twice; name two lines of one feed in 'inputs'")]
  }

  /// Nil once an instance has taken it.
  private static var saved: MemoryKey<SavedOccurrences?> { MemoryKey("occurrences", whenOptionsChange: .drop) }

  static func carryOver(_ old: Memory, from before: DedupeSettings, to after: DedupeSettings, into memory: Memory) {
    // How often other fields came is not known.
    if before.by == after.by { memory[saved] = old[saved] }
  }

  init(_ settings: DedupeSettings, _ context: Context) {
    self.context = context
    var random = context.random()
    occurrences = Occurrences(
      within: settings.within.wholeNanoseconds, identity: EventIdentity(by: settings.by, seed: random.next()))
    if let memory = context.recall(Self.saved), let saved = memory {
      occurrences.restore(saved)
      context.remember(nil, Self.saved)
    }
  }

  func attend(to inputs: [String]) {
    count()
    occurrences.attend(to: inputs)
  }

  static func columns(_ settings: DedupeSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  func process(_ events: Span<E>, from lane: Int, into output: inout Outlet<E>) {
    occurrences.take(events, from: lane, into: &output)
    count()
  }

  func drain(into output: inout Outlet<E>) {
    occurrences.drain()
    count()
  }

  func keepMemory() { context.remember(occurrences.saved, Self.saved) }

  func handOver(into output: inout Outlet<E>) { keepMemory() }

  private func count() {
    if occurrences.forgottenEarly > 0 {
      context.counter("forgotten early", "Events that were forgotten before 'within' was over, because the memory was full.")
        .add(occurrences.forgottenEarly)
      occurrences.forgottenEarly = 0
    }
    for line in occurrences.onlyHere.indices where occurrences.onlyHere[line] > 0 {
      let name = occurrences.lines[line]
      context.counter("only \(name)", "Events that no other input than \(name) has brought.").add(occurrences.onlyHere[line])
      occurrences.onlyHere[line] = 0
    }
  }
}
