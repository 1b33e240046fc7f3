internal import StockbusPlugin

// Where contents are stored, and the order in which they last came.
extension Occurrences {
  /// The memory of a slot, with its share of a hash table that is at most two thirds and at least one third full.
  var slotBytes: Int {
    MemoryLayout<E>.stride + MemoryLayout<Content>.stride + lines.count * MemoryLayout<UInt32>.stride + 3 * MemoryLayout<Int32>.stride
  }

  /// Stores a content that came now and has no occurrence yet, and returns its slot.
  mutating func add(_ event: E, _ hash: UInt32, textBytes bytes: Int) -> Int {
    while count > 0, count >= mostSlots || textBytes + bytes > memory - slotBytes * (count + 1) {
      forgottenEarly += 1
      remove(oldest)
    }
    if (count + 1) * 3 > table.count * 2 { growTable() }
    let slot = newSlot(event)
    textBytes += bytes
    contents[slot] = Content(last: now, hash: hash, passed: 0, older: -1, newer: -1)
    for place in slot * lines.count..<(slot + 1) * lines.count { counts[place] = 0 }
    count += 1
    append(slot)
    enter(slot)
    return slot
  }

  mutating func newSlot(_ event: E) -> Int {
    if unused >= 0 {
      let slot = unused
      unused = Int(contents[slot].newer)
      events[slot] = event
      return slot
    }
    if contents.count == capacity {
      // Not left to the arrays, which would double beyond the limit.
      capacity = min(mostSlots, max(512, 2 * capacity))
      contents.reserveCapacity(capacity)
      events.reserveCapacity(capacity)
      counts.reserveCapacity(capacity * lines.count)
    }
    contents.append(Content(last: now, hash: 0, passed: 0, older: -1, newer: -1))
    events.append(event)
    for _ in lines { counts.append(0) }
    return contents.count - 1
  }

  mutating func remove(_ slot: Int) {
    leave(slot)
    unlink(slot)
    if textBytes > 0 {
      textBytes -= withUnsafePointer(to: events[slot]) { identity.textBytes(of: $0) }
      // Releases its texts.
      events[slot] = E.schema.example
    }
    contents[slot].newer = Int32(unused)
    unused = slot
    count -= 1
  }

  /// Puts a content behind all others, because it has come now.
  @inline(__always)
  mutating func touch(_ slot: Int) {
    contents[slot].last = now
    if slot == newest { return }
    unlink(slot)
    append(slot)
  }

  mutating func append(_ slot: Int) {
    contents[slot].older = Int32(newest)
    contents[slot].newer = -1
    if newest >= 0 { contents[newest].newer = Int32(slot) } else { oldest = slot }
    newest = slot
  }

  mutating func unlink(_ slot: Int) {
    let (older, newer) = (Int(contents[slot].older), Int(contents[slot].newer))
    if older >= 0 { contents[older].newer = Int32(newer) } else { oldest = newer }
    if newer >= 0 { contents[newer].older = Int32(older) } else { newest = older }
  }
}
