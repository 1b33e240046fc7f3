internal import Synchronization

/// The process's symbol names; append-only, so that looking up takes no lock.
///
/// Unchecked because memory is published by atomics: a name is written before the index slot that refers to it is stored with release, an
/// index before the pointer to it, and neither changes afterwards. After growing, the old index stays allocated for readers that still use
/// it; all old ones together are smaller than the present one.
@usableFromInline
final class SymbolTable: @unchecked Sendable {
  @usableFromInline static let shared = SymbolTable()
  static let limit = 1 << 22
  private static let segmentBits = 10
  private static let segmentSize = 1 << segmentBits

  /// Names by handle, in segments that never move.
  private let segments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>?>
  private let index: Atomic<UnsafeMutableRawPointer>
  private let next = Mutex<UInt32>(1)
  /// Secret, because names come from outside.
  fileprivate let hash: NameHash

  /// Handles are below this.
  private let limit: Int

  /// Tests may pass a smaller limit.
  init(_ hash: consuming NameHash = NameHash(), limit: Int = SymbolTable.limit) {
    self.hash = hash
    self.limit = limit
    let count = Self.limit / Self.segmentSize + 1
    segments = .allocate(capacity: count)
    segments.initialize(repeating: nil, count: count)
    index = Atomic(SymbolIndex.make(slots: 1 << 12))
    segments[0] = Self.makeSegment()
  }

  private static func makeSegment() -> UnsafeMutablePointer<UnsafeBufferPointer<UInt8>> {
    let segment = UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>.allocate(capacity: segmentSize)
    segment.initialize(repeating: UnsafeBufferPointer(start: nil, count: 0), count: segmentSize)
    return segment
  }

  /// The name of a handle; empty if there is none.
  ///
  /// Reads without atomics: an `id` comes from a slot that was read with acquire, or from the lock, after the name and its segment were
  /// written. A thread that passes the id to another one (by a ring of the bus, a lock, an actor) passes on the visibility of those writes
  /// too.
  @usableFromInline
  func name(of id: UInt32) -> UnsafeBufferPointer<UInt8> {
    guard id < Self.limit, let segment = segments[Int(id) >> Self.segmentBits] else { return UnsafeBufferPointer(start: nil, count: 0) }
    return segment[Int(id) & (Self.segmentSize - 1)]
  }

  /// The name of a handle from the index, which is in range and has a segment.
  @inline(__always)
  fileprivate func name(known id: UInt32) -> UnsafeBufferPointer<UInt8> {
    segments[Int(id) >> Self.segmentBits].unsafelyUnwrapped[Int(id) & (Self.segmentSize - 1)]
  }

  @usableFromInline
  func intern(_ name: UnsafeBufferPointer<UInt8>, by intake: SymbolIntake? = nil) throws(TextError) -> UInt32 {
    let hash = hash(name)
    let found = SymbolIndex(index.load(ordering: .acquiring)).find(name, hash, in: self)
    if found != 0 { return found }
    try Self.validate(name)
    return try insert(name, hash, intake)
  }

  private func insert(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ intake: SymbolIntake?) throws(TextError) -> UInt32 {
    let result: Result<UInt32, TextError> = next.withLock { next in
      var table = SymbolIndex(index.load(ordering: .relaxed))
      let found = table.find(name, hash, in: self)  // another thread may have been faster
      if found != 0 { return .success(found) }
      guard next < limit else { return .failure(TextError(.tableFull, at: 0)) }
      if let intake, !intake.takesOne() { return .failure(TextError(.tooManySymbols, at: 0)) }
      if Int(next) * 2 >= table.slots {
        table = table.doubled(count: next, in: self)
        index.store(table.memory, ordering: .releasing)
      }
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count)
      _ = copy.initialize(from: name)
      let segment = Int(next) >> Self.segmentBits
      if segments[segment] == nil { segments[segment] = Self.makeSegment() }
      segments[segment]![Int(next) & (Self.segmentSize - 1)] = UnsafeBufferPointer(copy)
      table.add(next, hash)
      next += 1
      return .success(next - 1)
    }
    return try result.get()
  }

  static func validate(_ name: UnsafeBufferPointer<UInt8>) throws(TextError) {
    guard !name.isEmpty else { throw TextError(.emptySymbol, at: 0) }
    guard name.count <= 64 else { throw TextError(.symbolTooLong, at: 64) }
    for (i, byte) in name.enumerated() where byte < 0x20 || byte == 0x7f || byte == 0x22 || byte == 0x5c || byte == 0x2c {
      throw TextError(.badSymbol, at: i)
    }
    if String(validating: name, as: UTF8.self) == nil {
      let good = (0..<name.count).last { String(validating: name[..<$0], as: UTF8.self) != nil }
      throw TextError(.badUTF8, at: good ?? 0)
    }
    // The control characters U+0080 to U+009F, which can also control terminals.
    for i in name.indices.dropLast() where name[i] == 0xc2 && name[i + 1] < 0xa0 { throw TextError(.badSymbol, at: i) }
  }
}

/// An open-addressing table of handles: the number of slots, then that many 32-bit slots, 0 if empty.
struct SymbolIndex {
  let memory: UnsafeMutableRawPointer
  let slots: Int
  private let base: UnsafeMutablePointer<Atomic<UInt32>>

  init(_ memory: UnsafeMutableRawPointer) {
    self.memory = memory
    slots = memory.load(as: Int.self)
    base = (memory + 16).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  static func make(slots: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 16 + slots * 4, alignment: 64)
    memory.storeBytes(of: slots, as: Int.self)
    let base = (memory + 16).bindMemory(to: Atomic<UInt32>.self, capacity: slots)
    for i in 0..<slots { (base + i).initialize(to: Atomic(0)) }
    return memory
  }

  func find(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, in table: SymbolTable) -> UInt32 {
    var at = Int(truncatingIfNeeded: hash) & (slots - 1)
    while true {
      let id = base[at].load(ordering: .acquiring)
      if id == 0 || ByteWords.areSame(table.name(known: id), name) { return id }
      at = (at + 1) & (slots - 1)
    }
  }

  func add(_ id: UInt32, _ hash: UInt64) {
    var at = Int(truncatingIfNeeded: hash) & (slots - 1)
    while base[at].load(ordering: .relaxed) != 0 { at = (at + 1) & (slots - 1) }
    base[at].store(id, ordering: .releasing)
  }

  /// A table twice as large with the handles 1..<count. It is never more than half full, so every search ends.
  func doubled(count: UInt32, in table: SymbolTable) -> SymbolIndex {
    let bigger = SymbolIndex(Self.make(slots: slots * 2))
    for id in 1..<count { bigger.add(id, table.hash(table.name(known: id))) }
    return bigger
  }
}
