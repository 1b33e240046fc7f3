internal import StockbusSystem
internal import StockbusTerminal
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Ends the programs of this process with it, also when nothing else can: after `kill -9`.
///
/// A small child, `/bin/sh` in a session of its own, waits at a pipe. Whoever starts a program writes `+ID` into it before the program begins, and `-ID`
/// when it has ended. The pipe breaks when this process ends, and the child kills the sessions that are left. (The kernel's own way,
/// PR_SET_PDEATHSIG, ends a program with the thread that started it, and threads of a pool come and go.)
final class Lifeline: Sendable {
  /// That of the process; started with the first program.
  static let shared = Lifeline()

  private struct Watchman {
    var child: pid_t
    var pipe: Int32
  }
  private let watchman = Mutex<Watchman?>(nil)

  deinit { cut() }

  /// Runs as `sh -c registration PROGRAM ARGUMENTS…` with the pipe as standard error: says its own id, and becomes the program.
  static let registration = #"echo "+$$" >&2; exec "$0" "$@" 2>&1"#

  /// Standard input is the pipe. A space stands on both sides of every id in `live`.
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
    """

  /// The pipe, for the standard error of a program's first words; nil where there is no shell.
  var descriptor: Int32? {
    watchman.withLock { watchman in
      if let present = watchman, waitpid(present.child, nil, WNOHANG) != 0 {
        // Somebody has ended it.
        close(present.pipe)
        watchman = nil
      }
      if watchman == nil { watchman = Self.start() }
      return watchman?.pipe
    }
  }

  /// The program has ended and was waited for; what it has left behind is nobody's business any more.
  func forget(_ id: pid_t) { watchman.withLock { if let watchman = $0 { Self.put("-\(id)\n", into: watchman.pipe) } } }

  /// What the end of the process does: the programs that are left end now.
  func cut() {
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
    // At most `PIPE_BUF` bytes go whole or not at all.
    line.withUTF8 { _ = try? FileDescriptor(rawValue: pipe).writeOnce(UnsafeRawBufferPointer($0)) }
  }

  private static func start() -> Watchman? {
    guard let pipe = OutlivingShell.pipe() else { return nil }
    defer { close(pipe.reading) }
    let child = OutlivingShell.start(
      script, title: "stockbus: ends programs", descriptors: [0: pipe.reading], inheritsEnvironment: false)
    guard let child else {
      close(pipe.writing)
      return nil
    }
    return Watchman(child: child, pipe: pipe.writing)
  }
}
