internal import StockbusSystem
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A small child that outlives this process for a moment and gives the terminal back when nobody else can: `kill -9`.
///
/// It is a shell that waits at a pipe. While the process lives it hears `on` and `off`; `end` lets it go. When the pipe breaks while the
/// screen is on, it writes what leaves the full screen, and puts the line discipline back where that is still as we had set it. It stands in
/// a session of its own, so no signal to our process group ends it.
final class Guardian: Sendable {
  private let child: pid_t
  private let pipe: Int32

  /// The pipe to the guardian, for handlers of signals; -1 where there is none.
  private static let current = Atomic<Int32>(-1)

  /// Descriptor 3 is the pipe, 4 the terminal, 5 says that it is ready.
  private static let script = """
    saved=$(stty -g <&4 2>/dev/null); echo >&5; exec 5>&-; state=off
    while IFS= read -r word <&3; do
      case $word in on) raw=$(stty -g <&4 2>/dev/null); state=on;; off) state=off;; end) exit 0;; esac
    done
    [ $state = on ] || exit 0
    printf '%b' "$1" >&4
    if [ -n "$saved" ] && [ "$(stty -g <&4 2>/dev/null)" = "$raw" ]; then stty "$saved" <&4; fi
    """

  /// Nil where there is no shell, or no room for a process: then `kill -9` leaves the screen as it is.
  init?(terminal: Int32) {
    guard let toChild = OutlivingShell.pipe() else { return nil }
    guard let fromChild = OutlivingShell.pipe() else {
      close(toChild.reading)
      close(toChild.writing)
      return nil
    }
    let high = OutlivingShell.raised(terminal)
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
    // It must have seen the terminal before we change it; a shell that takes longer than this is none.
    var entry = pollfd(fd: fromChild.reading, events: Int16(POLLIN), revents: 0)
    _ = try? retrying { poll(&entry, 1, 5000) }
    Self.current.store(pipe, ordering: .sequentiallyConsistent)
  }

  /// Says whether the screen is on.
  func say(isOn: Bool) { Self.write(isOn ? "on\n" : "off\n", to: pipe) }

  /// It is not needed any more; returns when it has gone.
  func end() {
    Self.current.store(-1, ordering: .sequentiallyConsistent)
    Self.write("end\n", to: pipe)
    close(pipe)
    var status: Int32 = 0
    _ = try? retrying { waitpid(child, &status, 0) }
  }

  /// Initialises what a handler looks at, so that it does not happen there.
  static func prepareForSignalHandlers() { _ = current.load(ordering: .relaxed) }

  /// From a signal's handler that has given the terminal back itself.
  static func endFromSignalHandler() {
    let pipe = current.exchange(-1, ordering: .relaxed)
    if pipe >= 0 { write("end\n", to: pipe) }
  }

  private static func write(_ word: StaticString, to pipe: Int32) {
    #if canImport(Darwin)
    _ = Darwin.write(pipe, word.utf8Start, word.utf8CodeUnitCount)
    #else
    _ = Glibc.write(pipe, word.utf8Start, word.utf8CodeUnitCount)
    #endif
  }
}
