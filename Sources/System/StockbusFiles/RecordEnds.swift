/// The positions in a buffer at which records end. Ends that are added together are stored together, so many cost little more than one.
struct RecordEnds {
  /// Groups of ends, each relative to a start in the buffer, in order.
  private var runs: [(start: Int, ends: [Int])] = []
  /// A group of at most this size is added to the previous one.
  private static let few = 4

  init(_ ends: [Int] = []) { if !ends.isEmpty { runs = [(0, ends)] } }

  var count: Int { runs.reduce(0) { $0 + $1.ends.count } }

  /// All ends, relative to the beginning of the buffer.
  var all: [Int] { runs.flatMap { run in run.ends.map { run.start + $0 } } }

  /// Adds the ends of records that are contiguous from `start` on.
  mutating func append(_ ends: UnsafeBufferPointer<Int>, from start: Int) {
    if ends.isEmpty { return }
    if ends.count > Self.few { return runs.append((start, Array(ends))) }
    if runs.last?.start != 0 { runs.append((0, [])) }
    for end in ends { runs[runs.count - 1].ends.append(start + end) }
  }

  /// Moves all ends, because this number of bytes was inserted before them or, if negative, removed.
  mutating func move(by count: Int) {
    if count != 0 { for i in runs.indices { runs[i].start += count } }
  }

  mutating func removeAll() { runs.removeAll(keepingCapacity: true) }
}
