internal import LibC

/// The distinct texts of a column, numbered from 0 in the order in which they came.
///
/// Unsafe memory, since texts are compared and copied byte by byte for each row of a file that is read; a dictionary has one user at a time.
package final class TextDictionary {
  /// Starts of the texts in `bytes`; one more than texts.
  @exclusivity(unchecked) private var starts: [Int] = [0]
  @exclusivity(unchecked) private var bytes = ByteBuffer(capacity: 256)
  /// Open addressing: the number of a text plus one, and 0 where there is none. A power of two, at most half full.
  @exclusivity(unchecked) private var slots = [Int32](repeating: 0, count: 64)
  @exclusivity(unchecked) private var hashes: [UInt32] = []

  /// The most bytes that texts of files may have; a reader begins anew long before.
  var checkedLimit = Int.max

  /// Changes when numbers get another meaning.
  @exclusivity(unchecked) package private(set) var generation = 0
  package var count: Int { starts.count - 1 }
  /// The bytes of all texts.
  package var byteCount: Int { bytes.count }

  package init() {}

  /// The bytes of a text, valid until the dictionary changes.
  package subscript(_ number: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.bytes[starts[number]..<starts[number + 1]])
  }

  /// A text as a string; bytes that are not UTF-8 become U+FFFD.
  package func string(_ number: Int) -> String { String(decoding: self[number], as: UTF8.self) }

  package func number(of text: String) -> Int64 {
    var text = text
    return text.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// The number of a text, which is added if it is new.
  package func number(of text: UnsafeRawBufferPointer) -> Int64 {
    let hash = Self.hash(text)
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, Self.same(self[number], text) { return Int64(number) }
      slot = (slot + 1) & (slots.count - 1)
    }
    precondition(count < Int(Int32.max) - 1, "a dictionary has at most 2^31 - 2 texts")
    bytes.append(text)
    starts.append(bytes.count)
    hashes.append(hash)
    slots[slot] = Int32(count)
    if count * 2 > slots.count { grow() }
    return Int64(count - 1)
  }

  /// The number of a text of a file, which has to be UTF-8.
  func number(checking text: UnsafeRawBufferPointer) throws(TableError) -> Int64 {
    let before = count
    guard text.count <= checkedLimit - bytes.count else { throw TableError("there are too many texts") }
    let number = number(of: text)
    if count > before, !text.allSatisfy({ $0 < 128 }), String(validating: text, as: UTF8.self) == nil {
      throw TableError("a text is not UTF-8")
    }
    return number
  }

  /// Forgets all texts: numbers begin at 0 again.
  package func removeAll() {
    starts = [0]
    bytes.clear()
    hashes.removeAll(keepingCapacity: true)
    slots = [Int32](repeating: 0, count: 64)
    generation += 1
  }

  private func grow() {
    slots = [Int32](repeating: 0, count: slots.count * 4)
    for (number, hash) in hashes.enumerated() {
      var slot = Int(hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number + 1)
    }
  }

  private static func same(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
    return memcmp(first, second, a.count) == 0
  }

  /// Eight bytes at a step, each mixed by a multiplication. Texts that collide on purpose make a file slow to read, not wrong.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt32 {
    var (hash, at) = (UInt64(text.count) &* 0x9e37_79b9_7f4a_7c15, 0)
    while at < text.count {
      var word: UInt64 = 0
      if at + 8 <= text.count {
        word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      } else {
        for i in at..<text.count { word = word << 8 | UInt64(text[i]) }
      }
      hash = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
      hash ^= hash >> 32
      at += 8
    }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 29)
  }
}
