internal import LibC

/// A small shell that outlives this process briefly, for work that the process cannot do when it is killed.
///
/// It reads from a pipe, which breaks when the process ends. `fork` without `exec` would keep a copy of all memory instead.
package enum OutlivingShell {
  /// Starts `/bin/sh` with a script whose arguments are `arguments`; nil if there is no shell, or the system cannot start a process.
  ///
  /// The shell has a session of its own, so that no signal to our process group ends it, and blocks no signals. `descriptors` maps its
  /// descriptors to ours, whose numbers must be higher than all of its own. Its other standard streams are `/dev/null`, so that a reader of
  /// our output does not wait for it too. No other descriptor stays open in it, because otherwise a peer would not see our sockets closed.
  ///
  /// - Parameter title: its `$0`, which a list of processes shows.
  /// - Parameter inheritsEnvironment: false if it needs no variables of ours, which may be secrets.
  package static func start(
    _ script: String, title: String, arguments: [String] = [], descriptors: [Int32: Int32], inheritsEnvironment: Bool
  ) -> Int32? {
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
    for stream in 0...2 where descriptors[Int32(stream)] == nil {
      posix_spawn_file_actions_addopen(&actions, Int32(stream), "/dev/null", O_RDWR, 0)
    }
    for (number, own) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, number) }
    for other in InheritedDescriptors.from(max(2, descriptors.keys.max() ?? 2) + 1) {
      posix_spawn_file_actions_addclose(&actions, other)
    }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = (["/bin/sh", "-c", script, title] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var nothing: [UnsafeMutablePointer<CChar>?] = [nil]
    var child: pid_t = 0
    let code =
      inheritsEnvironment
      ? posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, environ)
      : posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, &nothing)
    return code == 0 ? child : nil
  }

  /// A pipe whose ends have numbers above those that a child is given, and are not inherited by other children, so that it breaks when its
  /// holder ends.
  package static func pipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard LibC.pipe(&ends) == 0 else { return nil }
    let high = ends.map { raised($0) }
    for end in ends { close(end) }
    if high.contains(where: { $0 < 0 }) {
      for end in high where end >= 0 { close(end) }
      return nil
    }
    return (high[0], high[1])
  }

  /// A duplicate with such a number; negative if no number is left.
  package static func raised(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 20) }
}
