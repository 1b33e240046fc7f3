internal import StockbusNetwork
internal import StockbusPlugin
internal import Synchronization

/// The messages of tabs, in order, until the dashboard reads them: at once, or before its next frame if there are only `ready` messages.
///
/// The network's threads add letters, so that a `ready`, of which there is one for each frame of each tab, costs no task and no turn of the
/// dashboard's actor.
final class PageMailbox: Sendable {
  enum Letter: Sendable {
    case says(Tab, PageMessage)
    case leaves(Tab)

    /// True if the letter may wait for the next frame.
    var isPatient: Bool { if case .says(_, .ready) = self { true } else { false } }
  }

  private struct State {
    var letters: [Letter] = []
    /// The frames' loop sleeps, and is woken by every letter.
    var isAsleep = false
  }

  private let state = Mutex(State())
  private let urgent = Bell()
  /// Wakes the loop of the frames.
  private let loop: Parker

  init(waking loop: Parker) { self.loop = loop }

  func put(_ letter: Letter) {
    let wakes = state.withLock { state in
      state.letters.append(letter)
      return state.isAsleep
    }
    if !letter.isPatient { urgent.ring() }
    if wakes { loop.wake() }
  }

  func take() -> [Letter] {
    state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// From now on every letter wakes the loop of the frames. Returns false if there are letters already.
  func sleeps() -> Bool {
    state.withLock { state in
      state.isAsleep = state.letters.isEmpty
      return state.isAsleep
    }
  }

  /// The loop of the frames is awake and checks for letters by itself.
  func isAwake() { state.withLock { $0.isAsleep = false } }

  /// Calls `read` for each letter that must not wait for a frame, until the task is cancelled.
  func watch(_ read: @Sendable () async -> Void) async {
    while !Task.isCancelled {
      let heard = urgent.rings
      await read()
      await urgent.wait(after: heard)
    }
  }
}
