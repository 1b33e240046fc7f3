internal import MarketData

// Periods of calendars.
extension MoverBoard {
  /// The position of `time` relative to the calendar's period. An event of a later period closes the open one, for all symbols of the
  /// calendar, so that symbols of one calendar are always compared over the same period.
  @inline(__always)
  mutating func place<Output: MoverOutput & ~Copyable>(
    _ time: Int64, calendar: Int, _ cause: Cause, into output: inout Output
  ) -> Standpoint {
    if let span = clocks[calendar].span, time >= span.start, time < span.until { return .counts }
    return placeElsewhere(time, calendar, cause, into: &output)
  }

  @inline(never)
  private mutating func placeElsewhere<Output: MoverOutput & ~Copyable>(
    _ time: Int64, _ calendar: Int, _ cause: Cause, into output: inout Output
  ) -> Standpoint {
    if let span = clocks[calendar].span {
      if time < span.start { return .late }
      if time < span.end { return .outside }
      close(calendar, Cause(time: span.end, received: cause.received), into: &output)
    } else if time < clocks[calendar].closedUpTo {
      return .late
    }
    guard let span = reference.calendars[calendar].span(at: time), span.start <= time, time < span.end else { return .outside }
    clocks[calendar].span = span
    clocks[calendar].due = max(span.end.addingSaturating(wait), received)
    nextDue = min(nextDue, clocks[calendar].due)
    return time < span.until ? .counts : .outside
  }

  /// Ends a calendar's period: its symbols leave the lists, and their last prices become the references. Costs one pass over all symbols.
  mutating func close<Output: MoverOutput & ~Copyable>(_ calendar: Int, _ cause: Cause, into output: inout Output) {
    changeByTime &+= 1
    let before = lists.snapshot
    sendLeavers(before.gainers, .gainers, calendar, cause, into: &output)
    sendLeavers(before.losers, .losers, calendar, cause, into: &output)
    sendLeavers(before.active, .active, calendar, cause, into: &output)
    for entry in standings.indices where Int(standings[entry].calendar) == calendar {
      standings[entry].closePeriod()
      _ = lists.update(UInt32(truncatingIfNeeded: entry), Rules.Keys(), &standings[entry].flags)
    }
    clocks[calendar].closedUpTo = clocks[calendar].span?.end ?? clocks[calendar].closedUpTo
    clocks[calendar].span = nil
    clocks[calendar].due = .max
    nextDue = clocks.map(\.due).min() ?? .max
    sendDifferences(since: before, leaversAreSent: true, cause, into: &output)
  }

  /// Sends the leaving events, with the figures that the symbols had in the period.
  private func sendLeavers<Key, Output: MoverOutput & ~Copyable>(
    _ members: [TopList<Key>.Member], _ list: MoverList, _ calendar: Int, _ cause: Cause, into output: inout Output
  ) {
    for (index, member) in members.enumerated() where Int(standings[Int(member.entry)].calendar) == calendar {
      output.send(mover(Int(member.entry), list, 0, index + 1, cause))
    }
  }
}
