/// Determines which messages may be acknowledged: those whose events all readers have finished.
struct Receipts {
  private struct Entry {
    /// The number of the output after the event.
    var published: Int
    /// The subject of the acknowledgement.
    var reply: String
  }

  private var waiting: [Entry] = []
  /// Where the first waiting entry is.
  private var first = 0
  /// The last acknowledgement, which a final request confirms.
  private(set) var last: String?

  var isEmpty: Bool { first == waiting.count }

  /// The last message of a round, after which the output has this number.
  mutating func add(_ reply: String, published: Int) {
    // One entry for rounds without events, such as those of dead letters.
    if let end = waiting.last, !isEmpty, end.published == published { waiting.removeLast() }
    waiting.append(Entry(published: published, reply: reply))
  }

  /// The subject that acknowledges everything before `taken`; nil if there is nothing new.
  mutating func acknowledge(taken: Int) -> String? {
    var found: String?
    while first < waiting.count, waiting[first].published <= taken {
      found = waiting[first].reply
      first += 1
    }
    if first > 1024, first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    if let found { last = found }
    return found
  }
}
