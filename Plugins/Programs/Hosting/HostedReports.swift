package import StockbusPlugin

/// Sends the reports of a hosted component besides events: dead letters at once, counters and notes from time to time.
package final class HostedReports: NoticePublisher, Sendable {
  package let counters = CounterRegistry()
  private let voice: HostVoice
  private let reported = Guarded(Reported())

  private struct Reported {
    var lost = 0
    var notes = 0
    var counters: [String: Int] = [:]
    var remembers = false
  }

  init(_ voice: HostVoice) { self.voice = voice }

  package func post(_ letter: DeadLetter) {
    voice.say(["reject": .string(letter.payload), "origin": .string(letter.origin), "reason": .string(letter.reason)])
  }

  package func post(_ status: ConnectionStatus) {
    voice.say(["connection": .string(status.state.fieldName), "reason": .string(status.reason)])
  }

  package func post(_ gap: Gap) {
    voice.say(["gap": .string(gap.stream), "expected": .number(gap.expected), "got": .number(gap.got)])
  }

  /// Sends the changes.
  func report(_ context: Context) {
    var out = ByteWriter()
    report(context, isUrgent: true, to: &out)
    if out.count > 0 { voice.write(out) }
  }

  /// Writes the changes; counters and notes only if `isUrgent`.
  func report(_ context: Context, isUrgent: Bool, to out: inout ByteWriter) {
    reported.withLock { reported in
      func put(_ message: JSONValue) { HostVoice.put(message, to: &out) }
      let lost = counters.lost.total
      if lost > reported.lost { put(["lost": .number(lost - reported.lost), "reason": "see the line before"]) }
      reported.lost = lost
      if !reported.remembers, !context.memory.isEmpty {
        reported.remembers = true
        put(["remembers": true])
      }
      guard isUrgent else { return }
      for entry in counters.entries {
        let total = entry.counter.total
        let new = total - (reported.counters[entry.name] ?? 0)
        if new > 0 { put(["counter": .string(entry.name), "add": .number(new), "doc": .string(entry.doc)]) }
        reported.counters[entry.name] = total
      }
      for note in counters.notes.dropFirst(reported.notes) { put(["note": .string(note)]) }
      reported.notes = counters.notes.count
    }
  }
}
