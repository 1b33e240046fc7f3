internal import StockbusFiles
internal import StockbusInstruments
package import StockbusPlugin

/// What an instance leaves to the next one, also of another run.
extension NotificationDispatcher {
  /// What is not over.
  struct OpenAlert: Hashable, Sendable, Codable {
    let rule: String
    let symbol: Symbol
  }

  /// How an alert was sent.
  struct Sent: Sendable, Codable {
    let id: String
    let channels: [String]?
    let isUrgent: Bool
  }

  /// The state that an earlier instance has left.
  struct Knowledge: Sendable, Codable {
    struct Known: Sendable, Codable {
      let subject: OpenAlert
      let numbers: AlertNumbers
      /// Nil if nothing of it is open.
      let sent: Sent?
    }

    /// Nil if its rules begin anew.
    var book: RuleBook?
    /// The rules that commands have added, if they begin anew.
    var added: [Rule] = []
    var switches: Switches
    /// By the time of day, which other runs have too.
    var mutedUntil: Timestamp?
    let alerts: [Known]
    /// Alerts that were neither published nor delivered.
    var unpublished: [SavedEvent] = []
    var undelivered: [Undelivered] = []
    /// Where the files of channels end, by the names of the channels.
    var ends: [String: FileMark] = [:]
    /// True if the instance that takes it is of another run.
    var isForAnotherRun: Bool?

    struct Undelivered: Sendable, Codable {
      let channel: String
      let notification: Notification.Saved
    }
  }

  static var known: MemoryKey<Knowledge> { MemoryKey("rules", whenOptionsChange: .drop) }
  /// The files that channels have written to; their contents must not be emptied.
  static var opened: MemoryKey<Set<String>> { MemoryKey("opened", whenOptionsChange: .keep) }

  /// Rules that are written as before keep their state, and so do those that commands have added; with other windows all of them begin
  /// anew.
  package static func carryOver(
    _ old: Memory, from before: NotificationSettings, to after: NotificationSettings, into memory: Memory
  ) {
    // Values of other sessions do not belong into the same window.
    if before.sessions == after.sessions { FunctionMemory.carryOver(old, into: memory) }
    guard var knowledge = old[known] else { return }
    let written = (before: before.rules.map { Rule($0) }, after: after.rules.map { Rule($0) })
    if before.enabled != after.enabled { (knowledge.switches, knowledge.mutedUntil) = (Switches(isEnabled: after.enabled), nil) }
    // What is due was computed with the sessions.
    let countsOtherwise = before.sessions != after.sessions && after.rules.contains { $0.silentFor != nil }
    if before.windowPrices != after.windowPrices || before.windowMemory != after.windowMemory || countsOtherwise {
      let names = Set(written.before.map(\.name))
      knowledge.added = (knowledge.book?.present ?? knowledge.added).filter { !names.contains($0.name) }
      knowledge.book = nil
    } else {
      knowledge.book?.change(from: written.before, to: written.after)
    }
    memory[known] = knowledge
  }

  package func keepMemory() { remember(forAnotherRun: true) }

  /// - Parameter forAnotherRun: it makes the deliveries that this one has not made.
  func remember(forAnotherRun: Bool) {
    leaveFunctions()
    let muted = switches.mutedUntil.map { ($0 - context.clock.uptime).wholeNanoseconds }
    var knowledge = Knowledge(
      book: book, switches: switches, mutedUntil: muted.map { Timestamp(ns: context.clock.now.ns.addingSaturating($0)) },
      alerts: numbers.map { Knowledge.Known(subject: $0, numbers: $1, sent: unresolved[$0]) })
    if forAnotherRun {
      knowledge.isForAnotherRun = true
      knowledge.unpublished = unpublished.map { SavedEvent($0) }
      knowledge.undelivered =
        left.undelivered
        + deliveries.undelivered.map { Knowledge.Undelivered(channel: $0.channel, notification: $0.notification.saved) }
      knowledge.ends = left.ends
      for queue in deliveries.queues { knowledge.ends[queue.name] = queue.channel?.place?.end }
    }
    context.remember(knowledge, Self.known)
  }
}
