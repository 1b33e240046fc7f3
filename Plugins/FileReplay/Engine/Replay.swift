internal import EventBus
internal import MarketData
internal import StockbusDecoding

/// The position of a replay, from which it can continue after a restart.
struct ReplayPosition: Hashable, Sendable, Codable {
  /// Loops finished.
  var loop = 0
  /// Events returned in the current loop.
  var events = 0
}

/// The events of several files, merged by time, returned in batches.
///
/// The earliest of the files' next events is first; on a tie, that of the file listed first. The order inside a file is not changed. Memory
/// is bounded by the number of files.
struct Replay<E: ReplayEvent>: ~Copyable {
  private let inputs: [ReplayInput]
  private let options: ReplayOptions
  private var files: [MergedFile<E>]
  private var heap: [Int]  // files with events, the next one first
  /// True if the first file of the heap is empty, and its next event has to be awaited.
  private var isStarved = false
  private var primed: Int  // files whose first events have been read
  private var isFinished: Bool
  private var finishedMessages: MessageTally?
  private var finished: ReplayCounts  // of the loops before

  /// The current position.
  private(set) var position: ReplayPosition

  /// Opens the files. Throws `badOption`, or errors of opening a file.
  init(_ inputs: [ReplayInput], _ options: ReplayOptions) throws(ReplayError) {
    try options.validate(E.fields, inputs: inputs)
    let files = try Self.open(inputs, options)
    self.inputs = inputs
    self.options = options
    self.files = files
    heap = []
    primed = 0
    isFinished = false
    finished = ReplayCounts()
    position = ReplayPosition()
  }

  private static func open(_ inputs: [ReplayInput], _ options: ReplayOptions) throws(ReplayError) -> [MergedFile<E>] {
    var files: [MergedFile<E>] = []
    for input in inputs { files.append(MergedFile(try FileCursor(input, options), width: options.extraColumns.columns.count)) }
    return files
  }

  /// The counts of rows so far, for all files and loops together.
  var counts: ReplayCounts {
    var sum = finished
    for file in files { sum += file.counts }
    return sum
  }

  /// The results for each file in the last loop; read at the end.
  var tallies: [FileTally] { files.map(\.tally) }

  /// The breaks in sequence numbers that raw captures have shown since the last call.
  func takeGaps() -> [SequenceGap] { files.flatMap { $0.takeGaps() } }

  /// Unknown messages of raw captures in this loop, by shape.
  var shapes: [(shape: String, count: Int)] { files.flatMap(\.shapes) }

  /// Messages of raw captures in all loops, by kind.
  var messages: [MessageTally] { ([finishedMessages] + files.map(\.messages)).compactMap(\.self) }

  /// The last numbers of the venue's trades in raw captures.
  var numbers: VenueNumbers {
    var numbers = VenueNumbers()
    for file in files { numbers.add(file.numbers) }
    return numbers
  }

  /// For showing progress: bytes of the files read in this loop, and the size of all files (nil if one is not a plain file), before
  /// decompression.
  var progress: (read: Int, size: Int?) {
    files.reduce((0, 0)) { sum, file in
      let one = file.progress
      return (sum.0 + one.read, sum.1.flatMap { size in one.size.map { size + $0 } })
    }
  }

  /// True if a file is a pipe or similar, where reading may have to wait for the writer.
  var isLive: Bool { files.contains { $0.isLive } }

  /// True if the next event may have to be awaited, because a pipe has not sent it yet.
  var mustWait: Bool {
    if files.count == 1 { return files[0].mustWait }
    guard isStarved, let first = heap.first else { return false }
    return files[first].mustWait
  }

  /// Passes the next events to `body` in batches, at most `limit` in all, and returns their number; 0 at the end. They all belong to one
  /// loop: if `position.loop` has increased since the last call, they are the first of the next loop.
  ///
  /// `noted` is called for malformed rows as they are found, which with several files may be before earlier events of other files. An
  /// error is thrown when every event before it in its file has been returned. That file is then at its end; calling again continues with
  /// the others.
  mutating func next(
    limit: Int, into body: (Span<E>) -> Void, noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    try next(limit: limit, intoRows: { events, _ in body(events) }, noted: noted)
  }

