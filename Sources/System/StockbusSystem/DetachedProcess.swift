internal import LibC
internal import Synchronization

/// A process with a session of its own, so that no signal to our process group ends it, and it can be killed with those that it starts.
package enum DetachedProcess {
  /// Held while a process is started, and while a pipe has ends that a process would inherit: it would keep the pipe open, and whoever reads
  /// from it would not see its end.
  private static let starting = Mutex(())

  /// Starts the program at the path `words[0]`; nil if the system cannot. It blocks no signals. `descriptors` maps its descriptors to ours,
  /// whose numbers must be higher than all of its own. Its other standard streams are `/dev/null`. No other descriptor stays open in it,
  /// because otherwise a peer would not see our sockets closed.
  ///
  /// - Parameter environment: entries `NAME=value`; nil for our own.
  package static func start(_ words: [String], descriptors: [Int32: Int32], environment: [String]? = nil) -> Int32? {
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
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    var variables = (environment ?? []).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child: pid_t = 0
    let code = starting.withLock { _ in
      for other in InheritedDescriptors.from(max(2, descriptors.keys.max() ?? 2) + 1) {
        posix_spawn_file_actions_addclose(&actions, other)
      }
      return environment == nil
        ? posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ)
        : posix_spawn(&child, words[0], &actions, &attributes, &arguments, &variables)
    }
    return code == 0 ? child : nil
  }

  /// A pipe whose ends have numbers above those that a child is given, and are not inherited by other children, so that it breaks when its
  /// holder ends.
  package static func pipe() -> (reading: Int32, writing: Int32)? {
    let high = starting.withLock { _ -> [Int32] in
      var ends: [Int32] = [-1, -1]
      guard LibC.pipe(&ends) == 0 else { return [-1, -1] }
      defer { for end in ends { close(end) } }
      return ends.map { raised($0) }
    }
    if high.contains(where: { $0 < 0 }) {
      for end in high where end >= 0 { close(end) }
      return nil
    }
    return (high[0], high[1])
  }

  /// A duplicate with such a number; negative if no number is left.
  package static func raised(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 20) }
}
