internal import StockbusPlugin

/// How often each line has brought each content: the state of the plugin, without tasks and clocks.
///
/// The n-th occurrence of a content on a line is the same event as the n-th one on another line. So an occurrence passes if its line has
/// then brought the content more often than it has passed. A content that all lines have brought equally often is removed at once, because
/// what follows is as if it had never come; any other one when it has not come for the time `within`.
///
/// Contents are found in a hash table with linear probing, and linked in the order in which they last came.
struct Occurrences<E: Event>: ~Copyable {
  /// The most memory that contents take; see `mostSlots`.
  static var memoryLimit: Int { 64 << 20 }

  struct Content {
    /// The latest time at which it came.
    var last: Int64
    var hash: UInt32
    /// How many occurrences have passed.
    var passed: UInt32
    /// The contents that came before and after it; -1 if there is none. `newer` also links the unused slots.
    var older: Int32
    var newer: Int32
  }

  let within: Int64
  let memory: Int
  let identity: EventIdentity<E>
  var lines: [String] = []
  var contents: ContiguousArray<Content> = []
  var events: ContiguousArray<E> = []
  /// How often each line has brought the content of each slot: those of slot 0, of slot 1, and so on.
  var counts: ContiguousArray<UInt32> = []
  /// The slots by hash; -1 if there is none.
  var table = ContiguousArray<Int32>(repeating: -1, count: 1024)
  var unused = -1
  var oldest = -1
  var newest = -1
  var count = 0
  /// How many slots there is room for, and how many there may be.
  var capacity = 0
  var mostSlots = 1
  var textBytes = 0

  /// The latest receipt.
  var now = Int64.min

  /// How many contents were forgotten early, for want of memory, since the owner took this number.
  var forgottenEarly = 0
  /// By line: how many events no other line has brought, since the owner took these numbers.
  var onlyHere: [Int] = []

  init(within: Int64, identity: EventIdentity<E>, memory: Int = Self.memoryLimit) {
    (self.within, self.identity, self.memory) = (within, identity, memory)
  }

  mutating func take(_ batch: Span<E>, from line: Int, into output: inout Outlet<E>) {
    batch.withUnsafeBufferPointer { batch in
      guard let base = batch.baseAddress else { return }
      for i in batch.indices { take(base + i, from: line, into: &output) }
    }
  }

  @inline(__always)
  private mutating func take(_ event: UnsafePointer<E>, from line: Int, into output: inout Outlet<E>) {
    let receipt = identity.receipt(of: event)
    if receipt > now {
      now = receipt
      forgetOverdue()
    }
    let hash = identity.hash(event)
    var slot = find(event, hash)
    if slot < 0 {
      // With one line there is nothing to compare with.
      if lines.count > 1 {
        slot = add(event.pointee, hash, textBytes: identity.textBytes(of: event))
        counts[slot &* lines.count &+ line] = 1
        contents[slot].passed = 1
      }
      return output.pass(event)
    }
    touch(slot)
    let place = slot &* lines.count &+ line
    if counts[place] == .max { lower(slot) }
    counts[place] += 1
    if counts[place] > contents[slot].passed {
      contents[slot].passed = counts[place]
      output.pass(event)
    } else {
      output.filter()
    }
    if isEven(slot) { remove(slot) }
  }

  /// True if all lines have brought the content equally often.
  @inline(__always)
  func isEven(_ slot: Int) -> Bool {
    let first = slot &* lines.count
    for line in lines.indices where counts[first &+ line] != contents[slot].passed { return false }
    return true
  }

  /// Lowers all counts of a content by one, as only their differences matter; a difference beyond 2³² − 1 is not kept.
  @inline(never)
  private mutating func lower(_ slot: Int) {
    for place in slot * lines.count..<(slot + 1) * lines.count where counts[place] > 0 { counts[place] -= 1 }
    contents[slot].passed -= 1
  }

  /// Forgets the contents that last came more than `within` ago.
  @inline(__always)
  private mutating func forgetOverdue() {
    let least = now.subtractingSaturating(within)
    while oldest >= 0, contents[oldest].last < least {
      countMissing(oldest)
      remove(oldest)
    }
  }

  /// Counts what is missing on other lines when the input has ended.
  mutating func drain() {
    while oldest >= 0 {
      countMissing(oldest)
      remove(oldest)
    }
  }

  /// Counts the occurrences that only one line has brought.
  private mutating func countMissing(_ slot: Int) {
    let first = slot * lines.count
    var most = -1
    var second: UInt32 = 0
    for line in lines.indices {
      if most < 0, counts[first + line] == contents[slot].passed { most = line } else { second = max(second, counts[first + line]) }
    }
    // None has brought all of them, if a line that has is no input any more.
    if most >= 0 { onlyHere[most] += Int(contents[slot].passed - second) }
  }
}
