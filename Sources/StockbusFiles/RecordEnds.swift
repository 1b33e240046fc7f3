/// Where records end in a buffer. Many that are taken together cost no more than one: their ends are kept as they came.
struct RecordEnds {
  /// Ends counted from a place in the buffer, in order.
  private var runs: [(start: Int, ends: [Int])] = []
  /// A run of at most so many is added to the one before.
  private static let few = 4

  init(_ ends: [Int] = []) { if !ends.isEmpty { runs = [(0, ends)] } }

  var count: Int { runs.reduce(0) { $0 + $1.ends.count } }

  /// All of them, counted from the buffer's beginning.
  var all: [Int] { runs.flatMap { run in run.ends.map { run.start + $0 } } }

  /// Adds the ends of records that follow each other from `start` on.
  mutating func append(_ ends: UnsafeBufferPointer<Int>, from start: Int) {
    if ends.isEmpty { return }
    if ends.count > Self.few { return runs.append((start, Array(ends))) }
    if runs.last?.start != 0 { runs.append((0, [])) }
    for end in ends { runs[runs.count - 1].ends.append(start + end) }
  }

  mutating func removeAll() { runs.removeAll(keepingCapacity: true) }
}
