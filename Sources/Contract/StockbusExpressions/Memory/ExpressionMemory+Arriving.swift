internal import CMemoryBarrier
internal import MarketData

// The first step: finds the block of each event's key, and reads what the functions need to know about the event itself.
extension ExpressionMemory {
  func arrive(_ events: UnsafeRawPointer, stride: Int, count: Int) {
    if plan.places.hasWideKey { findWide(events, stride, count) } else { find(events, stride, count) }
    readCounting(events, stride: stride, count: count)
    if let spare {
      let counting = columns.counting
      for i in 0..<count where columns.blocks[i] == spare {
        counting[i] = 0
        unkept &+= 1
      }
    }
    if plan.hasSessions, count > 0 { begin((events + plan.places.received).load(as: Timestamp.self)) }
    if plan.hasClock { readTimes(events, stride, count) }
  }

  /// Reads for what each event counts.
  func readCounting(_ events: UnsafeRawPointer, stride: Int, count: Int) {
    let counting = columns.counting
    if let (offset, table) = plan.places.counting {
      let at = events + offset
      table.withUnsafeBufferPointer { table in
        for i in 0..<count { counting[i] = table[Int((at + i &* stride).load(as: UInt8.self))] }
      }
    } else if spare != nil {
      counting.update(repeating: Counting.everything, count: count)
    }
  }

  /// What is remembered by an event.
  @inline(__always)
  static func key(of event: UnsafeRawPointer, _ places: EventPlaces) -> MemoryKey {
    var key = MemoryKey(symbol: event.load(fromByteOffset: places.symbol.unsafelyUnwrapped, as: UInt32.self), owner: 0, length: 0)
    if let owner = places.owner { key.owner = event.load(fromByteOffset: owner, as: UInt32.self) }
    if let length = places.length { key.length = event.load(fromByteOffset: length, as: Int64.self) }
    return key
  }

  private func find(_ events: UnsafeRawPointer, _ stride: Int, _ count: Int) {
    let (table, size, hot, blocks) = (table, tableSize, isLarge ? min(plan.hot, 256) : 0, columns.blocks)
    let symbols = events + plan.places.symbol.unsafelyUnwrapped
    for i in 0..<count {
      let id = (symbols + i &* stride).load(as: UInt32.self)
      guard Int(id) < size, let block = table[Int(id)] else { return findNew(symbols, stride, count) }
      prefetch(block, hot)
      blocks[i] = block
    }
  }

  /// A symbol is new, so the table may move.
  @inline(never)
  private func findNew(_ symbols: UnsafeRawPointer, _ stride: Int, _ count: Int) {
    for i in 0..<count {
      let id = (symbols + i &* stride).load(as: UInt32.self)
      columns.blocks[i] = block(of: MemoryKey(symbol: id, owner: 0, length: 0))
    }
  }

  private func findWide(_ events: UnsafeRawPointer, _ stride: Int, _ count: Int) {
    let (places, hot, blocks) = (plan.places, isLarge ? min(plan.hot, 256) : 0, columns.blocks)
    for i in 0..<count {
      let key = Self.key(of: events + i &* stride, places)
      if Int(key.symbol) < tableSize, let block = table[Int(key.symbol)], block.load(as: MemoryKey.self) == key {
        prefetch(block, hot)
        blocks[i] = block
      } else {
        blocks[i] = block(of: key)
      }
    }
  }

  @inline(__always)
  private func prefetch(_ block: UnsafeMutableRawPointer, _ bytes: Int) {
    var line = 0
    while line < bytes {
      stockbus_prefetch_for_writing(block + line)
      line &+= 64
    }
  }

  private func readTimes(_ events: UnsafeRawPointer, _ stride: Int, _ count: Int) {
    let (columns, clockAt, places, hasSessions) = (columns, plan.clock, plan.places, plan.hasSessions)
    for i in 0..<count {
      let clock = (columns.blocks[i] + clockAt).assumingMemoryBound(to: KeyClock.self)
      let event = events + i &* stride
      let own = (event + places.time).load(as: Timestamp.self)
      var received = (event + places.received).load(as: Timestamp.self)
      if let length = places.length, (event + length).load(as: BarLength.self) >= .day {
        // Its time is midnight UTC of its date, which begins earlier in the east.
        let (latest, isOver) = received.ns.addingReportingOverflow(EventClock.easternmost)
        received = Timestamp(ns: isOver ? .max : latest)
      }
      let reading = clock.pointee.clock.take(own, received: received)
      if reading == .setBack {
        // What functions remember by time lies in the future; each drops it when it comes to this event.
        clock.pointee.epoch &+= 1
        (clock.pointee.sessionBegin, clock.pointee.sessionEnd) = (.min, .min)
        clock.pointee.newest = .min
      }
      let now = clock.pointee.clock.now
      columns.now[i] = now
      columns.time[i] = EventClock.fair(own, received: received).ns
      columns.epoch[i] = clock.pointee.epoch
      if hasSessions {
        if now >= clock.pointee.sessionEnd, now < .max {
          open(clock, Symbol(id: event.load(fromByteOffset: places.symbol.unsafelyUnwrapped, as: UInt32.self)))
        }
        columns.session[i] = clock.pointee.session
        columns.sessionBegin[i] = clock.pointee.sessionBegin
      }
      if let revision = places.revision {
        let length = places.length.map { (event + $0).load(as: Int64.self) } ?? -1
        mark(i, clock, columns.time[i], isRevision: length >= 0 || (event + revision).load(as: UInt32.self) > 0)
      }
    }
  }

  /// Decides whether an event is new or replaces another one.
  /// - Parameter isRevision: true if an event of the same time is replaced. Bars of a length of time are the same bar if they begin at the
  ///   same time; bars by trades or volume may share a time.
  @inline(__always)
  private func mark(_ i: Int, _ clock: UnsafeMutablePointer<KeyClock>, _ time: Int64, isRevision: Bool) {
    columns.marks[i] = Mark.new
    // A partial bar must not become the newest, or its final form would replace the bar before it.
    if columns.counting[i] == 0 { return }
    if time > clock.pointee.newest {
      clock.pointee.newest = time
    } else if time < clock.pointee.newest {
      columns.marks[i] = Mark.older
    } else if isRevision {
      columns.marks[i] = Mark.newest
    }
  }

  @inline(never)
  private func open(_ clock: UnsafeMutablePointer<KeyClock>, _ symbol: Symbol) {
    let session = sessions.session(of: symbol, at: Timestamp(ns: clock.pointee.clock.now))
    // The same session again, as at its end while there is no next one: its values stay.
    if session.lowerBound.ns == clock.pointee.sessionBegin, clock.pointee.session > 0 {
      clock.pointee.sessionEnd = max(session.upperBound.ns, clock.pointee.sessionEnd)
      return
    }
    clock.pointee.sessionBegin = session.lowerBound.ns
    clock.pointee.sessionEnd = session.upperBound.ns
    clock.pointee.session &+= 1
  }
}
