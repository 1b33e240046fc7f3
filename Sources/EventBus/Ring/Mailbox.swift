internal import MarketData
internal import Synchronization

/// The private queue of one lossy inlet. The publisher copies events into it, under a lock that it takes once a batch; the reader swaps the
/// whole buffer out.
///
/// Dropping and conflating happen on the publisher's side, so a slow reader never loses a symbol's latest value. `capacity` events may
/// wait, besides those in the reader's hand. `memory` limits the bytes of text in the waiting events, though one event may always wait; the
/// reader may hold as much again. If the bytes do not suffice, conflation drops the event that needs more: the first one of a further
/// symbol, or a longer one of a symbol that waits, whose earlier event then stays.
///
/// Unchecked because the buffers are raw memory: `back` is used under the lock only, `front` by the one reader only.
final class Mailbox<E: Event>: @unchecked Sendable {
  /// A ring of initialised elements; grows only for conflation.
  private struct Buffer: @unchecked Sendable {
    var base: UnsafeMutablePointer<E>
    var capacity: Int
    var head = 0
    var count = 0

    init(capacity: Int) {
      base = .allocate(capacity: capacity)
      self.capacity = capacity
    }
  }

  private struct State: Sendable {
    var back: Buffer
    /// The index in `back` by symbol handle; conflation only.
    var places: [Int32] = []
    /// Bytes of text in `back`; events with references only.
    var bytes = 0
    /// The topic's next event that has not been offered.
    var position: Int
    var dropped = 0
    var conflated = 0
    var isReaderWaiting = false
  }

  private let overflow: Overflow
  private let schema: EventSchema<E>
  private let memory: Int
  /// Returns how many bytes of text an event holds; nil for events without references.
  private let codec: EventCodec?
  private let state: Guarded<State>
  private var front: Buffer
  /// The number of events in `front`, for `counts`.
  private let inHand = Atomic<Int>(0)

  init(_ options: SubscriptionOptions, position: Int) {
    overflow = options.overflow
    memory = options.memory
    codec = _isPOD(E.self) ? nil : E.schema.codec
    schema = E.schema
    precondition(overflow != .conflate || schema.hasKinds, "only events about an instrument, or somebody's, can be conflated")
    let capacity = overflow == .conflate ? 64 : max(1, min(options.capacity, 1 << 28))
    front = Buffer(capacity: capacity)
    state = Guarded(State(back: Buffer(capacity: capacity), position: position))
  }

  deinit {
    state.withLock { Self.destroy(&$0.back) }
    Self.destroy(&front)
  }

  private static func destroy(_ buffer: inout Buffer) {
    for i in 0..<buffer.count { (buffer.base + (buffer.head + i) % buffer.capacity).deinitialize(count: 1) }
    buffer.base.deallocate()
  }

  /// Publisher's side: copies the topic's events up to `end`. Returns true if the reader waits and must be woken.
  func offer(from ring: UnsafeMutablePointer<E>, mask: Int, upTo end: Int) -> Bool {
    state.withLock { state in
      while state.position < end {
        let event = ring + (state.position & mask)
        let bytes = codec?.weight(of: event) ?? 0
        switch overflow {
        case .conflate: conflate(event, bytes, &state)
        case .dropNewest:
          if state.back.count < state.back.capacity, hasRoom(for: bytes, state) { append(event, bytes, &state) } else { state.dropped += 1 }
        case .dropOldest, .block:
          if state.back.count == state.back.capacity { dropOldest(&state) }
          while !hasRoom(for: bytes, state) { dropOldest(&state) }
          append(event, bytes, &state)
        }
        state.position += 1
      }
      let wake = state.isReaderWaiting && state.back.count > 0
      if wake { state.isReaderWaiting = false }
      return wake
    }
  }

  /// True if `bytes` more bytes of text may wait. The first event always may.
  private func hasRoom(for bytes: Int, _ state: State) -> Bool {
    state.back.count == 0 || bytes == 0 || state.bytes &+ bytes <= memory
  }

