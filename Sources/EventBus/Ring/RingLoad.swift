/// What a ring of events with references holds: which of its slots, and how many bytes of text.
///
/// The producer's alone. The slots of events from `first` to before `end` are initialised; those before were released when all readers had
/// passed them, so that a ring holds what is under way and little more.
///
/// Unchecked because it works on the topic's raw memory and its numbers are registers: one task at a time is the producer.
@usableFromInline
final class RingLoad<E: Event>: @unchecked Sendable {
  private let base: UnsafeMutablePointer<E>
  private let mask: Int
  /// How many bytes may be under way.
  private let budget: Int
  private let codec = E.schema.codec
  private let first = Register()
  private let end = Register()
  /// Bytes in the slots from `first` to `end`.
  private let bytes = Register()
  /// The bytes at which to look how far the readers are.
  private let lookAt: Register

  init(_ base: UnsafeMutablePointer<E>, mask: Int, budget: Int) {
    self.base = base
    self.mask = mask
    self.budget = max(1, budget)
    lookAt = Register(Self.step(max(1, budget)))
  }

  /// After so many further bytes the producer looks whether slots can be released.
  private static func step(_ budget: Int) -> Int { max(1, budget / 64) }

  private func slot(_ number: Int) -> UnsafeMutablePointer<E> { base + (number & mask) }

  /// More is under way than the budget allows.
  var isFull: Bool { bytes.number >= budget }

  /// Event `number`, the next after those that are here, has been written. Answers true where it is time to look how far the readers
  /// are before there is another.
  @usableFromInline
  func add(_ number: Int) -> Bool {
    bytes.number = bytes.number &+ codec.weight(of: slot(number))
    end.number = number &+ 1
    return bytes.number >= lookAt.number
  }

  /// All have passed the events before `low`.
  func remove(upTo low: Int) {
    release(first.number..<max(first.number, low))
    first.number = max(first.number, low)
    lookAt.number = min(budget, bytes.number &+ Self.step(budget))
  }

  /// Event `next` and those after it are forgotten.
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

  /// Where the readers must get to so that a quarter of the budget is free, or nothing is under way.
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
