internal import Synchronization

/// A topic's readers, and how far its table of last values is up to date; all behind one lock.
struct TopicMembers {
  /// The bit shared by all lossy readers, and the one shared by lossless readers that found no free bit.
  static var mailboxBit: Int { 1 << 62 }
  static var sharedBit: Int { 1 << 61 }

  var readers: [Reader] = []
  var keepsLatest = false
  /// The next event to enter the table of last values, and the first one that entered it.
  var kept = 0
  var keptFrom = 0

  /// The last reader before `place` whose bit is among `bits`; -1 means any. It goes from the end, because a reader that leaves meanwhile
  /// moves the later ones forward: one may be visited twice, none is left out.
  func next(below place: Int, bits: Int) -> (parker: Parker, place: Int)? {
    var place = min(place, readers.count)
    while place > 0 {
      place -= 1
      if bits == -1 || bits & readers[place].bit != 0 { return (readers[place].parker, place) }
    }
    return nil
  }

  /// The last reader before `place` that follows the watermark.
  func nextFollower(below place: Int) -> (parker: Parker, place: Int)? {
    var place = min(place, readers.count)
    while place > 0 {
      place -= 1
      if readers[place].isFollowing { return (readers[place].parker, place) }
    }
    return nil
  }
}
