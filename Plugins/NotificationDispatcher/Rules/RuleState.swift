internal import MarketData

/// The state of a rule for one symbol.
struct RuleState: BitwiseCopyable, Hashable, Sendable, Codable {
  enum Phase: String, BitwiseCopyable, Sendable, Codable {
    /// No price has arrived yet.
    case unknown
    /// The rule fires when the condition is next true.
    case armed
    /// The condition is true, but has not been so for as long as the rule asks (`for`).
    case holding
    /// The condition became true within the cooldown: the rule fires when that is over, if the condition is still true.
    case waiting
    /// The rule has fired, or the condition was true at the start; before it can fire again the price must leave the threshold.
    case passed
    /// A rule with `once` that has fired.
    case spent
  }

  enum Outcome: UInt8, BitwiseCopyable, Sendable {
    case nothing, fires
    /// The rule would have fired without the cooldown.
    case suppressed
    /// The rule would have fired if it were not switched off.
    case silenced
  }

  var phase = Phase.unknown
  /// When the rule last fired, in nanoseconds; nil for never.
  var lastFired: Int64?
  /// The end of the session in which a rule with `once_per` has fired, in nanoseconds.
  var quietUntil = Int64.min
  /// Since when the condition of a rule that holds is true, in nanoseconds.
  var since = Int64.min
  /// The rule has fired, and what it has fired for is not over; only of rules that say so.
  var isOpen = false

  /// Takes the next price; returns the result.
  ///
  /// - Parameters:
  ///   - reference: the price to compare with, if the rule has a reference.
  ///   - time: in nanoseconds, never before the last one.
  ///   - isSilent: true while the rule is switched off: its state is still updated, so that it does not fire later because of events in
  ///   that time.
  mutating func step(_ test: RuleTest, _ price: Int64, against reference: Int64, at time: Int64, isSilent: Bool) -> Outcome {
    if phase == .spent { return .nothing }
    guard let holds = test.holds(price, against: reference, level: test.threshold) else {
      if phase == .holding { phase = .armed }
      return .nothing
    }
    return step(
      test, holds: holds, isBack: !holds && test.holds(price, against: reference, level: test.rearm) == false, at: time, isSilent: isSilent)
  }

  /// Takes the next verdict of the rule's condition, nil if it is undecided; returns the result.
  ///
  /// - Parameter isBack: true if a rule that has fired is armed again; asked for only where this matters.
  @inline(__always)
  mutating func step(
    _ test: RuleTest, holds: Bool?, isBack: @autoclosure () -> Bool, at time: Int64, isSilent: Bool
  ) -> Outcome {
    switch phase {
    case .spent: return .nothing
    case .unknown:
      guard let holds else { return .nothing }
      if !holds {
        phase = .armed
        return .nothing
      }
      if test.firesAtOnce { return fire(test, time, isSilent) }
      phase = .passed
      return .nothing
    case .armed:
      return holds == true ? fire(test, time, isSilent) : .nothing
    case .holding:
      // What is unknown for a moment has not been true all the time.
      if holds != true { phase = .armed }
      return .nothing
    case .waiting, .passed:
      if isBack() {
        phase = .armed
        return .nothing
      }
      guard holds == true else {
        // What is over when the cooldown ends does not fire; it has to be armed by its own condition.
        if holds == false, test.hasRearmWhen { phase = .passed }
        return .nothing
      }
      if phase == .waiting { return isCooling(test, time) ? .nothing : fire(test, time, isSilent) }
      guard let remind = test.remind, let lastFired, time.subtractingSaturating(lastFired) >= remind else { return .nothing }
      return fire(test, time, isSilent)
    }
  }

  /// Fires because time has passed: the condition has been true for long enough, or there was no event for too long.
  mutating func lapse(_ test: RuleTest, at time: Int64, isSilent: Bool) -> Outcome {
    switch phase {
    case .holding: fire(test, time, isSilent)
    case .unknown, .armed: test.silence > 0 ? fire(test, time, isSilent) : .nothing
    case .waiting, .passed, .spent: .nothing
    }
  }

  /// Takes note of an event of a symbol whose silence the rule watches.
  mutating func hear() { if phase != .spent { phase = .armed } }

  /// True if what the rule has fired for is over; once.
  mutating func takeEnd() -> Bool {
    guard isOpen, phase == .armed || phase == .holding else { return false }
    isOpen = false
    return true
  }

  /// Ends the rule for good; returns true if what it has fired for was not over.
  mutating func expire() -> Bool {
    phase = .spent
    defer { isOpen = false }
    return isOpen
  }

  /// Arms the rule, unless it never fires again.
  mutating func rearm() { if phase != .spent { phase = .armed } }

  /// Arms a rule that has fired.
  mutating func rearmAfterFiring() { if phase == .passed || phase == .waiting { phase = .armed } }

  /// Arms the rule, or marks its condition as true, without firing, after a split has changed the last price.
  mutating func settle(_ test: RuleTest, at price: Int64) {
    if phase == .spent || phase == .unknown || phase == .holding { return }
    if test.holds(price, against: 0, level: test.threshold) == true {
      if phase == .armed { phase = .passed }
    } else if !test.hasRearmWhen, test.holds(price, against: 0, level: test.rearm) == false {
      phase = .armed
    }
  }

  /// Corrects the state after the clock was set back: the rule fired at `time` at the latest.
  mutating func setBack(to time: Int64) {
    lastFired = lastFired.map { min($0, time) }
    quietUntil = .min
    since = min(since, time)
  }

  private mutating func fire(_ test: RuleTest, _ time: Int64, _ isSilent: Bool) -> Outcome {
    if test.hold > 0, phase == .armed || phase == .unknown {
      phase = .holding
      since = time
      return .nothing
    }
    if isSilent || time >= test.expires {
      phase = .passed
      return isSilent ? .silenced : .nothing
    }
    if time < quietUntil {
      phase = .passed
      return .nothing
    }
    if isCooling(test, time) {
      // A crossing is over at once; a lasting condition may still be true after the cooldown.
      phase = test.isCrossing ? .passed : .waiting
      return .suppressed
    }
    lastFired = time
    if test.resolves { isOpen = true }
    phase = test.once ? .spent : .passed
    return .fires
  }

  private func isCooling(_ test: RuleTest, _ time: Int64) -> Bool {
    guard let lastFired else { return false }
    return time.subtractingSaturating(lastFired) < test.cooldown
  }
}
