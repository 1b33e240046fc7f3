internal import StockbusPlugin

// Bars that end because time has passed.
extension BarBook {
  /// Closes the bars that are due until `time`: everything received until then has arrived. Bars that are due at the same moment are sent
  /// in the order in which their symbols first arrived, those of one symbol in the order of the lengths.
  @inline(never)
  mutating func advance(to time: Int64, into output: inout Outlet<Bar>) {
    if time > progress { progress = time }
    while let due = earliest, due.moment <= time {
      dues.removeLast()
      lastDue = max(lastDue, due.moment)
      let count = arrange(due)
      for place in 0..<count { close(Int(arranged[place]), into: &output) }
    }
    nextDue = earliest?.moment ?? .max
    forget()
  }

  /// Closes the bars that are due before the receipt of an event, which is after all others so far.
  @inline(never)
  mutating func pass(_ received: Int64, by symbol: Symbol, into output: inout Outlet<Bar>) {
    if received.subtractingSaturating(newest) > EventClock.tolerance { leap = Leap(symbol: symbol, received: received) }
    advance(to: received &- 1, into: &output)
  }

  /// Sends the unfinished bars, marked partial, when the input has ended: those of times in the order of `advance`, then the others.
  mutating func drain(into output: inout Outlet<Bar>) {
    let end = max(newest, lastDue)
    while let due = earliest {
      dues.removeLast()
      let count = arrange(due)
      for place in 0..<count where cells[Int(arranged[place])].state == .open { issuePartial(Int(arranged[place]), at: end, into: &output) }
    }
    nextDue = .max
    for key in keys where lengths[place(of: key).length].raw < 0 {
      let cell = newestCell(of: key)
      if cell != 0 { issuePartial(cell, at: end, into: &output) }
    }
  }

  private mutating func issuePartial(_ cell: Int, at time: Int64, into output: inout Outlet<Bar>) {
    cells[cell].isPartial = true
    if cells[cell].span == 0 { cells[cell].start = cells[cell].openTime }
    issue(cell, at: time, into: &output)
  }

  /// Adds an open bar to those that are due at its moment.
  mutating func enqueue(_ cell: Int) {
    let (moment, key) = (cells[cell].due, cells[cell].key)
    let place = placeAmongDues(of: moment)
    if place < dues.count, dues[place].moment == moment {
      cells[cell].link = dues[place].cell
      dues[place].add(cell, key)
      return
    }
    cells[cell].link = 0
    dues.insert(Due(moment: moment, cell: UInt32(truncatingIfNeeded: cell), count: 1, leastKey: key, greatestKey: key), at: place)
    if place == dues.count - 1 { nextDue = moment }
  }

  /// The index of the first moment that is not later, counted from the latest one, which most bars have.
  @inline(__always)
  private func placeAmongDues(of moment: Int64) -> Int {
    var place = 0
    if dues.count > 0, dues[0].moment > moment {
      var high = dues.count
      while place < high {
        let middle = (place + high) / 2
        if dues[middle].moment > moment { place = middle + 1 } else { high = middle }
      }
    }
    return place
  }

  /// The moment that is due next, with its bars.
  private var earliest: Due? { dues.count == 0 ? nil : dues[dues.count - 1] }

  /// Puts the bars of a list into `arranged`, in the order of their keys; returns how many there are.
  private mutating func arrange(_ due: Due) -> Int {
    let count = Int(due.count)
    arranged.extend(to: count, filling: 0)
    var cell = Int(due.cell)
    let width = Int(due.greatestKey - due.leastKey) + 1
    if width <= 8 * count {
      // Most symbols have a bar: a pass over all keys is faster than sorting.
      scattered.extend(to: width, filling: 0)
      while cell != 0 {
        scattered[Int(cells[cell].key - due.leastKey)] = UInt32(truncatingIfNeeded: cell)
        cell = Int(cells[cell].link)
      }
      var next = 0
      for place in 0..<width where scattered[place] != 0 {
        arranged[next] = scattered[place]
        scattered[place] = 0
        next += 1
      }
      return count
    }
    sorted.removeAll(keepingCapacity: true)
    while cell != 0 {
      sorted.append(UInt64(cells[cell].key) << 32 | UInt64(cell))
      cell = Int(cells[cell].link)
    }
    sorted.sort()
    for place in 0..<count { arranged[place] = UInt32(truncatingIfNeeded: sorted[place]) }
    return count
  }

