package import EventBus
internal import MarketData

/// The progress of time at a component's inputs: the time that all of them have reached, and how it is passed on. The component also sleeps
/// here.
@usableFromInline package struct InputClock: Sendable {
  @usableFromInline let inlets: [any AnyInlet]
  let merge: Merge
  /// The topic to which the watermark is passed on; nil if the component emits nothing or does not pass the watermark on.
  let output: (any AnyTopic)?
  /// Passes the watermark on in place of the output, inside the component's isolation.
  let relay: (@Sendable (Timestamp) -> Void)?
  /// True if there are several inputs, whose events come in the order of their receipts.
  @usableFromInline let isMerging: Bool
  /// True if the component is called when time advances.
  let isTimed: Bool
  /// Gets the times for which the component waits.
  let clock: WatermarkClock?
  let id: String
  private let nudge: Nudge

  /// - Parameters:
  ///   - isTimed: the component is called when time advances.
  ///   - isMerging: the events of several inputs come in the order of their receipts.
  @usableFromInline
  init(
    _ inlets: [any AnyInlet], output: (any AnyTopic)?, isTimed: Bool, isMerging: Bool, _ context: Context,
    relay: (@Sendable (Timestamp) -> Void)? = nil
  ) {
    self.relay = relay
    self.inlets = inlets
    merge = Merge(inlets)
    self.output = output
    self.isMerging = isMerging && inlets.count > 1
    self.isTimed = isTimed
    clock = context.watermarkClock
    id = context.id
    nudge = context.nudge
    if isTimed || isMerging { for inlet in inlets { inlet.follow() } }
  }

  /// The time, in nanoseconds, up to which everything received is finished on all inputs; `Int.max` when all have ended. The inlets follow.
  @usableFromInline var reached: Int {
    var reached = Int.max
    for inlet in inlets {
      // Reads the watermark before `reached` is read.
      _ = inlet.nextReceipt()
      reached = min(reached, inlet.reached)
    }
    return reached
  }

  /// The time to pass to the component's `advance` now, when no event waits: the time reached, if it is after `reported`, or `reported` again if
  /// the component has asked for a call; otherwise nil. In nanoseconds; never `Int.max`.
  @usableFromInline
  func timeToReport(after reported: Int) -> Int? {
    let reached = reached
    if reached > reported, reached != .max { return reached }
    return isTimed && nudge.take() ? reported : nil
  }

  /// The next events: the input's place, and how many of its waiting events, at most `limit`; nil if no event is certain to be the next.
  @usableFromInline
  func next(limit: Int) -> (place: Int, count: Int)? {
    if inlets.count > 1 { return merge.next(limit: limit) }
    return inlets.first.flatMap { $0.isReady ? (0, limit) : nil }
  }

  /// Sleeps until one of the inlets is ready. Returns true when all have ended or the reader is to hand over; throws if the reader is cut
  /// off or the task is cancelled.
  ///
  /// - Parameter due: a time for which the component waits.
  @inline(never)
  @usableFromInline
  nonisolated(nonsending) func sleepUntilReady(
    _ parker: Parker, _ stop: StopToken, due: Timestamp?, _ spinBudget: inout SpinBudget
  ) async throws(CancellationError) -> Bool {
    if stop.isCutOff || Task.isCancelled { throw CancellationError() }
    // Checked first: a reader that is to hand over returns without waiting for the end of its inputs.
    if stop.isQuiescing || areFinished(inlets) { return true }
    let follows = prepare(due)
    for inlet in inlets { inlet.announce() }
    parker.fence()
    var hasChanges = areFinished(inlets)
    for inlet in inlets where inlet.isReady { hasChanges = true }
    spinBudget.wentToSleep(inVain: !hasChanges)
    if !hasChanges { await parker.sleep() }
    for inlet in inlets {
      inlet.retract()
      if follows { inlet.sleepUntil(watermark: .max, heeding: .all) }
    }
    return false
  }

  /// Passes the watermark on, if a reader follows, and sets what ends the sleep. Returns true if the inlets follow.
  private func prepare(_ due: Timestamp?) -> Bool {
    let isFollowed = output?.isFollowed ?? false
    if !isFollowed, !isTimed, !isMerging { return false }
    for inlet in inlets { inlet.follow() }
    let reached = reached
    if isFollowed, reached != .max {
      let time = Timestamp(ns: Int64(reached))
      if let relay { relay(time) } else { output?.advance(to: time) }
    }
    let wanted = isMerging ? merge.prepareToSleep() : .max
    if !isMerging || wanted == .max {
      // Any advance of time may have to be passed on, or be what the component waits for.
      for inlet in inlets { inlet.sleepUntil(watermark: inlet.unreached, heeding: .all) }
    }
    if isTimed || isMerging { clock?.want(min(Int64(wanted), due?.ns ?? .max), by: id) }
    return true
  }
}

// Loops, because closures and key paths over existentials allocate, and this runs at every sleep.
func areFinished(_ inlets: [any AnyInlet]) -> Bool {
  for inlet in inlets where !inlet.isFinished { return false }
  return true
}
