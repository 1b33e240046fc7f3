internal import LibC
internal import StockbusSystem
internal import StockbusSystem
internal import Synchronization

/// A small child process that outlives this process briefly and restores the terminal when nothing else can, after `kill -9`.
///
/// It is a shell that reads from a pipe. The process writes `on` and `off`; `end` ends the shell. If the pipe breaks while the screen is
/// on, the shell leaves the full screen and restores the line discipline, if that is still as this process has set it. It has a session of
/// its own, so that no signal to our process group ends it.
final class Guardian: Sendable {
  private let child: pid_t
  private let pipe: Int32

  /// The pipe to the guardian, for signal handlers; -1 if there is none.
  private static let current = Atomic<Int32>(-1)

  /// Descriptor 3 is the pipe, 4 the terminal, and 5 reports that the shell is ready.
  private static let script = """
    saved=$(stty -g <&4 2>/dev/null); echo >&5; exec 5>&-; state=off
    while IFS= read -r word <&3; do
      case $word in on) raw=$(stty -g <&4 2>/dev/null); state=on;; off) state=off;; end) exit 0;; esac
    done
    [ $state = on ] || exit 0
    printf '%b' "$1" >&4
    if [ -n "$saved" ] && [ "$(stty -g <&4 2>/dev/null)" = "$raw" ]; then stty "$saved" <&4; fi
    """

  /// Nil if there is no shell, or the system cannot start a process; then `kill -9` leaves the screen as it is.
  init?(terminal: Int32) {
    guard let toChild = DetachedProcess.pipe() else { return nil }
    guard let fromChild = DetachedProcess.pipe() else {
      close(toChild.reading)
      close(toChild.writing)
      return nil
    }
    let high = DetachedProcess.raised(terminal)
    let child = OutlivingShell.start(
      Self.script, title: "stockbus: gives the terminal back", arguments: [Sequences.fullScreenEndForPrintf],
      descriptors: [3: toChild.reading, 4: high, 5: fromChild.writing], inheritsEnvironment: true)
    defer {
      close(high)
      close(toChild.reading)
      close(fromChild.reading)
    }
    close(fromChild.writing)
    guard let child else {
      close(toChild.writing)
      return nil
    }
    self.child = child
    pipe = toChild.writing
    // The shell must read the terminal's modes before they are changed; after 5 s it is assumed to have failed.
    var entry = pollfd(fd: fromChild.reading, events: Int16(POLLIN), revents: 0)
    _ = try? retrying { poll(&entry, 1, 5000) }
    Self.current.store(pipe, ordering: .sequentiallyConsistent)
  }

  /// Sends the guardian whether the screen is on.
  func say(isOn: Bool) { Self.write(isOn ? "on\n" : "off\n", to: pipe) }

  /// Ends the guardian; returns when it has ended.
  func end() {
    Self.current.store(-1, ordering: .sequentiallyConsistent)
    Self.write("end\n", to: pipe)
    close(pipe)
    var status: Int32 = 0
    _ = try? retrying { waitpid(child, &status, 0) }
  }

  /// Initialises what a signal handler reads, so that this does not happen there.
  static func prepareForSignalHandlers() { _ = current.load(ordering: .relaxed) }

  /// For a signal handler that has restored the terminal itself.
  static func endFromSignalHandler() {
    let pipe = current.exchange(-1, ordering: .relaxed)
    if pipe >= 0 { write("end\n", to: pipe) }
  }

  private static func write(_ word: StaticString, to pipe: Int32) {
    _ = LibC.write(pipe, word.utf8Start, word.utf8CodeUnitCount)
  }
}
