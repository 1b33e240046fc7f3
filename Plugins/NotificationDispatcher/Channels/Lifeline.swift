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
    while waitpid(left.child, nil, 0) < 0, errno == EINTR {}
  }

  private static func put(_ line: String, into pipe: Int32) {
    var line = line
    // At most `PIPE_BUF` bytes go whole or not at all.
    line.withUTF8 { bytes in while write(pipe, bytes.baseAddress, bytes.count) < 0, errno == EINTR {} }
  }

  private static func start() -> Watchman? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // Above the standard streams, and not inherited by others: who holds the pipe keeps it whole.
    let (reading, writing) = (fcntl(ends[0], F_DUPFD_CLOEXEC, 20), fcntl(ends[1], F_DUPFD_CLOEXEC, 20))
    for end in ends { close(end) }
    defer { close(reading) }
    guard reading >= 0, writing >= 0, let child = spawn(reading: reading) else {
      close(writing)
      return nil
    }
    return Watchman(child: child, pipe: writing)
  }

  private static func spawn(reading pipe: Int32) -> pid_t? {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let newSession = Int16(0x0400)
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    let newSession = Int16(0x80)
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, pipe, 0)
    // Whoever reads our output must not wait for the watchman too.
    for stream in 1...2 { posix_spawn_file_actions_addopen(&actions, Int32(stream), "/dev/null", O_RDWR, 0) }
    // All of them: a socket that stayed open in it would never be closed for its peer.
    for other in InheritedDescriptors.from(3) { posix_spawn_file_actions_addclose(&actions, other) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ["/bin/sh", "-c", script, "stockbus: ends programs"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // It needs nothing of our environment, least of all secrets.
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var child: pid_t = 0
    return posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &environment) == 0 ? child : nil
  }
}
