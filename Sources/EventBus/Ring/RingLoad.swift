/// The contents of a ring of events with references: which slots are initialised, and how many bytes of text they hold.
///
/// Only the producer uses it. The slots of the events from `first` to before `end` are initialised. Earlier ones are released when all
/// readers have passed them, so that a ring holds little more than the events in flight.
///
/// Unchecked because it works on the topic's raw memory and on registers: one task at a time is the producer.
@usableFromInline
final class RingLoad<E: Event>: @unchecked Sendable {
  private let base: UnsafeMutablePointer<E>
  private let mask: Int
  /// How many bytes of text may be in flight.
  private let budget: Int
  private let codec = E.schema.codec
  private let first = Register()
  private let end = Register()
  /// Bytes of text in the slots from `first` to `end`.
  private let bytes = Register()
  /// The number of bytes at which the producer checks how far the readers are.
  private let lookAt: Register

  init(_ base: UnsafeMutablePointer<E>, mask: Int, budget: Int) {
    self.base = base
    self.mask = mask
    self.budget = max(1, budget)
    lookAt = Register(Self.step(max(1, budget)))
  }

  /// The number of bytes between two such checks.
  private static func step(_ budget: Int) -> Int { max(1, budget / 64) }

  private func slot(_ number: Int) -> UnsafeMutablePointer<E> { base + (number & mask) }

  /// True if the events in flight hold as much as the budget allows, or more.
  var isFull: Bool { bytes.number >= budget }

  /// Accounts for event `number`, just written, the next after those that are here. Returns true if the producer must check how far the
  /// readers are before it writes another.
  @usableFromInline
  func add(_ number: Int) -> Bool {
    bytes.number = bytes.number &+ codec.weight(of: slot(number))
    end.number = number &+ 1
    return bytes.number >= lookAt.number
  }

  /// Releases the events before `low`, which all readers have passed.
  func remove(upTo low: Int) {
    release(first.number..<max(first.number, low))
    first.number = max(first.number, low)
    lookAt.number = min(budget, bytes.number &+ Self.step(budget))
  }

  /// Releases event `next` and all later ones, which were never published.
  @usableFromInline
  func remove(from next: Int) {
    release(next..<max(next, end.number))
    end.number = next
    first.number = min(first.number, next)
  }

  func removeAll() {
    release(first.number..<end.number)
    first.number = end.number
  }

  private func release(_ numbers: Range<Int>) {
    var sum = 0
    for number in numbers {
      sum &+= codec.weight(of: slot(number))
      slot(number).deinitialize(count: 1)
    }
    bytes.number = bytes.number &- sum
  }

  /// The number that the readers must reach so that a quarter of the budget is free, or nothing is in flight.
  func goal(next: Int) -> Int {
    guard isFull else { return 0 }
    var number = first.number
    var left = bytes.number
    while left > budget &- budget / 4, number < next {
      left &-= codec.weight(of: slot(number))
      number &+= 1
    }
    return number
  }
}
