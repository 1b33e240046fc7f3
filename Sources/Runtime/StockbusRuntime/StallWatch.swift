internal import StockbusConfig
internal import StockbusPlugin

/// Detects components that hang: events wait, and none was finished for the time that `supervision` allows.
///
/// It checks the counts of all components from time to time, so it adds no cost to an event. Two kinds of waiting are no fault of the
/// component: for room behind it, because its readers are slow, and for another of the inputs that it merges by time.
final class StallWatch: Sendable {
  /// Since when a component has finished nothing while events waited.
  private struct Standstill: Sendable {
    let progress: Int
    let since: Duration
    var isReported = false
  }

  /// The longest time between two checks.
  static let period = Duration.seconds(5)

  private let standstills = Guarded([Int: Standstill]())

  /// Checks until the task is cancelled, at least twice within the shortest time that a component may hang.
  func run(_ pipeline: Pipeline) async {
    while !Task.isCancelled {
      let shortest = pipeline.members.map(\.plan.supervision.stall).min() ?? Self.period
      do { try await pipeline.clock.sleep(for: min(Self.period, shortest / 2)) } catch { return }
      look(pipeline)
    }
  }

  private func look(_ pipeline: Pipeline) {
    // A change halts components, and a stop names those that are late.
    if pipeline.isChanging || pipeline.isStopping { return }
    let now = pipeline.clock.uptime
    let before = standstills.withLock { $0 }
    var after: [Int: Standstill] = [:]
    for member in pipeline.members where !member.hasEnded {
      let (waiting, progress) = (member.waiting, member.slot.progressMade)
      var standstill = before[member.number]
      if let known = standstill, waiting == 0 || known.progress != progress {
        if known.isReported, member.vitals.stand(nil) {
          pipeline.logger.notice("\(member.id) continues after \((now - known.since).roughText)")
        }
        standstill = nil
      }
      if waiting == 0 { continue }
      if !member.mayHang {
        if let standstill, standstill.isReported { after[member.number] = standstill }
        continue
      }
      var present = standstill ?? Standstill(progress: progress, since: now)
      let time = now - present.since
      if !present.isReported, time >= member.plan.supervision.stall {
        present.isReported = true
        let reason = "has finished no event for \(time.roughText) while events wait"
        member.vitals.stand(reason)
        pipeline.logger.warning("\(member.id) \(reason): \(Ledger.grouped(waiting)) so far")
      }
      after[member.number] = present
    }
    standstills.withLock { $0 = after }
  }
}

extension Member {
  /// Events that wait for it, or are in its current batch.
  var waiting: Int { slot.ports.reduce(0) { $0 + $1.counts.inFlight } }

  /// False where nothing is finished for a known reason, or because of other components.
  fileprivate var mayHang: Bool {
    let vitals = vitals.reading
    if phase != .running || vitals.isPausing || vitals.trouble != nil { return false }
    return slot.output?.awaitsRoom != true && !(plan.worksWithTime && slot.ports.count > 1)
  }
}
