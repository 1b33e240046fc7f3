internal import MarketData

// Periods of the last hours.
extension MoverBoard {
  /// An event from before the window can only correct a reference.
  func isInWindow(_ time: Int64) -> Standpoint {
    guard let window else { return .outside }
    return window.number(of: time) < window.start(at: received) ? .late : .counts
  }

  /// Takes the oldest bucket out of the window: its sums are subtracted, and its prices become the references.
  mutating func moveWindow<Output: MoverOutput & ~Copyable>(into output: inout Output) {
    guard let window, !window.buckets.isEmpty else {
      nextDue = .max
      return
    }
    changeByTime &+= 1
    let due = window.due
    let before = lists.snapshot
    guard let bucket = self.window?.removeFirst() else { return }
    for slot in bucket.slots {
      let entry = Int(slot.entry)
      leave(slot, of: bucket.number, window.end(of: bucket.number), isTraded: window.isTraded(entry, after: bucket.number))
      // Not an event, and so not counted.
      var unused = LeftOut()
      let keys = rules.keys(&standings[entry], &unused)
      _ = lists.update(slot.entry, keys, &standings[entry].flags)
    }
    nextDue = self.window?.due ?? .max
    let cause = Cause(time: due == .max ? due : due - wait, received: max(due, received))
    sendDifferences(since: before, leaversAreSent: false, cause, into: &output)
  }

  private mutating func leave(_ slot: RollingWindow.Slot, of bucket: Int64, _ end: Int64, isTraded: Bool) {
    let entry = Int(slot.entry)
    standings[entry].touched = changeByTime
    standings[entry].subtract(volume: slot.volume, turnover: slot.turnover)
    let isKnown = standings[entry].flags.contains(.hasReference) && !standings[entry].flags.contains(.isFirstPrice)
    if !isKnown || slot.time >= standings[entry].referenceTime { standings[entry].setReference(slot.price, time: slot.time) }
    if standings[entry].jumpTime < end { standings[entry].flags.subtract([.isJump, .isReused]) }
    if standings[entry].splitTime < end { standings[entry].flags.remove(.isSplit) }
    if !isTraded { standings[entry].flags.remove(.isTraded) }
  }
}
