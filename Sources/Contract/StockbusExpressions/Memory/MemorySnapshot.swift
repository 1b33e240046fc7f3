internal import MarketData

/// What functions with memory have remembered, by their normal form and by the names of symbols, so that it can be written to a file.
///
/// Sums are not part of it: they follow from the values. An expression takes from it what it has too; what it lacks begins anew.
public struct MemorySnapshot: Codable, Sendable, Equatable {
  /// A symbol, of one owner and of one length of bars.
  struct Key: Codable, Sendable, Equatable {
    var symbol: String
    var owner: String?
    var length: Int64?
    /// The clock and the session; nil if no function needs them.
    var clock: [Int64]?
    /// By function or argument, what is remembered of it.
    var parts: [String: [Int64]]
  }

  /// Changes when states have another meaning; a snapshot of another version is not restored.
  static let currentVersion = 1

  var version = currentVersion
  var keys: [Key] = []
  /// Since when sessions are complete; nil if no function has sessions.
  var completeSince: Int64?

  init() {}
}

extension ExpressionMemory {
  func snapshot() -> MemorySnapshot {
    var snapshot = MemorySnapshot()
    snapshot.keys = keys.map { save($0.key, $0.block) }
    if plan.hasSessions, !keys.isEmpty { snapshot.completeSince = completeSince }
    return snapshot
  }

  /// What is remembered by one key; empty if nothing is.
  func snapshot(of key: MemoryKey) -> MemorySnapshot {
    var snapshot = MemorySnapshot()
    snapshot.keys = keys.first { $0.key == key }.map { [save($0.key, $0.block)] } ?? []
    snapshot.completeSince = completeSince
    return snapshot
  }

  private func save(_ key: MemoryKey, _ block: UnsafeMutableRawPointer) -> MemorySnapshot.Key {
    let places = plan.places
    var saved = MemorySnapshot.Key(symbol: Symbol(id: key.symbol).description, parts: [:])
    if places.owner != nil, key.owner != 0 { saved.owner = Symbol(id: key.owner).description }
    if places.length != nil { saved.length = key.length }
    if plan.hasClock { saved.clock = words(block + plan.clock, MemoryLayout<KeyClock>.size) }
    for step in plan.steps {
      if let name = step.name { saved.parts[name] = save(step, block) }
    }
    return saved
  }

  func restore(_ snapshot: MemorySnapshot) {
    guard snapshot.version == MemorySnapshot.currentVersion else { return }
    if let completeSince = snapshot.completeSince { begin(completeSince: completeSince) }
    for saved in snapshot.keys {
      // Symbols that the table no longer takes have no events either.
      guard let symbol = try? Symbol(saved.symbol) else { continue }
      var key = MemoryKey(symbol: symbol.id, owner: 0, length: 0)
      if plan.places.owner != nil, let owner = saved.owner {
        guard let owner = try? Symbol(owner) else { continue }
        key.owner = owner.id
      }
      if plan.places.length != nil { key.length = saved.length ?? 0 }
      let block = block(of: key)
      if block == spare { continue }
      let clockSize = MemoryLayout<KeyClock>.size
      let hasClock = plan.hasClock && saved.clock.map { Self.isSound($0, clockSize) } ?? false
      if hasClock, let clock = saved.clock { put(clock, block + plan.clock, clockSize) }
      for step in plan.steps {
        guard let name = step.name else { continue }
        if let part = saved.parts[name], !plan.hasClock || hasClock { load(step, block, part) }
        if hasClock { markIncomplete(step, block, isKnown: saved.parts[name] != nil) }
      }
    }
  }

  /// False for a clock that no run has saved: its second word counts contradictions.
  private static func isSound(_ clock: [Int64], _ size: Int) -> Bool {
    clock.count == (size + 7) / 8 && UInt8(truncatingIfNeeded: clock[1]) < EventClock.proof
  }

  /// A function that the snapshot lacks has not seen the events so far.
  private func markIncomplete(_ step: MemoryStep, _ block: UnsafeMutableRawPointer, isKnown: Bool) {
    if isKnown { return }
    let now = (block + plan.clock).assumingMemoryBound(to: KeyClock.self).pointee.clock.now
    switch step {
    case .timed(let plan): (block + plan.layout.state).assumingMemoryBound(to: TimedState.self).pointee.lost = now
    case .extreme(let plan): (block + plan.state).assumingMemoryBound(to: ExtremeState.self).pointee.lost = now
    case .session(let plan): (block + plan.state).assumingMemoryBound(to: SessionState.self).pointee.lost = now
    default: break
    }
  }

  // MARK: Words

  func words(_ at: UnsafeMutableRawPointer, _ size: Int) -> [Int64] {
    (0..<((size + 7) / 8)).map { i in
      var word: Int64 = 0
      withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: UnsafeRawBufferPointer(start: at + i * 8, count: min(8, size - i * 8))) }
      return word
    }
  }

  func put(_ words: [Int64], _ at: UnsafeMutableRawPointer, _ size: Int) {
    words.withUnsafeBytes { bytes in if let base = bytes.baseAddress { at.copyMemory(from: base, byteCount: min(size, bytes.count)) } }
  }

  /// The state of a step; what follows from other values is left out.
  private func save(_ step: MemoryStep, _ block: UnsafeMutableRawPointer) -> [Int64]? {
    switch step {
    case .series, .row: return nil
    case .ring(let ring): return save(ring, block)
    case .timed(let plan): return save(plan, block)
    case .extreme(let plan):
      let state = (block + plan.state).assumingMemoryBound(to: ExtremeState.self).pointee
      return [state.since, state.lost, Int64(state.epoch)] + entries(state.queue, 2)
    case .recursion, .session, .crossing, .since: return words(block + place(of: step), plan.size(of: step))
    }
  }

  private func load(_ step: MemoryStep, _ block: UnsafeMutableRawPointer, _ saved: [Int64]) {
    switch step {
    case .series, .row: return
    case .ring(let ring): load(ring, block, saved)
    case .timed(let plan): load(plan, block, saved)
    case .extreme(let plan):
      guard saved.count >= 3 else { return }
      let state = (block + plan.state).assumingMemoryBound(to: ExtremeState.self)
      (state.pointee.since, state.pointee.lost, state.pointee.epoch) = (saved[0], saved[1], UInt32(truncatingIfNeeded: saved[2]))
      if !fill(&state.pointee.queue, saved.dropFirst(3), 2) { state.pointee.lost = .max }
    case .recursion, .session, .crossing, .since:
      let size = plan.size(of: step)
      if saved.count == (size + 7) / 8 { put(saved, block + place(of: step), size) }
    }
  }

  private func place(of step: MemoryStep) -> Int {
    switch step {
    case .recursion(let plan): plan.state
    case .session(let plan): plan.state
    case .crossing(let plan): plan.state
    case .since(let plan): plan.state
    case .series, .row, .ring, .timed, .extreme: 0
    }
  }

  func entries(_ queue: Queue, _ words: Int) -> [Int64] {
    (0..<queue.count).flatMap { place in (0..<words).map { queue.entry(place, words)[$0] } }
  }

  /// Appends entries; false if there is no memory for them.
  func fill(_ queue: inout Queue, _ saved: ArraySlice<Int64>, _ words: Int) -> Bool {
    var at = saved.startIndex
    while at + words <= saved.endIndex {
      if queue.isFull, !grow(&queue, words) { return false }
      let entry = queue.insert(at: queue.count, words)
      for i in 0..<words { entry[i] = saved[at + i] }
      at += words
    }
    return true
  }
}