  private func dropOldest(_ state: inout State) {
    let oldest = state.back.base + state.back.head
    state.bytes &-= codec?.weight(of: oldest) ?? 0
    oldest.deinitialize(count: 1)
    state.back.head = state.back.head + 1 == state.back.capacity ? 0 : state.back.head + 1
    state.back.count -= 1
    state.dropped += 1
  }

  private func append(_ event: UnsafeMutablePointer<E>, _ bytes: Int, _ state: inout State) {
    state.bytes &+= bytes
    var at = state.back.head + state.back.count
    if at >= state.back.capacity { at -= state.back.capacity }
    (state.back.base + at).initialize(to: event.pointee)
    state.back.count += 1
  }

  private func conflate(_ event: UnsafeMutablePointer<E>, _ bytes: Int, _ state: inout State) {
    let id = schema.kind(of: UnsafeRawPointer(event))
    state.places.grow(toHold: id, filling: -1)
    let place = Int(state.places[id])
    if place >= 0 {
      let growth = bytes &- (codec?.weight(of: state.back.base + place) ?? 0)
      guard growth <= 0 || state.back.count == 1 || state.bytes &+ growth <= memory else {
        state.dropped += 1
        return
      }
      state.bytes &+= growth
      state.back.base[place] = event.pointee
      state.conflated += 1
      return
    }
    guard hasRoom(for: bytes, state) else {
      state.dropped += 1
      return
    }
    if state.back.count == state.back.capacity {
      var bigger = Buffer(capacity: state.back.capacity * 2)
      bigger.base.moveInitialize(from: state.back.base, count: state.back.count)
      bigger.count = state.back.count
      state.back.base.deallocate()
      state.back = bigger
    }
    state.places[id] = Int32(state.back.count)
    append(event, bytes, &state)
  }

  /// Reader's side: the batch that waits now: contiguous events, at most `limit`; empty if there are none.
  func nextBatch(limit: Int) -> UnsafeBufferPointer<E> {
    if front.count == 0 {
      state.withLock { state in
        if state.back.count == 0 { return }
        if overflow == .conflate {
          for i in 0..<state.back.count { state.places[schema.kind(of: UnsafeRawPointer(state.back.base + i))] = -1 }
        }
        swap(&front, &state.back)
        state.bytes = 0
        state.back.head = 0
        inHand.store(front.count, ordering: .relaxed)
      }
      if front.count == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    }
    return UnsafeBufferPointer(start: front.base + front.head, count: min(limit, front.count, front.capacity - front.head))
  }

  /// Reader's side: ends the first `n` events of the batch.
  func finish(_ n: Int) {
    (front.base + front.head).deinitialize(count: n)
    front.head += n
    front.count -= n
    if front.head == front.capacity || front.count == 0 { front.head = 0 }
    inHand.store(front.count, ordering: .relaxed)
  }

  /// Reader's side: removes and returns everything that waits, in order, and the number of the topic's event that follows.
  func takeAll() -> (events: ContiguousArray<E>, next: Int) {
    var events: ContiguousArray<E> = []
    func move(_ buffer: inout Buffer) {
      for i in 0..<buffer.count { events.append((buffer.base + (buffer.head + i) % buffer.capacity).move()) }
      buffer.head = 0
      buffer.count = 0
    }
    move(&front)
    inHand.store(0, ordering: .relaxed)
    return state.withLock { state in
      move(&state.back)
      state.bytes = 0
      for i in state.places.indices { state.places[i] = -1 }
      return (events, state.position)
    }
  }

  /// Reader's side: returns true if something waits. Otherwise, if `announcing`, the next offer wakes the reader.
  func isReady(announcing: Bool) -> Bool {
    if front.count > 0 { return true }
    return state.withLock { state in
      if state.back.count > 0 { return true }
      if announcing { state.isReaderWaiting = true }
      return false
    }
  }

  /// For the ledger: the number of events offered so far; how many were dropped and conflated; how many wait or are in the reader's hand.
  var counts: (position: Int, dropped: Int, conflated: Int, waiting: Int) {
    state.withLock { ($0.position, $0.dropped, $0.conflated, $0.back.count + inHand.load(ordering: .relaxed)) }
  }
}
