internal import Synchronization

/// What a reader has got in all its lives, or should have got.
struct Record: Equatable {
  var count = 0
  /// A sum over numbers, marks and their order.
  var chain: UInt64 = 0
  /// The same without their order, for readers of two inputs.
  var sum: UInt64 = 0
  var last: Int64 = 0
  /// How often a number was not greater than the one before it.
  var disorder = 0

  @inline(__always)
  mutating func add(_ number: Int64, mark: Int64, salt: Int) {
    var z = UInt64(bitPattern: number &* 1_000_003 &+ mark &* 31 &+ Int64(salt))
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z ^= z >> 27
    count &+= 1
    chain = chain &* 0x9e37_79b9_7f4a_7c15 &+ z
    sum &+= z
    if number <= last { disorder &+= 1 }
    last = number
  }
}

/// The first number of an instance, and its options.
struct Life: Equatable {
  let first: Int64
  /// The mark of a stage, the salt of a reader.
  let option: Int
  let every: Int
}

/// Records that outlive the components.
final class Records: Sendable {
  static let shared = Records()

  struct Cut {
    let mark: Int64
    let first: Int64
  }

  private struct State {
    var records: [String: Record] = [:]
    var starts: [String: Int] = [:]
    var lives: [String: [Life]] = [:]
    var cuts: [Cut] = []
    var tocks: Int64 = 0
  }

  private let state = Mutex(State())

  func begin(_ id: String) { state.withLock { $0.starts[id, default: 0] += 1 } }

  func update(_ id: String, _ body: (inout Record) -> Void) {
    state.withLock { state in body(&state.records[id, default: Record()]) }
  }

  func note(_ life: Life, of id: String) { state.withLock { $0.lives[id, default: []].append(life) } }

  func see(mark: Int64, at number: Int64) {
    state.withLock { if $0.cuts.last?.mark != mark { $0.cuts.append(Cut(mark: mark, first: number)) } }
  }

  func nextTock() -> Int64 {
    state.withLock {
      $0.tocks += 1
      return $0.tocks
    }
  }

  var records: [String: Record] { state.withLock { $0.records } }
  var starts: [String: Int] { state.withLock { $0.starts } }
  var lives: [String: [Life]] { state.withLock { $0.lives } }
  var cuts: [Cut] { state.withLock { $0.cuts } }
  var tocks: Int64 { state.withLock { $0.tocks } }
}
