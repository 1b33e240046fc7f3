/// What a rule knows about one symbol.
struct RuleState: BitwiseCopyable, Hashable, Sendable {
  enum Phase: UInt8, BitwiseCopyable, Sendable {
    /// No price has been seen.
    case unknown
    /// The next time that it holds, it fires.
    case armed
    /// It holds, but began to within the cooldown: it fires when that is over, if it still holds.
    case waiting
    /// It has fired, or was passed before anybody looked; it has to get away from the threshold first.
    case passed
    /// It was to fire once, and has.
    case spent
  }

  enum Outcome: UInt8, BitwiseCopyable, Sendable {
    case nothing, fires
    /// It would have fired, but for the cooldown.
    case suppressed
    /// It would have fired, but is switched off.
    case silenced
  }

  var phase = Phase.unknown
  /// When it last fired, in nanoseconds; nil for never.
  var lastFired: Int64?

  /// Takes the next price; answers what becomes of it.
  ///
  /// - Parameters:
  ///   - reference: the price to compare with, where the rule compares with one.
  ///   - time: in nanoseconds, never before the last one.
  ///   - isSilent: true while it is switched off: it goes on looking, so that it does not fire late for what has passed meanwhile.
  mutating func step(_ test: RuleTest, _ price: Int64, against reference: Int64, at time: Int64, isSilent: Bool) -> Outcome {
    if phase == .spent { return .nothing }
    guard let holds = test.holds(price, against: reference, level: test.threshold) else { return .nothing }
    switch phase {
    case .spent: return .nothing
    case .unknown:
      if !holds {
        phase = .armed
        return .nothing
      }
      if test.firesAtOnce { return fire(test, time, isSilent) }
      phase = .passed
      return .nothing
    case .armed:
      return holds ? fire(test, time, isSilent) : .nothing
    case .waiting, .passed:
      if !holds, test.holds(price, against: reference, level: test.rearm) == false {
        phase = .armed
        return .nothing
      }
      guard holds else { return .nothing }
      if phase == .waiting { return isCooling(test, time) ? .nothing : fire(test, time, isSilent) }
      guard let remind = test.remind, let lastFired, elapsed(time, since: lastFired) >= remind else { return .nothing }
      return fire(test, time, isSilent)
    }
  }

  /// The clock was wrong: what it did happened at `time` at the latest.
  mutating func setBack(to time: Int64) { lastFired = lastFired.map { min($0, time) } }

  private mutating func fire(_ test: RuleTest, _ time: Int64, _ isSilent: Bool) -> Outcome {
    if isSilent || time >= test.expires {
      phase = .passed
      return isSilent ? .silenced : .nothing
    }
    if isCooling(test, time) {
      // A crossing is over as soon as it has happened; what holds may still hold later.
      phase = test.isCrossing ? .passed : .waiting
      return .suppressed
    }
    lastFired = time
    phase = test.once ? .spent : .passed
    return .fires
  }

  private func isCooling(_ test: RuleTest, _ time: Int64) -> Bool {
    guard let lastFired else { return false }
    return elapsed(time, since: lastFired) < test.cooldown
  }

  private func elapsed(_ time: Int64, since begin: Int64) -> Int64 {
    let (difference, overflow) = time.subtractingReportingOverflow(begin)
    return overflow ? .max : difference
  }
}
