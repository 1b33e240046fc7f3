internal import Dispatch
internal import EventBus
internal import LibC
internal import StockbusSystem

/// The thread that waits until pipes are ready, for all programs of the process.
///
/// Not by Dispatch's sources: on Linux the thread behind them may read the memory of a source that is cancelled while its pipe is ready,
/// and the pipe of a program that has ended is always ready.
final class PipeWatch: Sendable {
  static let shared = PipeWatch()

  private struct Wait {
    let pipe: Int32
    let events: Int16
    let whenReady: @Sendable () -> Void
  }

  private struct State {
    var waits: [Int: Wait] = [:]
    var last = 0
    /// To be called once no removed pipe is watched any more.
    var leaving: [@Sendable () -> Void] = []
    /// Ends the present wait when something is written to it.
    var wake: (reading: Int32, writing: Int32)?
  }

  private let state = Guarded(State())

  /// Calls `whenReady` once, on the thread, when `pipe` can be read (`POLLIN`) or written (`POLLOUT`), or has been closed at its other end;
  /// not after `remove`. Returns the id for `remove`. A pipe that cannot be watched counts as ready.
  func add(_ pipe: FileDescriptor, _ events: Int32, _ whenReady: @escaping @Sendable () -> Void) -> Int {
    let (id, isWatched) = state.withLock { state in
      state.last += 1
      guard begin(&state) else { return (state.last, false) }
      state.waits[state.last] = Wait(pipe: pipe.rawValue, events: Int16(events), whenReady: whenReady)
      wake(state)
      return (state.last, true)
    }
    if !isWatched { whenReady() }
    return id
  }

  /// Ends watching a pipe. `done` is called once the pipe may be closed.
  func remove(_ id: Int?, done: @escaping @Sendable () -> Void) {
    let isWatched = state.withLock { state in
      if let id { state.waits[id] = nil }
      guard state.wake != nil else { return false }
      state.leaving.append(done)
      wake(state)
      return true
    }
    if !isWatched { done() }
  }

  /// Starts the thread; returns false if the process has no descriptors left for it.
  private func begin(_ state: inout State) -> Bool {
    if state.wake != nil { return true }
    guard let pipe = DetachedProcess.pipe() else { return false }
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    state.wake = pipe
    DispatchQueue(label: "pipes").async { self.watch(pipe.reading) }
    return true
  }

  /// A full pipe wakes as well.
  private func wake(_ state: State) {
    var byte: UInt8 = 0
    if let wake = state.wake { _ = write(wake.writing, &byte, 1) }
  }

  private func watch(_ wake: Int32) {
    while true {
      let (waits, left) = state.withLock { state in
        defer { state.leaving = [] }
        return (Array(state.waits), state.leaving)
      }
      for done in left { done() }
      var entries = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
      for wait in waits { entries.append(pollfd(fd: wait.value.pipe, events: wait.value.events, revents: 0)) }
      _ = poll(&entries, nfds_t(entries.count), -1)
      if entries[0].revents != 0 {
        var bytes = (0 as UInt64, 0 as UInt64)
        while read(wake, &bytes, 16) == 16 {}
      }
      for (entry, wait) in zip(entries.dropFirst(), waits) where entry.revents != 0 {
        if state.withLock({ $0.waits.removeValue(forKey: wait.key) }) != nil { wait.value.whenReady() }
      }
    }
  }
}
