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
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard Self.makePipe(&toChild), Self.makePipe(&fromChild) else { return nil }
    let high = Self.raised(terminal)
    defer {
      close(high)
      close(toChild[0])
      close(fromChild[0])
    }
    let child = Self.spawn(pipe: toChild[0], terminal: high, ready: fromChild[1])
    close(fromChild[1])
    guard let child else {
      close(toChild[1])
      return nil
    }
    self.child = child
    pipe = toChild[1]
    // It must have seen the terminal before we change it; a shell that takes longer than this is none.
    var entry = pollfd(fd: fromChild[0], events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, 1000) < 0, errno == EINTR {}
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
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
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

  private static func makePipe(_ ends: inout [Int32]) -> Bool {
    guard Glibcless.pipe(&ends) == 0 else { return false }
    for i in 0..<2 {
      let high = raised(ends[i])
      close(ends[i])
      ends[i] = high
    }
    return true
  }

  /// The same file above the numbers that the child is given, and not inherited by others.
  private static func raised(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 20) }

  private static func spawn(pipe: Int32, terminal: Int32, ready: Int32) -> pid_t? {
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
    // Whoever reads our output must not wait for the guardian too.
    for stream in 0...2 { posix_spawn_file_actions_addopen(&actions, Int32(stream), "/dev/null", O_RDWR, 0) }
    posix_spawn_file_actions_adddup2(&actions, pipe, 3)
    posix_spawn_file_actions_adddup2(&actions, terminal, 4)
    posix_spawn_file_actions_adddup2(&actions, ready, 5)
    // Nor must any socket or pipe stay open in it, whatever its number: its peer would never see it closed.
    for other in InheritedDescriptors.from(6) { posix_spawn_file_actions_addclose(&actions, other) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ["/bin/sh", "-c", script, "stockbus: gives the terminal back", Sequences.fullScreenEndForPrintf]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    return posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ) == 0 ? child : nil
  }
}

/// `pipe` under a name that the property of the same name does not hide.
private enum Glibcless {
  static func pipe(_ ends: inout [Int32]) -> Int32 {
    #if canImport(Darwin)
    Darwin.pipe(&ends)
    #else
    Glibc.pipe(&ends)
    #endif
  }
}
