internal import MarketData
internal import Synchronization

/// Names and patterns with the verdict on every symbol that was met: by handle, in pages that appear when they are needed.
///
/// Nothing is interned for it: a prompt may compile `symbol == A`, `symbol == AA` and so on without filling the table of symbols.
/// Unchecked because pages are raw memory; they hold atomics, and whoever judges the same symbol at the same time writes the same
/// verdict.
final class SymbolTest: @unchecked Sendable {
  fileprivate static var pageBits: UInt32 { 14 }
  fileprivate static var pageSize: Int { 1 << Int(pageBits) }
  private static var pageCount: Int { Symbol.limit >> Int(pageBits) }

  /// The verdicts without the reference to what they are made with: valid as long as that lives.
  struct Pages: BitwiseCopyable {
    fileprivate let first: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
    fileprivate let owner: Unmanaged<SymbolTest>
    fileprivate let limit: UInt32
  }

  private let memory: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
  let names: NameSet

  init(_ names: NameSet) {
    self.names = names
    memory = .allocate(capacity: Self.pageCount)
    for i in 0..<Self.pageCount { (memory + i).initialize(to: Atomic(nil)) }
  }

  deinit {
    for i in 0..<Self.pageCount { memory[i].load(ordering: .relaxed)?.deallocate() }
    memory.deallocate()
  }

  var pages: Pages { Pages(first: memory, owner: .passUnretained(self), limit: UInt32(truncatingIfNeeded: Symbol.limit)) }

  fileprivate func look(_ id: UInt32) -> UInt8 {
    let isHit = names.matches(Symbol(id: id).utf8)
    if id < UInt32(truncatingIfNeeded: Symbol.limit) {
      page(Int(id >> Self.pageBits))[Int(id) & (Self.pageSize - 1)].store(isHit ? 2 : 1, ordering: .relaxed)
    }
    return isHit ? 2 : 0
  }

  /// The page, made by the first who needs it.
  private func page(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt8>> {
    if let page = memory[index].load(ordering: .acquiring) { return page.assumingMemoryBound(to: Atomic<UInt8>.self) }
    let fresh = UnsafeMutablePointer<Atomic<UInt8>>.allocate(capacity: Self.pageSize)
    // An atomic byte of zero is a byte of zero; one by one it would take as long as compiling.
    UnsafeMutableRawPointer(fresh).initializeMemory(as: UInt8.self, repeating: 0, count: Self.pageSize)
    let (isFirst, other) = memory[index].compareExchange(
      expected: nil, desired: UnsafeMutableRawPointer(fresh), ordering: .acquiringAndReleasing)
    if isFirst { return fresh }
    fresh.deallocate()
    return other.unsafelyUnwrapped.assumingMemoryBound(to: Atomic<UInt8>.self)
  }
}

extension SymbolTest.Pages {
  /// The verdicts of `count` symbols that stand `stride` bytes apart: 2 for yes, 0 for no.
  @inline(__always)
  func judge(_ at: UnsafeRawPointer, stride: Int, count: Int, into verdicts: UnsafeMutablePointer<UInt8>) {
    for i in 0..<count { verdicts[i] = verdict((at + i &* stride).load(as: UInt32.self)) }
  }

  /// A page holds 1 for no, 2 for yes, and 0 where nobody has looked yet.
  @inline(__always)
  private func verdict(_ id: UInt32) -> UInt8 {
    if id < limit, let page = first[Int(id >> SymbolTest.pageBits)].load(ordering: .acquiring) {
      let known = page.assumingMemoryBound(to: Atomic<UInt8>.self)[Int(id) & (SymbolTest.pageSize &- 1)].load(ordering: .relaxed)
      if known != 0 { return known & 2 }
    }
    return look(id)
  }

  @inline(never)
  private func look(_ id: UInt32) -> UInt8 { owner._withUnsafeGuaranteedRef { $0.look(id) } }
}

extension NameSet {
  /// True where the text is one of the names or fits one of the patterns.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // A loop, because looking up a set needs an array, and that is an allocation.
    for name in names where name.count == text.count && name.withUnsafeBufferPointer({ Self.areSame($0, text) }) { return true }
    for pattern in patterns where Glob.matches(text, pattern) { return true }
    return false
  }

  private static func areSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    for i in a.indices where a[i] != b[i] { return false }
    return true
  }
}
