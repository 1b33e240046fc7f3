internal import LibC
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusSystem

/// The receipts of a run, a line each, in a file beside its memory that grows until a memory is kept that was taken after them.
final class ReceiptFile: Receipts {
  private struct State {
    /// With the number of memories that had been begun before; `Int.max` for those of an earlier run, whose events may come again at any time.
    var receipts: [String: Int] = [:]
    var begun = 0
    /// The last memory that somebody waits for.
    var asked = 0
    var file: FileDescriptor?
    /// Lines in the file.
    var lines = 0
  }

  private let path: String
  private let state: Guarded<State>
  /// How many of the memories have been kept, or have failed.
  private let answered = WaitableValue(0)
  /// Woken when a memory is asked for.
  let bell = Parker()

  /// Larger files are refused.
  private static let limit = 1 << 28
  /// How many lines without use may stay.
  private static let most = 1 << 12

  static func path(of memory: String) -> String { memory + ".receipts" }

  /// Reads what an earlier run has added; an unfinished line does not count.
  init(beside memory: String) throws(MemoryFile.Failure) {
    path = Self.path(of: memory)
    var state = State()
    do throws(Errno) {
      if let bytes = try FileBytes.whole(path, atMost: Self.limit) {
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
          state.receipts[String(decoding: line, as: UTF8.self)] = .max
        }
      }
    } catch { throw MemoryFile.Failure(description: "\(path) cannot be read: \(error)") }
    state.lines = state.receipts.count
    self.state = Guarded(state)
  }

  func contains(_ receipt: String) -> Bool {
    state.withLock { state in
      guard let begun = state.receipts[receipt] else { return false }
      // Its event has come again, and does so once only.
      if begun == .max { state.receipts[receipt] = state.begun }
      return true
    }
  }

  func add(_ receipt: String) {
    state.withLock { state in
      state.receipts[receipt] = state.begun
      // What cannot be written is asked for once more after a kill.
      if state.file == nil {
        state.file = try? FileDescriptor.opening(path, .writeOnly, [.create, .append, .noFollow], permissions: .ownerReadWrite)
      }
      guard let file = state.file else { return }
      try? file.writeWhole([UInt8]("\(receipt)\n".utf8))
      state.lines += 1
    }
  }

  var nextMemory: Int { state.withLock { $0.begun } + 1 }

  func memoryIsKept(_ number: Int) async {
    if answered.value >= number { return }
    state.withLock { $0.asked = max($0.asked, number) }
    bell.wake()
    await answered.wait { $0 >= number }
  }

  /// True if somebody waits for a memory.
  var isAwaited: Bool { state.withLock { $0.asked } > answered.value }

  /// A memory is about to be taken; returns its number.
  func memoryBegins() -> Int {
    state.withLock { state in
      state.begun += 1
      return state.begun
    }
  }

  /// A memory was kept, or could not be.
  func memoryEnds(_ number: Int, isKept: Bool) {
    if isKept { forget(before: number) }
    answered.update { $0 = max($0, number) }
  }

  /// Forgets the receipts from before a memory, for which no event can be repeated.
  private func forget(before number: Int) {
    state.withLock { state in
      state.receipts = state.receipts.filter { $0.value >= number }
      if state.lines - state.receipts.count <= Self.most { return }
      let text = state.receipts.keys.sorted().map { $0 + "\n" }.joined()
      guard (try? WholeFile.replace(path, with: [UInt8](text.utf8))) != nil else { return }
      try? state.file?.shut()
      (state.file, state.lines) = (nil, state.receipts.count)
    }
  }

  /// The run has ended, and its memory is kept: no event is repeated.
  func end() {
    state.withLock { state in
      try? state.file?.shut()
      state.file = nil
      unlink(path)
    }
  }
}
