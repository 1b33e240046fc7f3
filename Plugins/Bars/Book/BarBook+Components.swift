internal import StockbusPlugin

// Bars of bars: a reissued component replaces the one with its start.
extension BarBook {
  /// Takes bars of shorter lengths.
  mutating func take(_ bars: Span<Bar>, into output: inout Outlet<Bar>) {
    for i in bars.indices {
      let (time, received) = (bars[i].time, bars[i].received)
      if received.ns > newest {
        if received.ns > nextDue { pass(received.ns, by: bars[i].symbol, into: &output) }
        newest = received.ns
      }
      if time > received, EventClock.fair(bars[i]) != time {
        refuse(i, .ahead)
        continue
      }
      if bars[i].repeatsClose {
        output.filter()
        continue
      }
      // A bar of a day is stamped with a midnight, at which the market may be closed.
      let isDay = bars[i].length.raw >= BarLength.day.raw
      if calendar != nil, !isDay, !sessions[number(of: bars[i].symbol)].contains(time), !enter(time, of: bars[i].symbol) {
        output.filter()
        continue
      }
      let part = Contribution(bars[i])
      for l in lengths.indices {
        if let reason = misfit(bars[i], l) {
          refuse(i, reason, in: l)
        } else {
          place(part, of: bars[i].symbol, in: l, event: i, isDay: isDay, into: &output)
        }
      }
    }
  }

  /// Why a bar cannot be a part of one of length number `l`. Days are trusted to be parts of weeks, because they may be days of any zone.
  private mutating func misfit(_ bar: Bar, _ l: Int) -> Refusal.Reason? {
    if bar.length.raw < 0 { return .notOfTime }
    guard let own = bar.length.nanoseconds, let nanoseconds = lengths[l].nanoseconds else { return nil }
    if own > nanoseconds { return .straddles }
    if own >= BarLength.day.raw { return nil }
    let periods = periods[number(of: bar.symbol)]
    guard let period = periods.period(of: bar.time.ns, nanoseconds) else { return .outside }
    var end = bar.time.ns.addingSaturating(own)
    // Bars end with their session.
    if let session = periods.calendar?.session(at: bar.time.ns) { end = min(end, session.end) }
    return end > period.end ? .straddles : nil
  }

  /// The first component of a bar that was made of it.
  mutating func addFirstComponent(_ part: Contribution, to cell: Int) {
    let component = UInt32(truncatingIfNeeded: makeComponent(part, of: cell))
    components[cell] = Components(newest: component, oldest: component)
  }

  private mutating func makeComponent(_ part: Contribution, of cell: Int) -> Int {
    makeCell(BarCell(Period(start: part.time, end: part.time), due: newest, key: Int(cells[cell].key), .component, part))
  }

  /// Adds a component, or replaces the one with its start; returns why not, and changes nothing then.
  mutating func addComponent(_ part: Contribution, to cell: Int) -> Refusal.Reason? {
    mergeOldComponents(of: cell)
    let last = Int(components[cell].newest)
    if part.time > cells[last].start, cells[last].state == .component {
      merge(part, into: cell)
      let component = makeComponent(part, of: cell)
      cells[component].older = UInt32(truncatingIfNeeded: last)
      cells[last].newer = UInt32(truncatingIfNeeded: component)
      components[cell].newest = UInt32(truncatingIfNeeded: component)
      return nil
    }
    var newer = 0
    var older = last
    while older != 0, cells[older].state == .component, cells[older].start > part.time {
      newer = older
      older = Int(cells[older].older)
    }
    if older != 0, cells[older].state == .merged, part.time <= cells[older].closeTime { return .late }
    let isReplacement = older != 0 && cells[older].state == .component && cells[older].start == part.time
    let total = total(of: cell, with: part, insteadOf: isReplacement ? older : 0)
    if isReplacement {
      cells[older].begin(part)
      cells[older].due = newest
    } else {
      insertComponent(part, of: cell, newer: newer, older: older)
    }
    cells[cell].adopt(total)
    return nil
  }

  private mutating func insertComponent(_ part: Contribution, of cell: Int, newer: Int, older: Int) {
    let component = makeComponent(part, of: cell)
    let number = UInt32(truncatingIfNeeded: component)
    cells[component].newer = UInt32(truncatingIfNeeded: newer)
    cells[component].older = UInt32(truncatingIfNeeded: older)
    if newer != 0 { cells[newer].older = number } else { components[cell].newest = number }
    if older != 0 { cells[older].newer = number } else { components[cell].oldest = number }
  }

  /// Merges the components that arrived longer than `late` ago, except the newest one, so that a bar keeps all that can be replaced.
  private mutating func mergeOldComponents(of cell: Int) {
    while case let oldest = Int(components[cell].oldest), oldest != Int(components[cell].newest) {
      if cells[oldest].state == .component {
        if !isSettled(oldest) { return }
        cells[oldest].state = .merged
        continue
      }
      let next = Int(cells[oldest].newer)
      if next == Int(components[cell].newest) || !isSettled(next) { return }
      // With negative prices a part of a sum may be out of range though the whole is not.
      if !cells[oldest].merge(cells[next].contribution) { return }
      let after = cells[next].newer
      cells[oldest].newer = after
      cells[Int(after)].older = UInt32(truncatingIfNeeded: oldest)
      discard(next)
    }
  }

  private func isSettled(_ component: Int) -> Bool { cells[component].due.addingSaturating(rules.late) <= progress }

  /// The sum of a bar's components and `part`, which replaces the component `replaced` if that is not 0.
  private func total(of cell: Int, with part: Contribution, insteadOf replaced: Int) -> BarCell {
    // In the order of time, so that each closes the bar.
    var sum: BarCell?
    var component = Int(components[cell].oldest)
    var isPartAdded = false
    while component != 0 || !isPartAdded {
      let next: BarCell
      if !isPartAdded, component == 0 || component == replaced || cells[component].start > part.time {
        next = BarCell(Period(start: part.time, end: part.time), due: 0, key: 0, .component, part)
        isPartAdded = true
        if component == replaced { component = component == 0 ? 0 : Int(cells[component].newer) }
      } else {
        next = cells[component]
        component = Int(cells[component].newer)
      }
      guard var known = sum else {
        sum = next
        continue
      }
      if !known.merge(next.contribution) { known.addBeyond(next.contribution) }
      sum = known
    }
    // There is at least one, which is `part`.
    return sum ?? BarCell(Period(start: part.time, end: part.time), due: 0, key: 0, .component, part)
  }
}

extension Bar {
  /// True for a bar made by `fill`, in whose period nothing was traded.
  fileprivate var repeatsClose: Bool {
    count == 0 && volume.raw == 0 && length != .unknown && open == close && high == close && low == close
  }
}
