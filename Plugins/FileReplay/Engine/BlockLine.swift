internal import Synchronization

/// Distributes the blocks of a file to several parsers, and returns the parsed blocks in the file's order.
///
/// A parser reads the block that it will parse, so that the bytes are in its own cache, and takes the next block by itself. It sleeps only
/// while so many parsed blocks wait that there is no memory left for another.
///
/// Unchecked because of the reader, which is used under the lock `reading` while there are parsers, and because of the blocks, which have
/// one owner at a time.
final class BlockLine<E: ReplayEvent>: @unchecked Sendable {
  private struct State: Sendable {
    /// Unused memory for blocks.
    var idle: [BlockWork<E>]
    /// Parsed, by number.
    var parsed: [Int: BlockWork<E>] = [:]
    /// The number of the block that is returned next.
    var next = 0
    /// The number of blocks; known when the last one has been read.
    var count: Int?
    var isStopped = false
    /// The parsers that wait for memory, and the consumer, while they sleep.
    var parsers: [CheckedContinuation<Void, Never>] = []
    var taker: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>
  private let reading = Mutex(())
  private var blocks: BlockReader
  private var first: BlockWork<E>?
  private var readCount = 0

  /// - Parameter depth: the largest number of blocks in memory at once.
  init(_ blocks: consuming BlockReader, depth: Int) {
    self.blocks = blocks
    state = Mutex(State(idle: (0..<max(2, depth)).map { _ in BlockWork<E>() }))
  }

  /// The size of the file in bytes, before decompression; nil if it is not a plain file.
  var size: Int? { blocks.size }
  /// Bytes of the file read so far, before decompression. Only while there are no parsers.
  var bytesRead: Int { blocks.bytesRead }
  /// The number of blocks read.
  var blockCount: Int { reading.withLock { _ in readCount } }

  /// Reads the first block before there are parsers; returns nil if nothing can be cut into blocks.
  func begin() -> LineBlock? {
    guard let work = state.withLock({ $0.idle.popLast() }) else { return nil }
    guard read(work) else { return nil }
    first = work
    return work.block
  }

  private func read(_ work: BlockWork<E>) -> Bool {
    guard blocks.next(&work.block) else { return false }
    work.number = readCount
    work.bytesRead = blocks.bytesRead
    readCount += 1
    return true
  }

  /// For a parser: the next block; nil if there is none, or after `stop`.
  func take() async -> BlockWork<E>? {
    while true {
      let work = state.withLock { state -> BlockWork<E>? in state.isStopped ? nil : state.idle.popLast() }
      if let work { return fill(work) }
      if state.withLock({ $0.isStopped || $0.count != nil }) { return nil }
      await withCheckedContinuation { parser in
        let isVain = state.withLock { state in
          if !state.idle.isEmpty || state.isStopped || state.count != nil { return true }
          state.parsers.append(parser)
          return false
        }
        if isVain { parser.resume() }
      }
    }
  }

  private func fill(_ work: BlockWork<E>) -> BlockWork<E>? {
    // Numbers are assigned in the order of reading, and only to parsers that have memory. So the block that is returned next always has
    // memory.
    let found = reading.withLock { _ -> BlockWork<E>? in
      if let first {
        self.first = nil
        return first
      }
      return read(work) ? work : nil
    }
    if found !== work { give(back: work) }
    if found == nil {
      let count = reading.withLock { _ in readCount }
      wake { $0.count = count }
    }
    return found
  }

  /// For a parser: gives a parsed block back. Returns true if the consumer was waiting for it.
  func put(_ work: BlockWork<E>) -> Bool {
    let taker = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.parsed[work.number] = work
      if work.number != state.next { return nil }
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume()
    return taker != nil
  }

  /// The next block in the file's order, when it has been parsed; nil after the last one.
  func next() async -> BlockWork<E>? {
    while true {
      let (work, isEnd) = state.withLock { state -> (BlockWork<E>?, Bool) in
        if let work = state.parsed.removeValue(forKey: state.next) {
          state.next += 1
          return (work, false)
        }
        return (nil, state.isStopped || state.count.map { state.next >= $0 } ?? false)
      }
      if work != nil || isEnd { return work }
      await withCheckedContinuation { taker in
        let isVain = state.withLock { state in
          let isEnd = state.isStopped || state.count.map { state.next >= $0 } ?? false
          if isEnd || state.parsed[state.next] != nil { return true }
          state.taker = taker
          return false
        }
        if isVain { taker.resume() }
      }
    }
  }

  /// Gives the memory of a consumed block back.
  func give(back work: BlockWork<E>) {
    let parser = state.withLock { state in
      state.idle.append(work)
      return state.parsers.popLast()
    }
    parser?.resume()
  }

  /// Parsers get no more blocks.
  func stop() { wake { $0.isStopped = true } }

  private func wake(_ change: (inout State) -> Void) {
    let (parsers, taker) = state.withLock { state in
      change(&state)
      defer { (state.parsers, state.taker) = ([], nil) }
      return (state.parsers, state.taker)
    }
    for parser in parsers { parser.resume() }
    taker?.resume()
  }

  /// A reader of the part that could not be cut into blocks, which leaves nothing here. Only while there are no parsers.
  func takeRest(after lines: Int, limit: Int) -> LineReader { blocks.takeRest(after: lines, limit: limit) }
}
