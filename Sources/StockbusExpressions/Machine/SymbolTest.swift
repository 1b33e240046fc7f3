internal import MarketData
internal import Synchronization

/// Names and patterns with the verdict on every symbol that was met: by handle, in pages that appear when they are needed.
///
/// Nothing is interned for it: a prompt may compile `symbol == A`, `symbol == AA` and so on without filling the table of symbols.
/// Unchecked because pages are raw memory; they hold atomics, and whoever judges the same symbol at the same time writes the same
/// verdict.
final class SymbolTest: @unchecked Sendable {
  private typealias Page = UnsafeMutablePointer<Atomic<UInt8>>

  private static let pageBits: UInt32 = 12
  private static var pageSize: Int { 1 << Int(pageBits) }
  private let pages: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
  private let pageCount = Symbol.limit >> Int(pageBits)
  private let names: NameSet

  init(_ names: NameSet) {
    self.names = names
    pages = .allocate(capacity: pageCount)
    for i in 0..<pageCount { (pages + i).initialize(to: Atomic(nil)) }
  }

  deinit {
    for i in 0..<pageCount {
      guard let page = pages[i].load(ordering: .relaxed) else { continue }
      page.deallocate()
    }
    pages.deallocate()
  }

  /// The verdicts of `count` symbols that stand `stride` bytes apart.
  @inline(__always)
  func judge(_ at: UnsafeRawPointer, stride: Int, count: Int, into verdicts: UnsafeMutablePointer<UInt8>) {
    for i in 0..<count {
      let id = (at + i &* stride).load(as: UInt32.self)
      verdicts[i] = verdict(id)
    }
  }

  /// 2 for yes, 0 for no; a page holds 1 for no and 2 for yes, and 0 where nobody has looked yet.
  @inline(__always)
  private func verdict(_ id: UInt32) -> UInt8 {
    if id < UInt32(truncatingIfNeeded: Symbol.limit), let page = pages[Int(id >> Self.pageBits)].load(ordering: .acquiring) {
      let known = page.assumingMemoryBound(to: Atomic<UInt8>.self)[Int(id) & (Self.pageSize &- 1)].load(ordering: .relaxed)
      if known != 0 { return known & 2 }
    }
    return look(id)
  }

  @inline(never)
  private func look(_ id: UInt32) -> UInt8 {
    let name = Symbol(id: id).utf8
    let isHit = names.matches(name)
    if id < UInt32(truncatingIfNeeded: Symbol.limit) {
      let page = page(Int(id >> Self.pageBits))
      page[Int(id) & (Self.pageSize - 1)].store(isHit ? 2 : 1, ordering: .relaxed)
    }
    return isHit ? 2 : 0
  }

  /// The page, made by the first who needs it.
  private func page(_ index: Int) -> Page {
    if let page = pages[index].load(ordering: .acquiring) { return page.assumingMemoryBound(to: Atomic<UInt8>.self) }
    let fresh = Page.allocate(capacity: Self.pageSize)
    for i in 0..<Self.pageSize { (fresh + i).initialize(to: Atomic(0)) }
    let (isFirst, other) = pages[index].compareExchange(
      expected: nil, desired: UnsafeMutableRawPointer(fresh), ordering: .acquiringAndReleasing)
    if isFirst { return fresh }
    fresh.deallocate()
    return other.unsafelyUnwrapped.assumingMemoryBound(to: Atomic<UInt8>.self)
  }
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
