internal import StockbusInstruments
internal import StockbusPlugin

// Handles an event that cannot be added to its symbol's newest bar at once.
extension BarBook {
  /// Counts `part` for the bar of length number `l` that it belongs to: the bar may begin with it, be older than the newest one, or have
  /// been sent already.
  ///
  /// - Parameter isDay: true if the event is a bar of a day or more, which is stamped with a date.
  @inline(never)
  mutating func place(
    _ part: Contribution, of symbol: Symbol, in l: Int, event: Int, isDay: Bool = false, into output: inout Outlet<Bar>
  ) {
    let key = number(of: symbol) * lengths.count + l
    if part.volume < 0 { return refuse(event, .negativeVolume, in: l) }
    guard let nanoseconds = lengths[l].nanoseconds else { return collect(part, key, l, event, into: &output) }
    guard let period = period(of: part.time, nanoseconds, isDay, key, l) else { return refuse(event, .outside, in: l) }
    var part = part
    part.count(in: period.session)
    progress = max(progress, newest.subtractingSaturating(1))
    let due = period.end.addingSaturating(rules.wait)
    let isClosed = due <= progress
    if isClosed, due.addingSaturating(rules.late) <= progress { return refuse(event, .late, in: l) }
    let (cell, newer, older) = find(period.start, key)
    if cell == 0 {
      let cell = makeCell(BarCell(period, due: due, key: key, isClosed ? .closed : .open, part))
      insert(cell, newer: newer, older: older)
      if rules.keepsComponents { addFirstComponent(part, to: cell) }
      if isClosed {
        appendClosed(cell)
        issueLate(cell, into: &output)
      } else {
        cells[cell].span = UInt64(period.end &- period.start)
        enqueue(cell)
      }
      return
    }
    let wasSent = cells[cell].state != .open && cells[cell].state != .empty && cells[cell].hasPrices
    if let reason = add(part, to: cell, period) { return refuse(event, reason, in: l) }
    if wasSent {
      cells[cell].revision = cells[cell].revision &+ 1
      revisions += 1
    }
    if cells[cell].state == .closed { issueLate(cell, into: &output) }
  }

  /// Sends a bar that has closed, because of a late trade.
  private mutating func issueLate(_ cell: Int, into output: inout Outlet<Bar>) {
    if !cells[cell].hasPrices { return }
    issue(cell, at: max(newest, lastDue), into: &output)
    carryClose(of: cell)
  }

  @inline(__always)
  private mutating func period(of time: Int64, _ nanoseconds: Int64, _ isDay: Bool, _ key: Int, _ l: Int) -> Period? {
    if calendar == nil {
      // Most bars begin in the same period as the previous one; this saves them a division.
      if latestPeriods[l].contains(time) { return latestPeriods[l] }
      guard let period = Periods.utc(time, nanoseconds) else { return nil }
      latestPeriods[l] = period
      return period
    }
    let periods = periods[key / lengths.count]
    return isDay ? periods.period(ofDayAt: time, nanoseconds) : periods.period(of: time, nanoseconds)
  }

  /// Adds to a bar that exists; returns why not, and changes nothing then.
  private mutating func add(_ part: Contribution, to cell: Int, _ period: Period) -> Refusal.Reason? {
    switch cells[cell].state {
    case .empty, .filled:
      cells[cell].begin(part)
      if rules.keepsComponents { addFirstComponent(part, to: cell) }
      if cells[cell].state == .filled {
        cells[cell].state = .closed
      } else {
        cells[cell].state = .open
        cells[cell].span = UInt64(period.end &- period.start)
      }
      return nil
    case .open, .closed, .component, .merged:
      if rules.keepsComponents { return addComponent(part, to: cell) }
      merge(part, into: cell)
      return nil
    }
  }

  /// Adds a contribution, whose volume is not negative. If a sum is too large, the bar keeps its prices, and the excess is counted.
  mutating func merge(_ part: Contribution, into cell: Int) {
    if cells[cell].merge(part) { return }
    cells[cell].addBeyond(part)
    beyond += 1
  }

  /// The bar with this start, or 0 with its future neighbours. The search goes back from the newest bar, and kept bars are few.
  @inline(__always)
  private func find(_ start: Int64, _ key: Int) -> (cell: Int, newer: Int, older: Int) {
    var newer = 0
    var cell = newestCell(of: UInt32(truncatingIfNeeded: key))
    while cell != 0, cells[cell].start > start {
      newer = cell
      cell = Int(cells[cell].older)
    }
    return cell != 0 && cells[cell].start == start ? (cell, newer, 0) : (0, newer, cell)
  }

  /// Adds to the bar of a number of trades or a volume, which ends with the event that reaches it.
  private mutating func collect(_ part: Contribution, _ key: Int, _ l: Int, _ event: Int, into output: inout Outlet<Bar>) {
    var part = part
    if part.condition == .extendedHours, let session = periods[key / lengths.count].calendar?.session(at: part.time) {
      part.count(in: session.session)
    }
    var cell = newestCell(of: UInt32(truncatingIfNeeded: key))
    if cell == 0 {
      cell = makeCell(BarCell(Period(start: part.time, end: part.time), due: .max, key: key, .open, part))
      insert(cell, newer: 0, older: 0)
    } else {
      merge(part, into: cell)
    }
    let isFull =
      switch lengths[l].kind {
      case .trades(let count): Int64(cells[cell].count) >= count
      case .volume(let volume): cells[cell].volume >= volume.raw
      case .time, .unknown: false
      }
    // A bar without an open waits for the trade that has one.
    if !isFull || !cells[cell].hasPrices { return }
    cells[cell].start = cells[cell].openTime
    issue(cell, at: max(newest, lastDue), into: &output)
    remove(cell)
  }

  /// Converts the values of the symbol's bars in progress to the new shares. Bars that end before the split stay as they are.
  mutating func apply(_ split: PriceSplit, to symbol: Symbol) {
    let number = Int(entry(of: symbol).number)
    if number == 0 { return }
    for l in lengths.indices {
      var cell = newestCell(of: UInt32(truncatingIfNeeded: number * lengths.count + l))
      while cell != 0 {
        if cells[cell].state == .open || cells[cell].state == .empty, cells[cell].due.subtractingSaturating(rules.wait) > split.time {
          cells[cell].apply(split)
          var component = rules.keepsComponents ? Int(components[cell].newest) : 0
          while component != 0 {
            cells[component].apply(split)
            component = Int(cells[component].older)
          }
        }
        cell = Int(cells[cell].older)
      }
    }
  }

  /// The symbol's number; a new symbol gets the next one.
  mutating func number(of symbol: Symbol) -> Int {
    let number = Int(entry(of: symbol).number)
    return number != 0 ? number : addSymbol(symbol)
  }

  /// Gives a symbol that has none a number.
  @inline(never)
  mutating func addSymbol(_ symbol: Symbol) -> Int {
    let id = Int(symbol.id)
    let number = symbols.count
    entries.extend(to: id + 1, filling: SymbolEntry())
    entries[id].number = UInt32(number)
    symbols.extend(to: number + 1, filling: symbol)
    periods.append(Periods(calendar: calendar?(symbol)))
    if calendar != nil { sessions.extend(to: number + 1, filling: SessionTime()) }
    newestCells.extend(to: (number + 1) * lengths.count, filling: 0)
    return number
  }
}
