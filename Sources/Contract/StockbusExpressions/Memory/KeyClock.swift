internal import MarketData

/// The times of one key.
struct KeyClock: BitwiseCopyable {
  var clock = EventClock()
  var sessionBegin = Int64.min
  var sessionEnd = Int64.min
  /// The newest time of an event that counted, to which a revision is compared.
  var newest = Int64.min
  /// Counts sessions, and how often the clock was set back.
  var session: UInt32 = 0
  var epoch: UInt32 = 0
}

/// What an event is to the functions of its key, where events are revised.
enum Mark {
  static let new: UInt8 = 0
  /// It replaces the newest event.
  static let newest: UInt8 = 1
  /// It is older than the newest event: it replaces one, or comes too late.
  static let older: UInt8 = 2
}

/// The columns that `ExpressionMemory.arrive` writes for a chunk.
struct ArrivalColumns {
  /// The block of each event's key.
  let blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The newest time of the key, and the time at which the event counts.
  let now: UnsafeMutablePointer<Int64>
  let time: UnsafeMutablePointer<Int64>
  let sessionBegin: UnsafeMutablePointer<Int64>
  let session: UnsafeMutablePointer<UInt32>
  let epoch: UnsafeMutablePointer<UInt32>
  /// What the event counts for, in the bits of `Counting`.
  let counting: UnsafeMutablePointer<UInt8>
  /// One of `Mark`.
  let marks: UnsafeMutablePointer<UInt8>
  private let memory: UnsafeMutableRawPointer

  init(chunk: Int) {
    memory = .allocate(byteCount: chunk * 42, alignment: 16)
    blocks = memory.bindMemory(to: UnsafeMutableRawPointer.self, capacity: chunk)
    now = (memory + chunk * 8).bindMemory(to: Int64.self, capacity: chunk)
    time = (memory + chunk * 16).bindMemory(to: Int64.self, capacity: chunk)
    sessionBegin = (memory + chunk * 24).bindMemory(to: Int64.self, capacity: chunk)
    session = (memory + chunk * 32).bindMemory(to: UInt32.self, capacity: chunk)
    epoch = (memory + chunk * 36).bindMemory(to: UInt32.self, capacity: chunk)
    counting = (memory + chunk * 40).bindMemory(to: UInt8.self, capacity: chunk)
    marks = (memory + chunk * 41).bindMemory(to: UInt8.self, capacity: chunk)
    counting.update(repeating: Counting.everything, count: chunk)
    marks.update(repeating: Mark.new, count: chunk)
  }

  func deallocate() { memory.deallocate() }
}
