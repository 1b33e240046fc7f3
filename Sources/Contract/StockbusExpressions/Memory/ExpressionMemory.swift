internal import MarketData

/// What expressions remember, by key.
///
/// Each key has one block with the states of all functions, so that an event costs one look-up and touches few lines of the cache. Unsafe
/// because states lie in raw memory at places that the plan computes. It belongs to one runner, which is not used concurrently.
@usableFromInline
final class ExpressionMemory {
  let plan: MemoryPlan
  let sessions: any SessionSource
  /// Sessions that began earlier may lack events, and are not ready.
  private(set) var completeSince: Int64
  private let hasMissedEvents: Bool
  /// False until it is known since when events are complete.
  private var hasBegun = false
  let limit: Int
  let chunk: Int
  let columns: ArrivalColumns

  /// The block of each symbol by its handle: of a symbol with several keys that of the last one.
  private(set) var table: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private(set) var tableSize = 0
  /// The blocks of all keys, if the symbol is not all of the key.
  private var wide: [MemoryKey: UnsafeMutableRawPointer] = [:]
  private(set) var keys: [(key: MemoryKey, block: UnsafeMutableRawPointer)] = []
  private var pages: [UnsafeMutableRawPointer] = []
  private var blocksLeft = 0
  private var nextBlock: UnsafeMutableRawPointer?
  /// The block of all keys for which there is no memory left: events with it count for nothing.
  private(set) var spare: UnsafeMutableRawPointer?
  /// Bytes of pages and queues.
  var bytes = 0

  /// Events that came too late for a window, or are outside of its session.
  var outside = 0
  /// Revised and late events that a function could not take any more.
  var revisedTooLate = 0
  /// Events of keys for which there is no memory.
  var unkept = 0
  /// Entries of queues that had to leave before their time.
  var shortened = 0

  init(_ plan: MemoryPlan, chunk: Int, sessions: any SessionSource, completeSince: Timestamp, hasMissedEvents: Bool, limit: Int) {
    self.plan = plan
    self.chunk = chunk
    self.sessions = sessions
    self.completeSince = completeSince.ns
    self.hasMissedEvents = hasMissedEvents
    self.limit = limit
    columns = ArrivalColumns(chunk: chunk)
    table = .allocate(capacity: 0)
  }

  deinit {
    for (_, block) in keys { forEachQueue(block) { queue, _ in queue.pointee.memory?.deallocate() } }
    for page in pages { page.deallocate() }
    spare?.deallocate()
    table.deallocate()
    columns.deallocate()
  }

  /// Finds out with the first event since when events are complete: where the past is played, all are.
  func begin(_ received: Timestamp) {
    if hasBegun { return }
    hasBegun = true
    if hasMissedEvents { completeSince = received.ns } else if received.ns < completeSince { completeSince = .min }
  }

  /// Continues where another one has ended.
  func begin(completeSince other: Int64) { (hasBegun, completeSince) = (true, other) }

  // MARK: Blocks

  /// True if the blocks are too many for the nearest cache, so that prefetching them is worth its instructions.
  @inline(__always) var isLarge: Bool { keys.count &* plan.block > 16384 }

  /// The block of a key; the shared one if there is no memory for another.
  @inline(never)
  func block(of key: MemoryKey) -> UnsafeMutableRawPointer {
    let id = Int(key.symbol)
    if id >= tableSize {
      // The handles of symbols are dense and limited.
      let larger = max(1024, tableSize * 2, id + 1)
      let fresh = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: larger)
      fresh.initialize(repeating: nil, count: larger)
      fresh.update(from: table, count: tableSize)
      table.deallocate()
      (table, tableSize) = (fresh, larger)
    }
    if !plan.places.hasWideKey {
      if let known = table[id] { return known }
    } else if let known = wide[key] {
      table[id] = known
      return known
    }
    guard let block = newBlock() else { return spareBlock() }
    prepare(block)
    if plan.places.hasWideKey {
      block.storeBytes(of: key, as: MemoryKey.self)
      wide[key] = block
    }
    table[id] = block
    keys.append((key, block))
    return block
  }

  private func newBlock() -> UnsafeMutableRawPointer? {
    if blocksLeft == 0 {
      // Pages of about 64 KiB, so that no block is moved and no growth takes long.
      let count = max(1, 65536 / plan.block)
      if bytes + count * plan.block > limit { return nil }
      let page = UnsafeMutableRawPointer.allocate(byteCount: count * plan.block, alignment: 64)
      pages.append(page)
      bytes += count * plan.block
      (nextBlock, blocksLeft) = (page, count)
    }
    let block = nextBlock.unsafelyUnwrapped
    nextBlock = block + plan.block
    blocksLeft -= 1
    return block
  }

  private func spareBlock() -> UnsafeMutableRawPointer {
    if let spare { return spare }
    let block = UnsafeMutableRawPointer.allocate(byteCount: plan.block, alignment: 64)
    prepare(block)
    // No key has these values, so the block is never taken for that of a symbol.
    if plan.places.hasWideKey { block.storeBytes(of: MemoryKey(symbol: .max, owner: .max, length: .min), as: MemoryKey.self) }
    spare = block
    return block
  }

  /// Zeros are the initial state of most functions.
  private func prepare(_ block: UnsafeMutableRawPointer) {
    block.initializeMemory(as: UInt8.self, repeating: 0, count: plan.block)
    if plan.hasClock { block.storeBytes(of: KeyClock(), toByteOffset: plan.clock, as: KeyClock.self) }
    for step in plan.steps {
      switch step {
      case .timed(let timed): block.storeBytes(of: TimedState(), toByteOffset: timed.layout.state, as: TimedState.self)
      case .extreme(let extreme): block.storeBytes(of: ExtremeState(), toByteOffset: extreme.state, as: ExtremeState.self)
      case .session(let session): block.storeBytes(of: SessionState(), toByteOffset: session.state, as: SessionState.self)
      default: break
      }
    }
  }

  // MARK: Queues

  func forEachQueue(_ block: UnsafeMutableRawPointer, _ body: (UnsafeMutablePointer<Queue>, _ words: Int) -> Void) {
    for step in plan.steps { forQueue(of: step, block, body) }
  }

  func forQueue(
    of step: MemoryStep, _ block: UnsafeMutableRawPointer, _ body: (UnsafeMutablePointer<Queue>, _ words: Int) -> Void
  ) {
    switch step {
    case .timed(let timed): body((block + timed.layout.state).assumingMemoryBound(to: Queue.self), timed.layout.words)
    case .extreme(let extreme): body((block + extreme.state).assumingMemoryBound(to: Queue.self), 2)
    default: break
    }
  }

  /// Makes room for an entry; false if the limit does not allow it.
  @inline(never)
  func grow(_ queue: inout Queue, _ words: Int) -> Bool {
    let growth = queue.growth(words)
    if bytes + growth > limit { return false }
    bytes += growth
    queue.grow(words)
    return true
  }
}