  /// The same, with the columns of the events, one row behind the other.
  mutating func next(
    limit: Int, intoRows body: (Span<E>, Span<Int64>) -> Void, noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    if limit <= 0 || isFinished { return 0 }
    while true {
      let count = try pull(min(limit, 1 << 32), body, noted)
      if count > 0 { return count }
      if try !startOver() { return 0 }
    }
  }

  /// The next events of this loop; 0 at its end.
  private mutating func pull(
    _ limit: Int, _ body: (Span<E>, Span<Int64>) -> Void, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    let before = position.events
    if files.count == 1 {
      try files[0].pass(limit, &position.events, body, noted)
    } else {
      try merge(limit, body, noted)
    }
    return position.events - before
  }

  /// Skips events until `target` is reached, as fast as they can be read; returns false if the files end before it, or the replay is past
  /// it.
  mutating func skip(to target: ReplayPosition, noted: (RowNote) -> MalformedPolicy) throws(ReplayError) -> Bool {
    while position.loop <= target.loop, position != target, !isFinished {
      let isThere = position.loop == target.loop
      if isThere, position.events > target.events { return false }
      let count = try pull(isThere ? min(4096, target.events - position.events) : 4096, { _, _ in }, noted)
      if count > 0 { continue }
      if isThere { return false }
      if try !startOver() { return false }
    }
    return position == target
  }

  /// Opens the files for the next loop; returns false if there is none, and also if a whole loop had no event, because then no loop will
  /// have one.
  private mutating func startOver() throws(ReplayError) -> Bool {
    if case .times(let count) = options.loops, position.loop + 1 >= count {
      isFinished = true
    } else if position.events == 0 {
      isFinished = true
    }
    if isFinished { return false }
    for file in files {
      finished += file.counts
      // All files have the same kinds.
      if let messages = file.messages { finishedMessages = finishedMessages?.adding(messages) ?? messages }
    }
    files = []
    files = try Self.open(inputs, options)
    primed = 0
    heap = []
    isStarved = false
    position = ReplayPosition(loop: position.loop + 1, events: 0)
    return true
  }
}

// MARK: - Merging

extension Replay {
  private mutating func merge(
    _ limit: Int, _ body: (Span<E>, Span<Int64>) -> Void, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    while primed < files.count {
      primed += 1
      if try files[primed - 1].refill(noted) { rise(primed - 1) }
    }
    if isStarved {
      isStarved = false
      try refillFirst(noted)
    }
    let start = position.events
    let end = position.events + limit
    while position.events < end, let first = heap.first {
      // The file with the next event continues until the second file's event is earlier.
      let second = heap.count > 2 ? (precedes(heap[1], heap[2]) ? heap[1] : heap[2]) : heap.count > 1 ? heap[1] : nil
      let bound = second.map { (time: files[$0].head, wins: first < $0) }
      let isEmpty = files[first].emit(upTo: end, &position.events, before: bound?.time ?? .max, orAt: bound?.wins ?? true, body)
      if !isEmpty {
        sink()
      } else if position.events > start, files[first].mustWait {
        // Events that were returned already must not wait for the pipe.
        isStarved = true
        return
      } else {
        try refillFirst(noted)
      }
    }
  }

  /// Reads more in the first file of the heap and moves it to its new place; removes it at its end or if it throws.
  private mutating func refillFirst(_ noted: (RowNote) -> MalformedPolicy) throws(ReplayError) {
    var isGone = true
    defer { isGone ? removeFirst() : sink() }
    isGone = try !files[heap[0]].refill(noted)
  }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    let (x, y) = (files[a].head, files[b].head)
    return x < y || (x == y && a < b)
  }

  private mutating func rise(_ file: Int) {
    heap.append(file)
    var at = heap.count - 1
    while at > 0, precedes(heap[at], heap[(at - 1) / 2]) {
      heap.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  private mutating func removeFirst() {
    heap[0] = heap[heap.count - 1]
    heap.removeLast()
    sink()
  }

  private mutating func sink() {
    var at = 0
    while 2 * at + 1 < heap.count {
      var child = 2 * at + 1
      if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
      if !precedes(heap[child], heap[at]) { return }
      heap.swapAt(child, at)
      at = child
    }
  }
}

extension ReplayPosition {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(loop: try container.decode(Int.self, forKey: .loop), events: try container.decode(Int.self, forKey: .events))
    if !(0..<1 << 62).contains(loop) || !(0..<1 << 62).contains(events) {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no position of a replay"))
    }
  }
}