  private mutating func close(_ cell: Int, into output: inout Outlet<Bar>) {
    cells[cell].span = 0
    if cells[cell].state == .empty {
      cells[cell].state = .filled
    } else {
      cells[cell].state = .closed
      if cells[cell].hasClose { cells[cell].fills = 0 }
    }
    issue(cell, at: lastDue, into: &output)
    appendClosed(cell)
    if rules.fills > 0, cells[cell].hasPrices { prepareFill(after: cell) }
  }

  /// The keys of all symbols and lengths.
  var keys: Range<UInt32> { UInt32(lengths.count)..<UInt32(max(lengths.count, newestCells.count)) }

  /// The number of the symbol and the place of the length for a key.
  @inline(__always)
  func place(of key: UInt32) -> (number: Int, length: Int) {
    // Most pipelines have one length, and need no division.
    if lengths.count == 1 { return (Int(key), 0) }
    let (number, length) = key.quotientAndRemainder(dividingBy: UInt32(truncatingIfNeeded: lengths.count))
    return (Int(number), Int(length))
  }

  /// Sends a bar as it is now. One without prices is only counted.
  mutating func issue(_ cell: Int, at received: Int64, into output: inout Outlet<Bar>) {
    if !cells[cell].hasPrices {
      unpriced += 1
      return
    }
    let (open, high, low, close) = cells[cell].prices
    let (volume, turnover) = (Quantity(raw: cells[cell].volume), Amount(raw: cells[cell].turnover))
    let (number, place) = place(of: cells[cell].key)
    let stamp = calendar == nil ? cells[cell].start : periods[number].stamp(cells[cell].start, lengths[place].raw)
    output.send(
      Bar(
        symbol: symbols[number], open: Price(raw: open), high: Price(raw: high), low: Price(raw: low), close: Price(raw: close),
        volume: volume, time: Timestamp(ns: stamp), received: Timestamp(ns: received),
        priceDecimals: cells[cell].sentDecimals, sizeDecimals: cells[cell].sizeDecimals, length: lengths[place], turnover: turnover,
        vwap: turnover.divided(by: volume), count: cells[cell].count, revision: cells[cell].revision, session: cells[cell].session,
        status: cells[cell].isPartial ? .partial : .complete))
  }
}

// Bars of periods in which nothing traded.
extension BarBook {
  /// If no trade has arrived for the period after a bar that has just closed, a bar for that period waits: with the close of this one,
  /// unless a trade arrives.
  private mutating func prepareFill(after cell: Int) {
    let fills = cells[cell].fills
    if fills >= rules.fills { return }
    let (number, place) = place(of: cells[cell].key)
    guard let nanoseconds = lengths[place].nanoseconds,
      let present = periods[number].period(of: cells[cell].start, nanoseconds),
      let next = periods[number].period(of: present.end, nanoseconds),
      // Not across a pause of the market.
      next.start == present.end, next.session == present.session
    else { return }
    let newer = Int(cells[cell].newer)
    let close = cells[cell].close
    if newer != 0, cells[newer].start == next.start {
      if !cells[newer].hasPrices {
        cells[newer].fill(close, decimals: cells[cell].sentDecimals)
        cells[newer].fills = fills + 1
      }
      return
    }
    let content = Contribution(
      open: close, high: close, low: close, close: close, volume: 0, turnover: 0, count: 0, priceDecimals: cells[cell].sentDecimals,
      sizeDecimals: cells[cell].sizeDecimals, time: next.start)
    let due = next.end.addingSaturating(rules.wait)
    let waiting = makeCell(BarCell(next, due: due, key: Int(cells[cell].key), .empty, content))
    cells[waiting].fills = fills + 1
    insert(waiting, newer: newer, older: cell)
    enqueue(waiting)
  }

  /// Updates a waiting bar that repeats this bar's close, after a late trade has changed the close.
  mutating func carryClose(of cell: Int) {
    let newer = Int(cells[cell].newer)
    if newer == 0 { return }
    let close = cells[cell].close
    if cells[newer].state == .open, !cells[newer].hasClose, cells[newer].fills > 0 {
      cells[newer].fill(close, decimals: cells[cell].sentDecimals)
    }
    if cells[newer].state != .empty { return }
    (cells[newer].open, cells[newer].high, cells[newer].low, cells[newer].close) = (close, close, close, close)
    (cells[newer].priceDecimals, cells[newer].sizeDecimals) = (cells[cell].sentDecimals, cells[cell].sizeDecimals)
  }
}
