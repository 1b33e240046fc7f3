package import LibC
internal import StockbusSystem
internal import Synchronization

/// Kills the programs that this process has started when the process ends, even after `kill -9`.
///
/// A child process, `/bin/sh` in a session of its own, waits at a pipe. `+ID` is written into the pipe before a program begins, and `-ID`
/// when it has ended. The pipe breaks when this process ends; then the child kills the remaining sessions. (The kernel's PR_SET_PDEATHSIG
/// kills a program when the thread that started it ends, and threads of a pool end at any time.)
package final class Lifeline: Sendable {
  /// The lifeline of the process; started with the first program.
  package static let shared = Lifeline()

  private struct Watchman {
    var child: pid_t
    var pipe: Int32
  }
  private let watchman = Mutex<Watchman?>(nil)
  /// The programs that do not register themselves; a new child process is notified of them again.
  private let watched = Mutex<Set<pid_t>>([])
  /// The value in the variable of all programs marked by this lifeline, and of no others.
  private let name = "\(getpid())-\(UInt64.random(in: .min ... .max))"
  private let marks = Mutex(0)

  package init() {}

  deinit { cut() }

  /// Runs as `sh -c registration PROGRAM ARGUMENTS…` with the pipe as standard error: reports its own id, and replaces itself by the
  /// program.
  package static let registration = #"echo "+$$" >&2; exec "$0" "$@" 2>&1"#

  /// A value for a program's variable, by which the processes that it starts are recognised; see `Descendants`.
  func mark() -> String {
    let number = marks.withLock { marks in
      marks += 1
      return marks
    }
    return "\(name).\(number)"
  }

  /// Standard input is the pipe. Every id in `live` has a space on both sides. Processes that have left the sessions are found by their
  /// variables; a second round finds those that were being started.
  private static let script = """
    live=' '
    while IFS= read -r line; do
      id=${line#?}
      case $line in
        +*) live="$live$id " ;;
        -*) case $live in *" $id "*) live="${live%% $id *} ${live#* $id }" ;; esac ;;
      esac
    done
    for id in $live; do kill -s KILL -- "-$id"; done
    [ -d /proc/self ] || exit 0
    for round in 1 2 3; do
      grep -ls "\(Descendants.variable)=$1" /proc/[0-9]*/environ | while IFS=/ read -r root proc id rest; do kill -s KILL "$id"; done
    done
    """

  /// The pipe, which is the standard error of `registration`; nil if there is no shell.
  package var descriptor: Int32? {
    watchman.withLock { watchman in
      if let present = watchman, waitpid(present.child, nil, WNOHANG) != 0 {
        // The child process was killed.
        close(present.pipe)
        watchman = nil
      }
      if watchman == nil {
        watchman = Self.start(name)
        if let watchman { for id in watched.withLock({ $0 }) { Self.put("+\(id)\n", into: watchman.pipe) } }
      }
      return watchman?.pipe
    }
  }

  /// Watches a program that does not register itself. To be called before the program begins. Returns false if there is no shell.
  package func watch(_ id: pid_t) -> Bool {
    guard let pipe = descriptor else { return false }
    watched.withLock { _ = $0.insert(id) }
    Self.put("+\(id)\n", into: pipe)
    return true
  }

  /// To be called when a program has ended and was waited for; processes that it has left running are not killed.
  package func forget(_ id: pid_t) {
    watched.withLock { _ = $0.remove(id) }
    watchman.withLock { if let watchman = $0 { Self.put("-\(id)\n", into: watchman.pipe) } }
  }

  /// Has the effect of the process's end: kills the remaining programs.
  package func cut() {
    let left = watchman.withLock { watchman in
      defer { watchman = nil }
      return watchman
    }
    guard let left else { return }
    close(left.pipe)
    _ = try? retrying { waitpid(left.child, nil, 0) }
  }

  private static func put(_ line: String, into pipe: Int32) {
    var line = line
    // A write of at most `PIPE_BUF` bytes is atomic.
    line.withUTF8 { _ = try? FileDescriptor(rawValue: pipe).writeOnce(UnsafeRawBufferPointer($0)) }
  }

  private static func start(_ name: String) -> Watchman? {
    guard let pipe = DetachedProcess.pipe() else { return nil }
    defer { close(pipe.reading) }
    let child = OutlivingShell.start(
      script, title: "stockbus: ends programs", arguments: [name], descriptors: [0: pipe.reading], inheritsEnvironment: false)
    guard let child else {
      close(pipe.writing)
      return nil
    }
    return Watchman(child: child, pipe: pipe.writing)
  }
}
