internal import StockbusPlugin

// The hash table, with linear probing: no place is free between that of a hash and that of its slot.
extension Occurrences {
  @inline(__always)
  func find(_ event: UnsafePointer<E>, _ hash: UInt32) -> Int {
    let mask = table.count &- 1
    var place = Int(hash) & mask
    while true {
      let slot = Int(table[place])
      if slot < 0 { return -1 }
      if contents[slot].hash == hash, isSame(slot, event) { return slot }
      place = (place &+ 1) & mask
    }
  }

  @inline(__always)
  func isSame(_ slot: Int, _ event: UnsafePointer<E>) -> Bool {
    events.withUnsafeBufferPointer { events in events.baseAddress.map { identity.areSame($0 + slot, event) } ?? false }
  }

  mutating func enter(_ slot: Int) {
    let mask = table.count - 1
    var place = Int(contents[slot].hash) & mask
    while table[place] >= 0 { place = (place + 1) & mask }
    table[place] = Int32(slot)
  }

  /// Takes a slot out of the table, and moves those back that would not be found behind the gap.
  mutating func leave(_ slot: Int) {
    let mask = table.count - 1
    var gap = Int(contents[slot].hash) & mask
    while table[gap] != Int32(slot) { gap = (gap + 1) & mask }
    var place = (gap + 1) & mask
    while table[place] >= 0 {
      let home = Int(contents[Int(table[place])].hash) & mask
      if (place - home) & mask >= (place - gap) & mask {
        table[gap] = table[place]
        gap = place
      }
      place = (place + 1) & mask
    }
    table[gap] = -1
  }

  mutating func growTable() {
    table = ContiguousArray(repeating: -1, count: 2 * table.count)
    var slot = oldest
    while slot >= 0 {
      enter(slot)
      slot = Int(contents[slot].newer)
    }
  }
}
