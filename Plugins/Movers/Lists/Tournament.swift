/// The largest of many keys, where keys change all the time: a tournament in groups of sixteen.
///
/// Entries are numbered densely from 0. The lowest row has the entries' keys, each row above has the largest key of each group of sixteen
/// below. Most changes concern an entry that was not the largest of its group and does not become so: they end after one comparison. The
/// worst case compares sixteen keys in each row, five rows for a million entries. Memory is 17/16 of a key for each entry.
struct Tournament<Key: FixedWidthInteger & BitwiseCopyable & Sendable> {
  /// The key of an entry that does not take part.
  static var out: Key { Key.min }

  private static var shift: Int { 4 }
  private static var group: Int { 1 << shift }

  /// Entries first; the last row has one key. Each row but the last is filled up to whole groups.
  private var rows: [ContiguousArray<Key>] = [[Key.min]]

  /// The largest key; `out` if no entry takes part.
  var best: Key { rows[rows.count - 1][0] }

  /// Makes room for entries below `count`; new ones do not take part.
  mutating func extend(to count: Int) {
    guard count > rows[0].count else { return }
    var needed = count
    var row = 0
    while true {
      let slots = needed == 1 ? 1 : (needed + Self.group - 1) / Self.group * Self.group
      if row == rows.count {
        // The row below had one key until now, the largest of all.
        rows.append([rows[row - 1][0]])
      }
      if slots > rows[row].count { rows[row].append(contentsOf: repeatElement(Self.out, count: slots - rows[row].count)) }
      if needed == 1 { break }
      needed = slots >> Self.shift
      row += 1
    }
  }

  func key(of entry: Int) -> Key { rows[0][entry] }

  mutating func set(_ entry: Int, _ key: Key) {
    var key = key
    var at = entry
    var before = rows[0][at]
    if before == key { return }
    rows[0][at] = key
    for row in 1..<max(1, rows.count) {
      let parent = at >> Self.shift
      let largest = rows[row][parent]
      if key <= largest {
        // Only if the largest of the group became smaller, another one may be the largest now.
        if before != largest { return }
        key = largestKey(ofGroup: parent, in: row - 1)
        if key == largest { return }
      }
      rows[row][parent] = key
      before = largest
      at = parent
    }
  }

  /// The entry with the largest key, the lowest number among equals; nil if no entry takes part.
  var winner: Int? {
    let key = best
    if key == Self.out { return nil }
    var at = 0
    for row in stride(from: rows.count - 2, through: 0, by: -1) {
      at <<= Self.shift
      while rows[row][at] != key { at += 1 }
    }
    return at
  }

  @inline(__always)
  private func largestKey(ofGroup group: Int, in row: Int) -> Key {
    let first = group << Self.shift
    return rows[row].withUnsafeBufferPointer { keys in
      var largest = keys[first]
      for at in first + 1..<first + Self.group { largest = keys[at] > largest ? keys[at] : largest }
      return largest
    }
  }
}
