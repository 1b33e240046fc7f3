/// The distinct numbers of a column, each with its place in the order in which they came.
///
/// Unsafe memory, since every value of a column is looked up here.
struct NumberDictionary: ~Copyable {
  /// More distinct numbers would make the places almost as large as the numbers, and the look-up slow.
  static let limit = 1 << 16
  private static let placeMask: UInt32 = 1 << 17 - 1

  /// The place plus one in the lower bits, and bits of the hash above, so that few other numbers are compared; 0 if the slot is free. Small,
  /// because it is the caches that make a look-up slow.
  private var slots: UnsafeMutablePointer<UInt32>
  private var mask: Int
  private(set) var numbers = UnsafeMutablePointer<Int64>.allocate(capacity: NumberDictionary.limit)
  private(set) var count = 0

  init() {
    mask = 1023
    slots = .allocate(capacity: mask + 1)
    slots.initialize(repeating: 0, count: mask + 1)
  }

  deinit {
    slots.deallocate()
    numbers.deallocate()
  }

  @inline(__always)
  private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> 40) }

  @inline(__always)
  private static func hash(_ number: Int64) -> UInt64 {
    let mixed = UInt64(bitPattern: number) &* 0x9e37_79b9_7f4a_7c15
    return (mixed ^ mixed >> 32) &* 0xd6e8_feb8_6659_fd93
  }

  /// Puts the places of `count` numbers into `places`; false if the dictionary is full before the last of them.
  mutating func places(of values: UnsafePointer<Int64>, count valueCount: Int, into places: UnsafeMutablePointer<UInt32>) -> Bool {
    let numbers = numbers
    var (slots, mask) = (slots, mask)
    for i in 0..<valueCount {
      let value = values[i]
      let hash = Self.hash(value)
      let entry = slots[Self.slot(hash) & mask]
      let place = Int(entry & Self.placeMask) &- 1
      // Most numbers are known, and in their first slot.
      if place >= 0, numbers[place] == value {
        places[i] = UInt32(truncatingIfNeeded: place)
      } else if let place = self.place(of: value) {
        places[i] = place
        (slots, mask) = (self.slots, self.mask)
      } else {
        return false
      }
    }
    return true
  }

  /// The place of a number, which is added if it is new; nil if the dictionary is full.
  private mutating func place(of number: Int64) -> UInt32? {
    let hash = Self.hash(number)
    let tag = UInt32(truncatingIfNeeded: hash) & ~Self.placeMask
    var slot = Self.slot(hash) & mask
    while slots[slot] & Self.placeMask != 0 {
      let place = slots[slot] & Self.placeMask - 1
      if slots[slot] & ~Self.placeMask == tag, numbers[Int(place)] == number { return place }
      slot = (slot &+ 1) & mask
    }
    if count == Self.limit { return nil }
    numbers[count] = number
    count += 1
    slots[slot] = tag | UInt32(count)
    if count * 2 > mask { grow() }
    return UInt32(count - 1)
  }

  mutating func removeAll() {
    slots.update(repeating: 0, count: mask + 1)
    count = 0
  }

  private mutating func grow() {
    slots.deallocate()
    mask = mask * 4 + 3
    slots = .allocate(capacity: mask + 1)
    slots.initialize(repeating: 0, count: mask + 1)
    for place in 0..<count {
      let hash = Self.hash(numbers[place])
      var slot = Self.slot(hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(truncatingIfNeeded: hash) & ~Self.placeMask | UInt32(place + 1)
    }
  }
}
